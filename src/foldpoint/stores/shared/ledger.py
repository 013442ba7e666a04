"""Counters in SQLite: in memory for one process, in a small file for the workers of one machine.

Each call is one statement and takes less than a hop to a thread would; docs/design/shared.md has the figures.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from limits.aio.storage import SlidingWindowCounterSupport

from .places import Open

TRIES = 50
RETRY_SECONDS = 0.001
"""A file that another process writes to is tried again for about a tenth of a second."""
MEMORY = ":memory:"
T = TypeVar("T")
TABLES = """
CREATE TABLE IF NOT EXISTS used (
    name TEXT PRIMARY KEY, slot INTEGER NOT NULL, current INTEGER NOT NULL, previous INTEGER NOT NULL,
    ends REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place (
    key TEXT NOT NULL, request TEXT NOT NULL, ends REAL NOT NULL, PRIMARY KEY (key, request)
) WITHOUT ROWID;
"""
CURRENT = "iif(slot = :slot, current, 0)"
PREVIOUS = "iif(slot = :slot, previous, iif(slot = :slot - 1, current, 0))"
HIT = f"""INSERT INTO used SELECT :name, :slot, :amount, 0, :ends WHERE :amount <= :limit
ON CONFLICT DO UPDATE SET slot = :slot, current = {CURRENT} + :amount, previous = {PREVIOUS}, ends = :ends
WHERE CAST({PREVIOUS} * :left / :expiry AS INTEGER) + {CURRENT} + :amount <= :limit"""
TAKE = """INSERT INTO place SELECT :key, :request, :ends
WHERE (SELECT COUNT(*) FROM place WHERE key = :key AND ends > :now) < :most
ON CONFLICT DO UPDATE SET ends = :ends"""


class Ledger(SlidingWindowCounterSupport):
    """A storage of `limits` and the places beside it, in one SQLite file (None: in memory).

    Nothing in it is worth a sync: it is what was used in the last minutes. A file that another process is writing to is
    tried again without holding up the loop. For one thread. Raises sqlite3.Error, OSError.
    """

    base_exceptions = sqlite3.Error
    wrap_exceptions = False

    def __init__(self, path: Path | None = None, lease: float = 30.0, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._lease = lease
        self._clock = clock
        self._opened: sqlite3.Connection | None = None
        self._tries = 0
        self._turn = asyncio.Lock()

    async def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count so much, unless that would be more than the limit."""
        now = self._clock()
        slot = int(now // expiry)
        hit = {
            "name": key,
            "slot": slot,
            "amount": amount,
            "limit": limit,
            "left": (slot + 1) * expiry - now,
            "expiry": expiry,
            "ends": (slot + 2.0) * expiry,
        }
        return (await self._run(HIT, hit)).rowcount > 0

    async def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """What was counted before and now, each with the seconds for which it counts."""
        now = self._clock()
        slot = int(now // expiry)
        left = (slot + 1) * expiry - now
        query = f"SELECT {PREVIOUS}, {CURRENT} FROM used WHERE name = :name"
        previous, current = (await self._run(query, {"name": key, "slot": slot})).fetchone() or (0, 0)
        return previous, left, current, left + expiry

    async def clear_sliding_window(self, key: str, expiry: int) -> None:
        """Forget what was counted."""
        await self._run("DELETE FROM used WHERE name = :name", {"name": key})

    async def take(self, key: str, request: str, most: int) -> bool:
        """Take a place of the key, unless so many are taken."""
        now = self._clock()
        place = {"key": key, "request": request, "most": most, "now": now, "ends": now + self._lease}
        return (await self._run(TAKE, place)).rowcount > 0

    async def free(self, key: str, request: str) -> None:
        """Give it back."""
        await self._run("DELETE FROM place WHERE key = :key AND request = :request", {"key": key, "request": request})

    async def renew(self, open: Open) -> None:
        """Say that these requests are still open, and forget all that is over."""
        now = self._clock()
        rows = [(key, request, now + self._lease) for key, requests in open.items() for request in requests]
        await self._transaction(
            [("INSERT OR REPLACE INTO place VALUES (?, ?, ?)", row) for row in rows]
            + [(f"DELETE FROM {table} WHERE ends <= ?", (now,)) for table in ("place", "used")]
        )

    async def ping(self) -> None:
        """Raise what a write would raise."""
        self._tries = 0
        await self._run("DELETE FROM used WHERE name = :name", {"name": ""})

    def close(self) -> None:
        """Let go of the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    async def _run(self, statement: str, values: dict[str, Any]) -> sqlite3.Cursor:
        return await self._while_busy(lambda: self._connection().execute(statement, values))

    async def _transaction(self, statements: Sequence[tuple[str, tuple[Any, ...]]]) -> None:
        connection = await self._while_busy(lambda: _begun(self._connection()))
        try:
            for statement, values in statements:
                connection.execute(statement, values)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    async def _while_busy(self, call: Callable[[], T]) -> T:
        """Call, and call again while another process writes; the loop goes on meanwhile.

        Only the first of those who wait tries again, and when it gives up the others do after one try.
        """
        if not self._turn.locked():
            with suppress(BlockingIOError):
                return self._tried(call)
        async with self._turn:
            while True:
                with suppress(BlockingIOError):
                    return self._tried(call)
                await asyncio.sleep(RETRY_SECONDS)

    def _tried(self, call: Callable[[], T]) -> T:
        """What it gives. Raises BlockingIOError where it is worth to try again."""
        try:
            given = call()
        except sqlite3.OperationalError as error:
            self._tries += 1
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or self._tries > TRIES:
                raise
            raise BlockingIOError(str(error)) from error
        self._tries = 0
        return given

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = _open(self._path)
        return self._opened


def _begun(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("BEGIN IMMEDIATE")
    return connection


def _open(path: Path | None) -> sqlite3.Connection:
    """A connection that never waits by itself; the file is made for its owner alone."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(MEMORY if path is None else path, timeout=0, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(TABLES)
    except BaseException:
        connection.close()
        raise
    return connection
