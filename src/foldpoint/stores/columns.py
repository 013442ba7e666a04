"""The columns of a record, in one order for every store that keeps rows, and the values that a column can hold."""

from operator import attrgetter
from typing import Any

import msgspec

from foldpoint.core.record import Record
from foldpoint.core.usage import MOST, Usage

NUL = "\0"
USAGE = Usage.__struct_fields__
PLAIN = tuple(name for name in Record.__struct_fields__ if name != "usage")
COLUMNS = (*PLAIN, *USAGE)
NOT_BILLED = (None,) * len(USAGE)
_plain = attrgetter(*PLAIN)
_texts = attrgetter(*(field.name for field in msgspec.structs.fields(Record) if field.type is str))
_wholes = attrgetter(*(field.name for field in msgspec.structs.fields(Record) if field.type is int))


def row_of(record: Record) -> tuple[Any, ...]:
    """The record's values in the order of `COLUMNS`, as they are."""
    billed = NOT_BILLED if record.usage is None else msgspec.structs.astuple(record.usage)
    return (*_plain(record), *billed)


def record_of(row: tuple[Any, ...]) -> Record:
    """The record that `row_of` made the row of."""
    billed = row[len(PLAIN) :]
    usage = None if billed[0] is None else Usage(*billed)
    return Record(**dict(zip(PLAIN, row[: len(PLAIN)], strict=True)), usage=usage)


def cleaned(record: Record) -> Record:
    """The record itself, or where a value of it is none that every database holds, one that has its place."""
    billed = () if record.usage is None else msgspec.structs.astuple(record.usage)
    wholes = (*_wholes(record), *billed)
    texts = "".join(_texts(record))
    plain = texts.isascii() and NUL not in texts and min(wholes) >= -MOST and max(wholes) <= MOST
    return record if plain else record_of(tuple(map(held, row_of(record))))


def held(value: Any) -> Any:
    """The value as every database holds it: `?` for NUL and for what is no Unicode (headers may carry that), whole
    numbers within `MOST`."""
    if isinstance(value, str):
        clean = value if value.isascii() else value.encode("utf-8", "replace").decode()
        return clean.replace(NUL, "?")
    if isinstance(value, int) and abs(value) > MOST:
        return MOST if value > 0 else -MOST
    return value
