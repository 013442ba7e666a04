"""A long text within a number of characters: a pure function of the text, so that nothing cached ever moves."""

import msgspec

from foldpoint.skills.evidence.gaps import ending

from .covering import chosen
from .reading import lines_read, read
from .spelling import spelled, told_room
from .units import Reading, ends_of, with_ends

GAP, ROW_GAP = 2, 14
"""Characters that a gap takes: between lines and sentences, and between rows of JSON."""


def capped(text: str, most: int, call_id: str = "") -> str:
    """At most `most` characters of the text, what is left out said at the end; a text that fits comes back as it is.

    call_id: the call that a reader asks `recall` for; without one the end does not name it.
    """
    if len(text) <= most:
        return text
    room = most - len(ending(len(text), call_id))
    if room <= 0:
        return ending(len(text), call_id)[-most:] if most > 0 else ""
    said, kept = told(text, room)
    return said + ending(len(text) - kept, call_id)


def told(text: str, room: int) -> tuple[str, int]:
    """(what is said of a text in at most `room` characters, how many of these are its own)."""
    reading = read(text)
    found = _kept(text, reading, room)
    if found is None:
        reading = lines_read(text)
        found = _kept(text, reading, room)
    reading, taken = found or (reading, [])
    return spelled(text, reading, taken, room)


def _kept(text: str, reading: Reading, room: int) -> tuple[Reading, list[int]] | None:
    """The reading with its ends cut to length, and the units of it to keep; None where it does not fit."""
    room -= told_room(room)
    ends = ends_of(reading.units, room)
    units = with_ends(text, reading.units, ends)
    gap = ROW_GAP if any(unit.sort in ("row", "rows", "member") for unit in units) else GAP
    taken = chosen(text, units, room, gap, ends, int(reading.share * room))
    return None if taken is None else (msgspec.structs.replace(reading, units=units), taken)
