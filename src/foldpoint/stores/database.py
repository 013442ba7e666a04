"""The seam under both databases: SQL is written once, against this; what differs is said here."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

Row = tuple[Any, ...]


class Insert(msgspec.Struct, frozen=True):
    """Rows for a table, each with a value for each of the columns."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[Row]


class Dialect(msgspec.Struct, frozen=True):
    """What is spelled differently: the UTC day of the column `time`, and the rows of a SELECT that nobody else changes
    at this moment."""

    day: str
    skip_locked: str


class Database(Protocol):
    """Runs SQL in which `?` stands for a value. Every method blocks, may be called from several threads at once, and
    raises StoreError when the database fails. Values are as `columns.held` gives them."""

    @property
    def dialect(self) -> Dialect: ...

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query finds."""

    def insert(self, *inserts: Insert) -> None:
        """Add all rows or none. A row whose primary key is there already is left as it is."""

    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement that changes rows; how many they were."""

    def close(self) -> None:
        """Let go of the database."""
