"""What of a long text is looked at, and the pieces that it is made of."""

import re
from collections.abc import Iterator

ALL = 12_288
"""Characters of a text that is looked at as a whole; of a longer one the ends, places of faults and samples are."""
END = 1_792
WINDOW = 384
SAMPLES, MOST = 5, 8
"""Windows of a long text that are looked at, and how many of them are at equal distances at most."""
BACK = 65_536
"""Characters in front of the end in which the last signs of faults are looked for."""
SIGNS = ("Error", "error", "FAIL", "Traceback")
LONG = 240
"""Characters above which a line is read by its sentences."""
_SENTENCE = re.compile(r"[.!?;]\s+")


def pieces_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines of a text begin and end; a long line in sentences, and those in parts."""
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        if len(line) <= LONG:
            yield at, end
        else:
            yield from _sentences(text, at, end)
        at = end + 1


def _sentences(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in [*(found.end() for found in _SENTENCE.finditer(text, at, end)), end]:
        while at < stop:
            yield at, min(at + LONG, stop)
            at = min(at + LONG, stop)


def looked_at(text: str) -> list[tuple[int, int]]:
    """Where the text is looked at: all of it, or of a long one its ends and what stands around signs of faults and
    at equal distances."""
    if len(text) <= ALL:
        return [(0, len(text))]
    last, step = len(text) - END, (len(text) - 2 * END) // SAMPLES
    signs = [text.find(sign, END, last) for sign in SIGNS]
    signs += [text.rfind(sign, max(END, last - BACK), last) for sign in SIGNS]
    places = [max(END, at - WINDOW // 4) for at in signs if at > 0] + [END + step * at for at in range(SAMPLES)]
    windows = [(0, END)]
    for place in sorted(places[:MOST]):
        start = max(place, windows[-1][1])
        if start < min(place + WINDOW, last):
            windows.append((start, min(place + WINDOW, last)))
    return [*windows, (last, len(text))]
