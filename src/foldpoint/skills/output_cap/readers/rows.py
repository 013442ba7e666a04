"""Where the rows of a JSON array stand in its text."""

import re
from collections.abc import Sequence
from itertools import accumulate

import msgspec

_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_BETWEEN = re.compile(r"\}\s{0,40},\s{0,40}\{")
MOST = 20_000
"""Values of an array that are read one by one."""
CHECKED = 24
"""Rows of a long array that are looked at, whether they are rows indeed."""


class Rows(msgspec.Struct, frozen=True):
    """The rows of an array: what stands there, nearly all of it, and where.

    before: characters of the rows in front of each, and of all; first: where the first one begins; between: characters
    between two rows; outside: of these, what is the rows' own at each side (`}` and `{`); places: where each begins,
    where that is not as regular.
    """

    pieces: Sequence[str]
    before: Sequence[int]
    first: int = 0
    between: int = 0
    outside: int = 0
    places: Sequence[int] = ()

    def start(self, number: int) -> int:
        """Where a row begins."""
        if self.places:
            return self.places[number]
        return self.first + self.before[number] + number * self.between - (self.outside if number else 0)

    def end(self, number: int) -> int:
        """Where a row ends."""
        if self.places:
            return self.places[number] + len(self.pieces[number])
        begins = self.first + self.before[number + 1] + number * self.between
        return begins + (self.outside if number + 1 < len(self.pieces) else 0)


def rows_of(said: str) -> Rows:
    """The rows of an array. Raises msgspec.DecodeError where the text is none, or too many values to be read singly."""
    if said.count(",") > MOST:
        raise msgspec.DecodeError("more values than are read one by one")
    pieces = [bytes(row).decode() for row in _ROWS.decode(said.encode())]
    places, at = [], 1
    for piece in pieces:
        at = said.index(piece, at)
        places.append(at)
        at += len(piece)
    return Rows(pieces, (), places=places)


def long_rows(said: str) -> Rows | None:
    """The same for a long array of objects with the same signs between them, which takes no reading of all of it."""
    between = _BETWEEN.search(said, 0, 65_536)
    first = len(said) - len(said[1:].lstrip(" \n\r\t"))
    if between is None or said[first : first + 1] != "{":
        return None
    sign = between.group()
    pieces = said[first:-1].rstrip(" \n\r\t").split(sign)
    found = Rows(pieces, list(accumulate(map(len, pieces), initial=0)), first, len(sign), 1)
    return found if _are(said, found) else None


def _are(said: str, rows: Rows) -> bool:
    """Is each of some of the rows an object by itself?"""
    count = len(rows.pieces)
    for number in {0, count - 1, *range(0, count, count // CHECKED + 1)}:
        try:
            row = msgspec.json.decode(said[rows.start(number) : rows.end(number)].encode())
        except (msgspec.DecodeError, RecursionError):
            return False
        if not isinstance(row, dict):
            return False
    return True
