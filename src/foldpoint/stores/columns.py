"""The columns of a record, in one order for every store that keeps rows."""

from operator import attrgetter
from typing import Any

import msgspec

from foldpoint.core.record import Record
from foldpoint.core.usage import Usage

MOST = 2**63 - 1
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


def clean_row_of(record: Record) -> tuple[Any, ...]:
    """The same, each value one that a database can hold."""
    return tuple(map(_held, row_of(record)))


def record_of(row: tuple[Any, ...]) -> Record:
    """The record that `row_of` made the row of."""
    billed = row[len(PLAIN) :]
    usage = None if billed[0] is None else Usage(*billed)
    return Record(**dict(zip(PLAIN, row[: len(PLAIN)], strict=True)), usage=usage)


def cleaned(record: Record) -> Record:
    """The record itself, or where a text of it is no Unicode (headers may carry that) one that can be written down."""
    billed = () if record.usage is None else msgspec.structs.astuple(record.usage)
    wholes = (*_wholes(record), *billed)
    plain = "".join(_texts(record)).isascii() and min(wholes) >= -MOST and max(wholes) <= MOST
    return record if plain else record_of(clean_row_of(record))


def _held(value: Any) -> Any:
    """The value, lone surrogates replaced and whole numbers within 64 bits."""
    if isinstance(value, str) and not value.isascii():
        clean = value.encode("utf-8", "replace").decode()
        return value if clean == value else clean
    if isinstance(value, int) and abs(value) > MOST:
        return MOST if value > 0 else -MOST
    return value
