"""What is kept of a text: spans of it, in order, with a sign in every gap."""

from collections.abc import Iterable

GAP = "…"


def spelled(text: str, spans: Iterable[tuple[int, int]], room: int) -> tuple[str, int]:
    """(the spans with a line for every gap, how many characters of the text are in it): at most `room` characters."""
    said, length, at, kept = list[str](), 0, 0, 0
    for start, end in spans:
        gap = "" if start <= at else GAP + "\n" if not at or text[at - 1] == "\n" else f"\n{GAP}\n"
        end = min(end, start + room - length - len(gap))
        if end <= start:
            break
        said += [gap, text[start:end]]
        length += len(gap) + end - start
        kept += end - start
        at = end
    return "".join(said), kept
