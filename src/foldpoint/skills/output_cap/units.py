"""The units that a text is kept or left out by: lines, sentences, rows. Together they are the whole text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from foldpoint.core.text import cut
from foldpoint.skills.evidence.looking import Reach, looked_at
from foldpoint.skills.evidence.weighing import Weighed, weighed

CAP = Reach(whole=16_384, end=1_536, window=384, samples=5, most=9)
"""How much of a text the cap looks at."""
FORCED = 1_000.0
"""What a unit is worth that is kept wherever there is room: what holds the others together."""

Sort = Literal["", "row", "member", "rows", "unseen"]


UNSEEN = ("rows", "unseen")


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A part of a text that is kept whole or left out.

    sort: what it is in JSON, which is how a gap is said there; rows, unseen: not looked at, never
    kept. count: rows in it.
    like: what it shares with others of its kind, of which one tells as much as many.
    """

    start: int
    end: int
    worth: float = 0.0
    sort: Sort = ""
    count: int = 1
    like: str = ""


class Reading(msgspec.Struct, frozen=True):
    """A text in units.

    told: what lines are left out between two places of it, empty where that says nothing; share: the part of the room
    that is used where there is no evidence.
    """

    units: list[Unit]
    told: Callable[[str, int, int], str]
    share: float


def lines_of(text: str) -> Iterator[list[Weighed]]:
    """The pieces of every part of a text that is looked at."""
    yield from weighed(text, looked_at(text, CAP))


def partition(text: str, windows: Sequence[Sequence[Unit]]) -> list[Unit]:
    """Units that are the whole text: each reaches to the next, and what no window holds is unseen."""
    units: list[Unit] = []
    at = 0
    for window in windows:
        stop = min(window[-1].end + 1, len(text))
        said = [unit for unit in window if not text[unit.start : unit.end].isspace() and unit.start < unit.end]
        if said and said[0].start > at:
            units.append(Unit(at, said[0].start, sort="unseen"))
        for unit, end in zip(said, [*(each.start for each in said[1:]), stop], strict=False):
            units.append(Unit(unit.start, end, unit.worth, unit.sort, unit.count, unit.like))
            at = end
    if at < len(text):
        units.append(Unit(at, len(text), sort="unseen"))
    return units


class Ends(msgspec.Struct, frozen=True):
    """Characters of the first and the last units that are kept whatever they say."""

    head: int
    tail: int


HEAD, TAIL, LINE = 0.1, 0.1, 0.3
"""Parts of the room that head and tail get, and up to which the first and the last line are kept whole."""


def ends_of(units: Sequence[Unit], room: int) -> Ends:
    """What of the ends is kept in so much room."""
    first, last = units[0].end - units[0].start, units[-1].end - units[-1].start
    line = int(LINE * room)
    return Ends(
        max(int(HEAD * room), first if first <= line else 0), max(int(TAIL * room), last if last <= line else 0)
    )


def with_ends(text: str, units: Sequence[Unit], ends: Ends) -> list[Unit]:
    """The units with the first and the last one cut in two where they are longer than that."""
    found = list(units)
    first = found[0]
    if first.end - first.start > ends.head and not first.sort:
        place = first.start + len(cut(text[first.start : first.start + ends.head + 1], ends.head))
        found[:1] = [msgspec.structs.replace(first, end=place), msgspec.structs.replace(first, start=place)]
    last = found[-1]
    if last.end - last.start > ends.tail and not last.sort:
        place = text.find(" ", last.end - ends.tail, last.end) + 1 or last.end - ends.tail
        found[-1:] = [msgspec.structs.replace(last, end=place), msgspec.structs.replace(last, start=place)]
    return found
