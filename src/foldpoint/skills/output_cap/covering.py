"""Which units are kept: the ends, the evidence, and then those that tell most that is not told yet."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import sqrt

from .telling import telling
from .units import FORCED, UNSEEN, Ends, Unit

SHARE = 0.5
"""The part of the room that evidence gets at most before everything else is looked at for what it tells."""
LEAST = 10.0
"""What a unit must be worth to be evidence."""
EVEN = 8
"""Characters that are added to a unit's length, so that the shortest ones do not win by that alone."""


class Covering:
    """What is kept so far, in the order in which it was taken."""

    def __init__(self, text: str, units: Sequence[Unit], room: int, gap: int) -> None:
        self.units, self.room, self.gap = units, room, gap
        self.taken: dict[int, None] = {}
        self.words = telling([text[unit.start : unit.end] if unit.sort not in UNSEEN else "" for unit in units])
        for unit, words in zip(units, self.words, strict=True):
            if unit.like:
                words.add(unit.like)
        self.told: set[str] = set()

    def take(self, number: int, least: int = 0) -> bool:
        """Keep a unit if that leaves so much room."""
        unit = self.units[number]
        cost = unit.end - unit.start + self.gap
        if number in self.taken or unit.sort in UNSEEN or self.room - cost < least:
            return False
        self.taken[number] = None
        self.room -= cost
        self.told |= self.words[number]
        return True

    def forced(self) -> bool:
        """Keep what holds the others together; is there room for it?"""
        return all(self.take(number) for number, unit in enumerate(self.units) if unit.worth >= FORCED)

    def ends(self, ends: Ends) -> None:
        """Keep the first and the last units, as many as have so many characters in all."""
        for order, most in ((range(len(self.units)), ends.head), (reversed(range(len(self.units))), ends.tail)):
            for number in order:
                unit = self.units[number]
                most -= unit.end - unit.start
                if most < 0 or (number not in self.taken and not self.take(number)):
                    break
                self.room += self.gap

    def evidence(self, room: int) -> None:
        """Keep the units that are worth most for their length, in so much room."""
        worth = [(-_dear(unit), number) for number, unit in enumerate(self.units) if LEAST <= unit.worth < FORCED]
        least = self.room - room
        for _, number in sorted(worth):
            self.take(number, least)

    def rest(self) -> None:
        """Keep the units that tell most that is not told yet, for their length."""
        left = [(-self._told(number), number) for number in range(len(self.units)) if number not in self.taken]
        heapify(left)
        while left and self.room > self.gap:
            best, number = heappop(left)
            told = -self._told(number)
            if told >= 0.0:
                continue
            if told > best and left and told > left[0][0]:
                heappush(left, (told, number))
            else:
                self.take(number)

    def fill(self) -> None:
        """Use what room is left in the order of the text, but not for what is like something that is there."""
        for number, unit in enumerate(self.units):
            if self.room <= EVEN + self.gap:
                break
            if unit.like not in self.told:
                self.take(number)

    def _told(self, number: int) -> float:
        """What a unit tells for its length: words that are not told yet, and that it is evidence."""
        unit = self.units[number]
        return (len(self.words[number] - self.told) + (unit.worth >= LEAST)) / (unit.end - unit.start + EVEN)


def _dear(unit: Unit) -> float:
    return unit.worth / sqrt(24 + unit.end - unit.start)


def chosen(text: str, units: Sequence[Unit], room: int, gap: int, ends: Ends, used: int) -> list[int] | None:
    """The numbers of the units to keep, the dearest first; None where there is no room for what must be kept.

    used: characters of the room that are used where there is not more evidence than that.
    """
    covering = Covering(text, units, room, gap)
    if not covering.forced():
        return None
    covering.ends(ends)
    covering.evidence(min(int(SHARE * room), covering.room))
    covering.room -= room - used
    covering.rest()
    covering.fill()
    return list(covering.taken)
