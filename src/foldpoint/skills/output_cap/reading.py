"""Which reader a text gets: the first that says it is of its kind."""

from collections.abc import Sequence

from foldpoint.skills.evidence.weighing import Weighed

from .readers import code, diffs, listings, logs, outcomes, prose, records, tables
from .readers.reader import Lines
from .units import Reading, Unit, lines_of, partition

READERS: tuple[Lines, ...] = (
    diffs.READER,
    records.READER,
    outcomes.READER,
    listings.READER,
    logs.READER,
    code.READER,
    tables.READER,
    prose.READER,
)
FIRST, SAMPLE = 4, 24
"""Lines by which it is decided: so many first ones, and at most so many at equal distances."""


def read(text: str) -> Reading:
    """The text in units, as the reader for its kind sees it."""
    reading = records.read(text)
    return reading if reading is not None else lines_read(text)


def lines_read(text: str) -> Reading:
    """The text by its lines."""
    windows = list(lines_of(text))
    lines = [text[each.start : each.end] for window in windows for each in window]
    reader = reader_of(lines)
    worth, likes = reader.weigh(lines)
    at = 0
    found = []
    for window in windows:
        found.append(_units(window, worth[at : at + len(window)], likes[at : at + len(window)]))
        at += len(window)
    return Reading(partition(text, found), reader.told, reader.share)


def _units(window: Sequence[Weighed], worth: Sequence[float], likes: Sequence[str]) -> list[Unit]:
    return [
        Unit(each.start, each.end, each.worth + more, like=like)
        for each, more, like in zip(window, worth, likes, strict=True)
    ]


def reader_of(lines: Sequence[str]) -> Lines:
    """The reader for lines of such a kind."""
    said = [line for line in lines if line and not line.isspace()]
    sample = said[:FIRST] + said[FIRST :: len(said) // SAMPLE + 1]
    return next(reader for reader in READERS if reader.fits(sample))
