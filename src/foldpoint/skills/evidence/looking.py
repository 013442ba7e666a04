"""What of a long text is looked at, and the pieces that it is made of."""

import re
from collections.abc import Iterator

import msgspec


class Reach(msgspec.Struct, frozen=True):
    """How much of a text is looked at.

    whole: characters of a text that is looked at as a whole; of a longer one the ends, places of faults and samples.
    samples: windows at equal distances; most: windows in all.
    """

    whole: int = 12_288
    end: int = 1_792
    window: int = 384
    samples: int = 5
    most: int = 8


LINE = Reach()
"""For the line of a sealed turn."""
BACK = 65_536
"""Characters in front of the end in which the last signs of faults are looked for."""
ALIGNED = 200
"""Characters that a window begins earlier to begin with a line."""
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


def looked_at(text: str, reach: Reach = LINE) -> list[tuple[int, int]]:
    """Where a text is looked at: all of it, or its ends and what stands around faults and at equal distances."""
    if len(text) <= reach.whole:
        return [(0, len(text))]
    last = len(text) - reach.end
    windows = [(0, reach.end)]
    for place in sorted(_places(text, reach, last)[: reach.most]):
        start = max(text.rfind("\n", max(0, place - ALIGNED), place) + 1 or place, windows[-1][1])
        if start < min(place + reach.window, last):
            windows.append((start, min(place + reach.window, last)))
    return [*windows, (max(windows[-1][1], text.rfind("\n", last - ALIGNED, last) + 1 or last), len(text))]


def _places(text: str, reach: Reach, last: int) -> list[int]:
    """Where windows begin: at the first and the last signs of faults, and at equal distances."""
    step = (last - reach.end) // reach.samples
    signs = [text.find(sign, reach.end, last) for sign in SIGNS]
    signs += [text.rfind(sign, max(reach.end, last - BACK), last) for sign in SIGNS]
    found = list(dict.fromkeys([max(reach.end, at - reach.window // 4) for at in signs if at > 0]))
    return found[: reach.most - reach.samples // 2] + [reach.end + step * at for at in range(reach.samples)]
