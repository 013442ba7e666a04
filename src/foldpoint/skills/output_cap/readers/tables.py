"""Tables: aligned columns, CSV and Markdown: the header, and rows with a cell that is not like its column."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from foldpoint.skills.evidence.records import odd_rows

from .reader import Lines, alike, share

_ALIGNED = re.compile(r" {2,}|\t+")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?\Z")
_SPLITS: tuple[Callable[[str], list[str]], ...] = (
    lambda line: line.strip(" |").split("|") if line.count("|") > 1 else [],
    lambda line: line.split("\t"),
    lambda line: line.split(","),
    lambda line: _ALIGNED.split(line.strip()),
)
COLUMNS = 3
"""Columns that a table has at least."""
LIKE = 0.75
"""Share of the lines that must have as many cells."""


def _split_of(lines: Sequence[str]) -> tuple[Callable[[str], list[str]], int] | None:
    """How the lines fall into cells, and into how many; None where they are no table."""
    for split in _SPLITS:
        counts = Counter([len(split(line)) for line in lines])
        cells, times = counts.most_common(1)[0] if counts else (0, 0)
        if cells >= COLUMNS and times >= LIKE * len(lines):
            return split, cells
    return None


def _fits(lines: Sequence[str]) -> bool:
    return len(lines) >= COLUMNS and share(lines, lambda line: len(line) <= 240) > LIKE and _split_of(lines) is not None


def _weigh(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    found = _split_of([line for line in lines if line][::4])
    worth = [0.0] * len(lines)
    if found is None:
        return alike(lines)
    split, count = found
    cells = [(number, each) for number, line in enumerate(lines) if len(each := split(line)) == count]
    rows = [{str(at): _value(cell) for at, cell in enumerate(each)} for _, each in cells[1:]]
    for number, scores in odd_rows(rows):
        worth[cells[number + 1][0]] = sum(scores.values()) + 10.0
    return worth, [""] * len(lines)


def _value(cell: str) -> object:
    cell = cell.strip()
    return float(cell) if _NUMBER.match(cell) else cell


def _told(text: str, start: int, end: int) -> str:
    return f"{text.count(chr(10), start, end)} rows"


READER = Lines(fits=_fits, weigh=_weigh, told=_told)
