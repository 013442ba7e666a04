"""A text as the units of it that are kept, with a sign in every gap."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from foldpoint.core.text import ELLIPSIS
from foldpoint.skills.evidence.gaps import more

from .units import Reading, Unit

Told = Callable[[int, int], str]
"""What lines are left out between two places."""
TOLD, LEAST = 0.08, 40
"""The part of the room that is for what gaps say, and the characters that are at least."""
FEW = 8
"""Lines that are left out without saying how many."""


def told_room(room: int) -> int:
    """Characters of the room that are for what gaps say."""
    return max(LEAST, int(TOLD * room))


def spelled(text: str, reading: Reading, taken: Sequence[int], room: int) -> tuple[str, int]:
    """(the text, characters of the original in it): at most `room`; the last ones taken go where it is too long, and
    where even a gap alone is, it is cut."""
    kept, told = list(taken), cache(lambda at, end: reading.told(text, at, end))  # tries share most of their gaps
    while True:
        said = "".join(_parts(text, reading.units, sorted(kept), told, told_room(room)))
        if len(said) <= room or not kept:
            return said[:room], sum([reading.units[number].end - reading.units[number].start for number in kept])
        kept.pop()


def _parts(text: str, units: Sequence[Unit], kept: Sequence[int], told: Told, room: int) -> Iterable[str]:
    """The kept units and what stands between them."""
    gaps = [(before + 1, after) for before, after in zip([-1, *kept], [*kept, len(units)], strict=True)]
    says = _says(text, units, [gap for gap in gaps if gap[0] < gap[1]], told, room)
    for start, after in gaps:
        if start < after:
            yield _gap(text, units, start, after, says.get(start, ""))
        if after < len(units):
            yield text[units[after].start : units[after].end]


def _says(text: str, units: Sequence[Unit], gaps: Sequence[tuple[int, int]], told: Told, room: int) -> dict[int, str]:
    """What the largest gaps say, by where they begin."""
    found: dict[int, str] = {}
    sizes = sorted([(units[start].start - units[after - 1].end, start, after) for start, after in gaps])
    for size, start, after in sizes:
        at, end = units[start].start, units[after - 1].end
        if room <= 0 or -size < FEW:
            break
        if units[start].sort in ("", "unseen") and (not at or text[at - 1] == "\n"):
            said = told(at, end)
            if said and len(said) < room and not _few(text, at, end):
                found[start] = said
                room -= len(said) + 1
    return found


def _few(text: str, at: int, end: int) -> bool:
    """Are there fewer lines than one says the number of?"""
    for _ in range(FEW):
        at = text.find("\n", at, end) + 1
        if not at:
            return True
    return False


def _gap(text: str, units: Sequence[Unit], start: int, after: int, said: str) -> str:
    """What stands for the units from `start` to `after`."""
    sort, count = units[start].sort, sum([unit.count for unit in units[start:after]])
    if sort in ("row", "rows"):
        return f'"{more(count)}", '
    if sort == "member":
        return f'"{ELLIPSIS}": {count}, '
    begins = not units[start].start or text[units[start].start - 1] == "\n"
    last = after == len(units)
    ends = not last and text[units[after].start - 1] == "\n"
    said = f"{ELLIPSIS} {said}" if said and begins else ELLIPSIS
    return said if last or not (ends or (begins and said != ELLIPSIS)) else said + "\n"
