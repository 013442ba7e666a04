"""The columns of a record, in one order for every store that keeps rows."""

from typing import Any

import msgspec

from foldpoint.core.record import Record
from foldpoint.core.usage import Usage

MOST = 2**63 - 1
USAGE = Usage.__struct_fields__
PLAIN = tuple(name for name in Record.__struct_fields__ if name != "usage")
COLUMNS = (*PLAIN, *USAGE)


def row_of(record: Record) -> tuple[Any, ...]:
    """The record's values in the order of `COLUMNS`, each one that a database can hold."""
    usage = record.usage
    billed = (None,) * len(USAGE) if usage is None else tuple(_held(getattr(usage, name)) for name in USAGE)
    return (*(_held(getattr(record, name)) for name in PLAIN), *billed)


def record_of(row: tuple[Any, ...]) -> Record:
    """The record that `row_of` made the row of."""
    billed = row[len(PLAIN) :]
    usage = None if billed[0] is None else Usage(*billed)
    return Record(**dict(zip(PLAIN, row[: len(PLAIN)], strict=True)), usage=usage)


def cleaned(record: Record) -> Record:
    """The record itself, or where a text of it is no Unicode (headers may carry that) one that can be written down."""
    return record_of(row_of(record)) if _odd(record) else record


def _odd(record: Record) -> bool:
    values = [getattr(record, name) for name in PLAIN]
    values += [] if record.usage is None else msgspec.structs.astuple(record.usage)
    return any(_held(value) is not value for value in values)


def _held(value: Any) -> Any:
    """The value, lone surrogates replaced and whole numbers within 64 bits."""
    if isinstance(value, str) and not value.isascii():
        clean = value.encode("utf-8", "replace").decode()
        return value if clean == value else clean
    if isinstance(value, int) and abs(value) > MOST:
        return MOST if value > 0 else -MOST
    return value
