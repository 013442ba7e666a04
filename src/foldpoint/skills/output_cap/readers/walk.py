"""A JSON text in units, found from its raw values: what is kept keeps the caller's spelling."""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import msgspec

from foldpoint.skills.evidence.looking import looked_at
from foldpoint.skills.evidence.records import odd_rows
from foldpoint.skills.evidence.weighing import weighed

from ..units import CAP, FORCED, Sort, Unit

LONG = 240
"""Characters above which a string is read by its sentences."""
LARGE = 480
"""Characters above which a row or a member is read by what is in it."""
MANY = 256
"""Rows of an array up to which all are read; of more the ends, those of odd length and some at equal distances."""
ENDS, SAMPLES, LENGTHS = 8, 48, 16
"""Of a longer array: rows at each end, at equal distances, and of the longest and the shortest."""
DEEPEST = 6
ODD = 10.0
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PART = re.compile(r"\\n|[.!?;] ")
_PIECE = 160


class Walk:
    """A walk through a JSON text from its first character to its last."""

    def __init__(self, text: str) -> None:
        self.text = text if text.isascii() else text.encode("utf-8", "replace").decode()
        self.found: list[Unit] = []
        self.at = 0

    def units(self) -> list[Unit]:
        """The units, which together are the whole text. Raises msgspec.DecodeError where it is no JSON."""
        start = len(self.text) - len(self.text.lstrip(" \n\r\t"))
        self._value(start, self.text[start:].rstrip(" \n\r\t"), 0)
        self._to(len(self.text), FORCED)
        return self.found

    def _to(self, end: int, worth: float = 0.0, sort: Sort = "", count: int = 1) -> None:
        """A unit from where the walk is to `end`."""
        if end > self.at:
            self.found.append(Unit(self.at, end, worth, sort, count))
            self.at = end

    def _value(self, start: int, said: str, depth: int) -> None:
        """A value too large to be kept whole."""
        if said[:1] == "[" and depth < DEEPEST:
            self._array(start, said, depth)
        elif said[:1] == "{" and depth < DEEPEST:
            self._object(start, said, depth)
        else:
            self._string(start, said)

    def _array(self, start: int, said: str, depth: int) -> None:
        rows = [bytes(row).decode() for row in _ROWS.decode(said.encode())]
        places = self._places(start, rows)
        if len(places) > 1:
            self._to(places[0], FORCED)
        shown = _shown(rows)
        worth = _odd(rows, shown)
        last = len(rows) - 1
        for number, after in zip(shown, [*shown[1:], last + 1], strict=True):
            end = places[number + 1] if number < last else places[number] + len(rows[number])
            if len(rows[number]) > LARGE:
                self._value(places[number], rows[number], depth + 1)
                self._to(end, FORCED)
            else:
                self._to(end, FORCED if number in (0, last) else worth.get(number, 0.0), "row")
            if after > number + 1:
                self._to(places[after], 0.0, "rows", after - number - 1)

    def _places(self, start: int, rows: Sequence[str]) -> list[int]:
        """Where the rows of an array begin."""
        first = self.text.find(rows[0], start + 1) if rows else start
        if len(rows) > MANY:
            between = self.text.find(rows[1], first + len(rows[0])) - first - len(rows[0])
            lengths = [len(row) + between for row in rows[:-1]]
            places = list(accumulate(lengths, initial=first))
            if all(self.text.startswith(rows[at], places[at]) for at in range(0, len(rows), 7)):
                return places
        places, at = [], start + 1
        for row in rows:
            at = self.text.index(row, at)
            places.append(at)
            at += len(row)
        return places

    def _object(self, start: int, said: str, depth: int) -> None:
        at = start + 1
        for value in _MEMBERS.decode(said.encode()).values():
            raw = bytes(value).decode()
            begins = self.text.find('"', at, start + len(said))
            self._to(begins, FORCED)
            place = _behind_key(self.text, begins)
            if not self.text.startswith(raw, place):
                raise msgspec.DecodeError("a key stands there twice")
            at = place + len(raw)
            if len(raw) > LARGE or (len(raw) > LONG and raw[:1] == '"'):
                self._to(place, FORCED)
                self._value(place, raw, depth + 1)
                self._to(at, FORCED)
            else:
                follows = self.text.find('"', at, start + len(said))
                self._to(follows if follows > 0 else at, FORCED / 4, "member" if follows > 0 else "")

    def _string(self, start: int, said: str) -> None:
        """A long value by its sentences."""
        self._to(start + 1, FORCED)
        inside = said[1:-1]
        windows = [(start + 1 + begin, start + 1 + end) for begin, end in looked_at(inside, CAP)]
        for begin, end in windows:
            if begin > self.at:
                self._to(begin, 0.0, "unseen")
            parts = list(_parts(self.text, begin, end))
            for (_, until), found in zip(parts, weighed(self.text, parts), strict=True):
                self._to(until, max([each.worth for each in found], default=0.0))
        self._to(start + len(said), FORCED)


def _behind_key(text: str, start: int) -> int:
    """Where the value behind a key begins."""
    key = _KEY.match(text, start)
    return key.end() if key else -1


_KEY = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*', re.DOTALL)


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A string in its lines and sentences, and those in parts."""
    found: list[tuple[int, int]] = []
    for stop in [*[each.end() for each in _PART.finditer(text, start, end)], end]:
        while start < stop:
            found.append((start, min(start + _PIECE, stop)))
            start = found[-1][1]
    return found


def _shown(rows: Sequence[str]) -> list[int]:
    """The rows of an array that are read."""
    count = len(rows)
    if count <= MANY:
        return list(range(count))
    lengths = sorted(range(count), key=lambda number: len(rows[number]))
    some = {*range(ENDS), *range(count - ENDS, count), *range(0, count, count // SAMPLES)}
    return sorted({*some, *lengths[:LENGTHS], *lengths[-LENGTHS:]} | _unusual(rows, sorted(some)))


def _unusual(rows: Sequence[str], sample: Sequence[int]) -> set[int]:
    """Rows without a member that nearly all of a sample have."""
    members = [
        [f'"{key}": {msgspec.json.encode(value).decode()}' for key, value in row.items() if isinstance(value, str)]
        for row in _decoded([rows[number] for number in sample])
        if isinstance(row, dict)
    ]
    counts: dict[str, int] = {}
    for row in members:
        for member in row:
            counts[member] = counts.get(member, 0) + 1
    usual = [member for member, times in counts.items() if times >= USUAL * len(members)][:2]
    found: set[int] = set()
    for member in usual:
        forms = (member, member.replace('": ', '":', 1))
        form = forms[0] if forms[0] in rows[sample[0]] or forms[0] in rows[sample[1]] else forms[1]
        found.update([number for number, row in enumerate(rows) if form not in row][: LENGTHS * 4])
    return found


USUAL = 0.9
"""Share of a sample from which a member is the usual one."""


def _odd(rows: Sequence[str], shown: Sequence[int]) -> dict[int, float]:
    """What the odd rows among those shown are worth."""
    read = list(zip(shown, _decoded([rows[number] for number in shown]), strict=True))
    numbered = [(number, row) for number, row in read if isinstance(row, dict)]
    found = odd_rows([row for _, row in numbered]) if len(numbered) == len(read) > 4 else ()
    return {numbered[at][0]: ODD + sum(scores.values()) for at, scores in found}


def _decoded(rows: Sequence[str]) -> list[Any]:
    return [msgspec.json.decode(row.encode()) for row in rows]
