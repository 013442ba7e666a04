"""Faults of a database file, said as a StoreError: what, where and the mend."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .base import StoreError

AWAY = "choose another store.url or move the file away"
ALLOWED = "choose a store.url where this user may write, or change who may"
ROOM = "make room on the disk"
MENDS = {
    sqlite3.SQLITE_NOTADB: AWAY,
    sqlite3.SQLITE_CORRUPT: AWAY,
    sqlite3.SQLITE_CANTOPEN: ALLOWED,
    sqlite3.SQLITE_READONLY: ALLOWED,
    sqlite3.SQLITE_PERM: ALLOWED,
    sqlite3.SQLITE_FULL: ROOM,
    sqlite3.SQLITE_BUSY: "end the other program that holds the file, or choose another store.url",
}
FAULTS = (sqlite3.Error, OverflowError, UnicodeError)


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Say every fault of the database at `path` as a StoreError."""
    try:
        yield
    except FAULTS as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest its detail
        mend = f": {MENDS[code]}" if code in MENDS else ""
        raise StoreError(f"{path}: {error}{mend}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}: {ALLOWED}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A transaction that is rolled back when the block fails; the connection must be in autocommit.

    The fault of the block is what is raised: a full disk has ended the transaction by itself, and then there is nothing
    to roll back.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
