"""Records in one SQLite file: the embedded store."""

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from foldpoint.core.record import Record

from .base import By, Kept, Page, Savings, SessionSums, Sums
from .columns import COLUMNS, clean_row_of, record_of, row_of
from .cursor import cursor_at, place_of
from .faults import faults, transaction
from .migrate import check_ours, migrate_sqlite, migrations

BUSY_SECONDS = 10.0
NAMED = ", ".join(f"request.{name}" for name in COLUMNS)
REQUEST = f"request ({', '.join(COLUMNS)})"
BODY = "body (id, time, messages)"
Row = tuple[Any, ...]
UNHELD = (UnicodeError, OverflowError)
"""What SQLite says to a text that is no Unicode and to a number of more than 64 bits."""
MOST_VALUES = 999
"""Values that one statement may hold in any SQLite."""
SUMS = """COUNT(*), COALESCE(SUM(verdict = 'compacted'), 0), COALESCE(SUM(tokens_before), 0),
    COALESCE(SUM(tokens_after), 0), COALESCE(SUM(tokens_saved), 0), COALESCE(SUM(tokens_would_save), 0),
    COALESCE(SUM(input), 0), COALESCE(SUM(cache_read), 0), COALESCE(SUM(cache_write), 0), COALESCE(SUM(output), 0),
    COUNT(cost + cost_without), SUM(cost + 0 * cost_without), SUM(cost_without + 0 * cost)"""
GROUPS: dict[By | None, str] = {
    None: "'all'",
    "model": "model",
    "session": "session",
    "day": "date(time, 'unixepoch')",
}


class SqliteStore:
    """Implements RecordStore on the file at `path`, made when it is missing, readable by its owner alone.

    One connection writes and one reads (the file is in WAL mode, so neither waits for the other). Several processes
    may share the file. Raises StoreError when it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing, self._reading = threading.Lock(), threading.Lock()
        with faults(path):
            _make_file(path)
            self._writer = _connect(path)
            try:
                migrate_sqlite(self._writer, migrations("sqlite"))
            except BaseException:
                self._writer.close()
                raise
            self._reader = _connect(path)

    def add(self, batch: list[Kept]) -> None:
        """Write the batch, all of it or nothing. A record whose id is there already is left as it is."""
        with faults(self.path):
            bodies = [
                (kept.record.id, kept.record.time, zlib.compress(kept.messages, 1))
                for kept in batch
                if kept.messages is not None
            ]
            try:
                self._write(batch, row_of, bodies)
            except UNHELD:  # seldom, so that looking for it in every record would cost more
                self._write(batch, clean_row_of, bodies)

    def requests(
        self,
        tenant: str,
        *,
        session: str | None = None,
        verdict: str | None = None,
        since: float | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page:
        """Records, newest first. Raises BadCursor for a cursor that is none of ours."""
        where = "tenant = ?"
        values: list[Any] = [tenant]
        for condition, value in (("session = ?", session), ("verdict = ?", verdict), ("time >= ?", since)):
            if value is not None:
                where += f" AND {condition}"
                values.append(value)
        if cursor is not None:
            where += " AND (time, id) < (?, ?)"
            values += place_of(cursor)
        rows = self._rows(
            f"SELECT {NAMED} FROM request WHERE {where} ORDER BY time DESC, id DESC LIMIT ?", (*values, limit + 1)
        )
        records = [record_of(row) for row in rows[:limit]]
        more = len(rows) > limit and records
        return Page(records, cursor_at(records[-1].time, records[-1].id) if more else None)

    def request(self, tenant: str, id: str, messages: bool = False) -> Kept | None:
        """One record, with its folded body when asked for; None when the tenant has no such record."""
        body, join = ("body.messages", "LEFT JOIN body USING (id)") if messages else ("NULL", "")
        rows = self._rows(f"SELECT {NAMED}, {body} FROM request {join} WHERE id = ? AND tenant = ?", (id, tenant))
        if not rows:
            return None
        *row, compressed = rows[0]
        with faults(self.path):
            return Kept(record_of(tuple(row)), None if compressed is None else zlib.decompress(compressed))

    def sessions(self, tenant: str, limit: int = 100) -> list[SessionSums]:
        """The sessions with the newest requests, newest first."""
        rows = self._rows(
            f"SELECT session, MIN(time), MAX(time), COUNT(DISTINCT transcript), {SUMS} FROM request"
            " WHERE tenant = ? GROUP BY session ORDER BY MAX(time) DESC, session LIMIT ?",
            (tenant, limit),
        )
        return [SessionSums(name, first, last, count, Sums(*sums)) for name, first, last, count, *sums in rows]

    def session(self, tenant: str, session: str, limit: int = 1000) -> list[Record]:
        """The newest records of one session, oldest first; empty when the tenant has no such session."""
        return self.requests(tenant, session=session, limit=limit).records[::-1]

    def savings(self, tenant: str, by: By | None = None) -> list[Savings]:
        """The figures by model, session or day (UTC), the newest first; without `by` one row of all, named `all`."""
        rows = self._rows(
            f"SELECT {GROUPS[by]} AS name, {SUMS} FROM request WHERE tenant = ? GROUP BY name"
            " ORDER BY MAX(time) DESC, name LIMIT 1000",
            (tenant,),
        )
        return [Savings(row[0], Sums(*row[1:])) for row in rows]

    def ping(self) -> None:
        """Raise StoreError when the store cannot be reached."""
        self._rows("SELECT 1 FROM request LIMIT 1", ())

    def purge(self, before: float) -> int:
        """Forget the folded bodies of requests before that time (the records stay); how many they were."""
        with faults(self.path), self._writing, transaction(self._writer) as connection:
            return connection.execute("DELETE FROM body WHERE time < ?", (before,)).rowcount

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()

    def _write(self, batch: list[Kept], row: Callable[[Record], Row], bodies: list[Row]) -> None:
        with self._writing, transaction(self._writer) as connection:
            _insert(connection, REQUEST, len(COLUMNS), (row(kept.record) for kept in batch))
            _insert(connection, BODY, 3, bodies)

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with faults(self.path), self._reading:
            return self._reader.execute(query, values).fetchall()


def _insert(connection: sqlite3.Connection, table: str, width: int, rows: Iterable[Row]) -> None:
    """Add rows of so many columns that are not there, many with one statement.

    With each statement the thread lets go of the interpreter and has to win it back from the event loop, which one for
    each row would make slow; and between two it keeps it for a moment only.
    """
    left = iter(rows)
    while some := list(islice(left, MOST_VALUES // width)):
        marks = ", ".join([f"({', '.join('?' * width)})"] * len(some))
        connection.execute(f"INSERT OR IGNORE INTO {table} VALUES {marks}", list(chain.from_iterable(some)))


def _make_file(path: Path) -> None:
    """Make the file, if it is missing, for its owner alone: conversations lie in it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to the file, which is left as it is where it is not ours."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        check_ours(connection)
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # what is purged is gone, not only out of sight
    except BaseException:
        connection.close()
        raise
    return connection


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
