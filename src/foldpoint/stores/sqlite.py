"""One SQLite file: the embedded database."""

import os
import sqlite3
import threading
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from .base import StoreError
from .database import Dialect, Insert, Row
from .migrate import Migration, migrate, migrations
from .sqlite_faults import AWAY, faults, transaction

APPLICATION = 0x466F6C64
"""What marks an SQLite file as ours: `Fold`."""
BUSY_SECONDS = 10.0
MOST_VALUES = 999
"""Values that one statement may hold in any SQLite."""
DIALECT = Dialect(day="date(time, 'unixepoch')", skip_locked="")


class SqliteDatabase:
    """Implements Database on the file at `path`, made when it is missing, readable by its owner alone.

    One connection writes and one reads (the file is in WAL mode, so neither waits for the other). Several processes
    may share the file. durable: what was written is there after a loss of power. Raises StoreError when it cannot be
    opened.
    """

    dialect = DIALECT

    def __init__(self, path: Path, *, durable: bool = False) -> None:
        self.path = path
        self._writing, self._reading = threading.Lock(), threading.Lock()
        with faults(path):
            _make_file(path)
            self._writer = _connect(path)
            if durable:
                self._writer.execute("PRAGMA synchronous = FULL")
            try:
                migrate_file(self._writer, migrations("sqlite"))
            except BaseException:
                self._writer.close()
                raise
            self._reader = _connect(path)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query finds."""
        with faults(self.path), self._reading:
            return self._reader.execute(query, values).fetchall()

    def insert(self, *inserts: Insert) -> None:
        """Add all rows or none. A row whose primary key is there already is left as it is."""
        with faults(self.path), self._writing, transaction(self._writer) as connection:
            for insert in inserts:
                _insert(connection, insert)

    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement that changes rows; how many they were."""
        with faults(self.path), self._writing, transaction(self._writer) as connection:
            return connection.execute(statement, values).rowcount

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()


def migrate_file(connection: sqlite3.Connection, steps: list[Migration]) -> None:
    """Apply what is missing in one transaction; processes that start together wait for each other.

    The connection must be in autocommit (`isolation_level=None`).
    """

    def run(statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return connection.execute(statement, values).fetchall()

    with transaction(connection):
        if migrate(run, steps, _place(connection)):
            connection.execute(f"PRAGMA application_id = {APPLICATION}")


def _insert(connection: sqlite3.Connection, insert: Insert) -> None:
    """Add rows, many with one statement.

    With each statement the thread lets go of the interpreter and has to win it back from the event loop, which one for
    each row would make slow; and between two it keeps it for a moment only.
    """
    width = len(insert.columns)
    into, marks = f"{insert.table} ({', '.join(insert.columns)})", f"({', '.join('?' * width)})"
    step = MOST_VALUES // width
    for begin in range(0, len(insert.rows), step):
        some = insert.rows[begin : begin + step]
        every = ", ".join([marks] * len(some))
        connection.execute(f"INSERT OR IGNORE INTO {into} VALUES {every}", list(chain.from_iterable(some)))


def _make_file(path: Path) -> None:
    """Make the file, if it is missing, for its owner alone: conversations lie in it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to the file, which is left as it is where it is not ours."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _check_ours(connection)
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # what is purged is gone, not only out of sight
    except BaseException:
        connection.close()
        raise
    return connection


def _check_ours(connection: sqlite3.Connection) -> None:
    """Raise StoreError for a database with tables that are not ours; changes nothing."""
    # In this order: a process that makes the schema just now sets its id with it.
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(f"{_place(connection)}: the tables of another program are in it: {AWAY}")


def _use_wal(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:  # the change of mode does not wait for other processes by itself
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _place(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])
