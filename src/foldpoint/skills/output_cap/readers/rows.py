"""Where the rows of a JSON array stand in its text."""

import re
from collections.abc import Sequence
from itertools import accumulate

import msgspec

_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_BETWEEN = re.compile(r"\}\s{0,40},\s{0,40}\{")
CHECKED = 24
"""Rows of a long array that are looked at, whether they are rows indeed."""


class Rows(msgspec.Struct, frozen=True):
    """The rows of an array: where each begins and ends in its text, and what stands there, or nearly all of it."""

    starts: Sequence[int]
    ends: Sequence[int]
    pieces: Sequence[str]


def rows_of(said: str) -> Rows:
    """The rows of an array. Raises msgspec.DecodeError where the text is none."""
    pieces = [bytes(row).decode() for row in _ROWS.decode(said.encode())]
    starts, at = [], 1
    for piece in pieces:
        at = said.index(piece, at)
        starts.append(at)
        at += len(piece)
    return Rows(starts, [start + len(piece) for start, piece in zip(starts, pieces, strict=True)], pieces)


def long_rows(said: str) -> Rows | None:
    """The same for a long array of objects with the same signs between them, which takes no reading of all of it."""
    between = _BETWEEN.search(said, 0, 65_536)
    first = len(said) - len(said[1:].lstrip(" \n\r\t"))
    if between is None or said[first : first + 1] != "{":
        return None
    sign = between.group()
    pieces = said[first:-1].rstrip(" \n\r\t").split(sign)
    lengths = list(map(len, pieces))
    starts = list(accumulate([length + len(sign) for length in lengths[:-1]], initial=first - 1))
    starts[0] = first
    ends = [*[start - len(sign) + 2 for start in starts[1:]], starts[-1] + lengths[-1] + 1]
    found = Rows(starts, ends, pieces)
    return found if _are(said, found) else None


def _are(said: str, rows: Rows) -> bool:
    """Is each of some of the rows an object by itself?"""
    count = len(rows.starts)
    for number in {0, count - 1, *range(0, count, count // CHECKED + 1)}:
        try:
            row = msgspec.json.decode(said[rows.starts[number] : rows.ends[number]].encode())
        except (msgspec.DecodeError, RecursionError):
            return False
        if not isinstance(row, dict):
            return False
    return True
