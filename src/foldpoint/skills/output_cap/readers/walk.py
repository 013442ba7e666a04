"""A JSON text in units, found from its raw values: what is kept keeps the caller's spelling."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from foldpoint.skills.evidence.looking import looked_at
from foldpoint.skills.evidence.records import odd_rows
from foldpoint.skills.evidence.weighing import weighed

from ..units import CAP, FORCED, Sort, Unit
from .rows import Rows, long_rows, rows_of

LONG = 240
"""Characters above which a string is read by its sentences."""
LARGE = 480
"""Characters above which a row or a member is read by what is in it."""
MANY = 512
"""Members of an object at most, and rows of an array up to which all are read.

Of more rows the ends, some at equal distances, and those of odd length or without a usual member are.
"""
ENDS, SAMPLES, LENGTHS = 8, 48, 32
"""Of a longer array: rows at each end, at equal distances, and of odd lengths or without a usual member at most."""
USUAL, LONG_ARRAY = 0.9, 4_096
"""Share of a sample from which a member is the usual one, and rows up to which two such members are looked for."""
LONG_TEXT = 65_536
"""Characters of an array from which its rows are found by what stands between the first two."""
DEEPEST = 6
ODD = 10.0
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
        rows = (long_rows(said) if len(said) > LONG_TEXT else None) or rows_of(said)
        count = len(rows.pieces)
        if count:
            self._to(start + rows.start(0), FORCED)
        shown = _shown(said, rows)
        worth = _odd(said, rows, shown)
        for number, after in zip(shown, [*shown[1:], count], strict=True):
            place, ends = start + rows.start(number), start + rows.end(number)
            follows = start + rows.start(number + 1) if number + 1 < count else ends
            if ends - place > LARGE:
                self._value(place, said[place - start : ends - start], depth + 1)
                self._to(follows, FORCED)
            else:
                self._to(follows, FORCED if number in (0, count - 1) else worth.get(number, 0.0), "row")
            if after > number + 1:
                self._to(start + rows.start(after), 0.0, "rows", after - number - 1)

    def _object(self, start: int, said: str, depth: int) -> None:
        at = start + 1
        members = _MEMBERS.decode(said.encode())
        if len(members) > MANY:
            raise msgspec.DecodeError("more members than are read one by one")
        for value in members.values():
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


def _shown(said: str, rows: Rows) -> list[int]:
    """The rows of an array that are read."""
    count = len(rows.pieces)
    if count <= MANY:
        return list(range(count))
    some = sorted({*range(ENDS), *range(count - ENDS, count), *range(0, count, count // SAMPLES)})
    lengths = sorted([len(rows.pieces[number]) for number in some])
    least, most = lengths[len(lengths) // 2] // 2, lengths[len(lengths) // 2] * 2
    far = [number for number, piece in enumerate(rows.pieces) if not least <= len(piece) <= most][:LENGTHS]
    return sorted({*some, *far, *_unusual(said, rows, some)})


def _unusual(said: str, rows: Rows, sample: Sequence[int]) -> set[int]:
    """Rows without a member that nearly all of a sample have."""
    read = [row for row in _decoded(said, rows, sample) if isinstance(row, dict)]
    members = [(key, value) for row in read for key, value in row.items() if isinstance(value, str)]
    usual = [
        member
        for member, times in Counter(members).most_common(2 if len(rows.pieces) <= LONG_ARRAY else 1)
        if times >= USUAL * len(read)
    ]
    found: set[int] = set()
    for key, value in usual:
        colon = ": " if f'"{key}": ' in rows.pieces[sample[0]] else ":"
        form = f'"{key}"{colon}{msgspec.json.encode(value).decode()}'
        if said.count(form) < len(rows.pieces):
            found.update([number for number, piece in enumerate(rows.pieces) if form not in piece][:LENGTHS])
    return found


def _odd(said: str, rows: Rows, shown: Sequence[int]) -> dict[int, float]:
    """What the odd rows among those shown are worth."""
    read = list(zip(shown, _decoded(said, rows, shown), strict=True))
    numbered = [(number, row) for number, row in read if isinstance(row, dict)]
    found = odd_rows([row for _, row in numbered]) if len(numbered) == len(read) > 4 else ()
    return {numbered[at][0]: ODD + sum(scores.values()) for at, scores in found}


def _decoded(said: str, rows: Rows, numbers: Sequence[int]) -> list[Any]:
    return [msgspec.json.decode(said[rows.start(number) : rows.end(number)].encode()) for number in numbers]
