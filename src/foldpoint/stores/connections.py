"""A few connections to one Postgres server, opened when they are needed and kept for the next who asks.

psycopg_pool is not used: it makes everyone wait while the server is gone, hides why, and keeps away from a server that
is back for as long as it was gone.
"""

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from .database import Row

T = TypeVar("T")
MOST = 4
GONE_SECONDS = 2
"""How long a server may take to be connected, or to answer the question whether it is there."""
ANSWER_SECONDS = 10.0
"""How long it may be silent while it works."""
DEFAULTS: dict[str, Any] = {"connect_timeout": GONE_SECONDS, "application_name": "foldpoint", "client_encoding": "UTF8"}
SCHEMA = "foldpoint"


class Bounded(psycopg.Connection[Row]):
    """A connection that gives up when the server says nothing for `seconds`."""

    seconds = ANSWER_SECONDS

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run one exchange with the server. Raises OperationalError when it takes too long; then it is closed."""
        return super().wait(self._until(gen, time.monotonic() + self.seconds), *args, **kwargs)

    def _until(self, gen: Generator[Any, Any, T], deadline: float) -> Generator[Any, Any, T]:
        """The same exchange, ended at the deadline: psycopg asks with 0 when nothing came for a tenth of a second."""
        ready = None
        while True:
            try:
                ready = yield gen.send(ready)
            except StopIteration as end:
                result: T = end.value
                return result
            if not ready and time.monotonic() > deadline:
                self.close()
                raise psycopg.OperationalError(f"no answer for {self.seconds:g} seconds")


def conninfo_of(url: str) -> str:
    """The address as libpq wants it, with our own schema and limits where it says nothing else."""
    given = conninfo_to_dict(url)
    options = f"-c search_path={SCHEMA} -c statement_timeout={int(ANSWER_SECONDS * 1000)} {given.get('options') or ''}"
    return make_conninfo("", **{**DEFAULTS, **given, "options": options.strip()})


class Connections:
    """At most `MOST` at once; the ones in use are nobody else's. Methods raise psycopg.Error."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        self._places = threading.BoundedSemaphore(MOST)
        self._lock = threading.Lock()
        self._spare: list[Bounded] = []
        self._closed = False

    def connect(self) -> Bounded:
        """A new connection of the caller's own, in autocommit."""
        # Nothing is prepared: a pooler between us and the server may give each transaction another connection.
        return Bounded.connect(self._conninfo, autocommit=True, prepare_threshold=None)

    @contextmanager
    def one(self) -> Iterator[Bounded]:
        """A connection that works."""
        if not self._places.acquire(timeout=GONE_SECONDS):
            raise psycopg.OperationalError(f"all {MOST} connections are in use")
        try:
            connection = self._take() or self.connect()
            try:
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._places.release()

    def close(self) -> None:
        """Close all that are not in use now, and the others when they are given back."""
        with self._lock:
            self._closed = True
            spare, self._spare = self._spare, []
        for connection in spare:
            connection.close()

    def _take(self) -> Bounded | None:
        """One that was used before and works still; where one does not, neither do the others."""
        with self._lock:
            if self._closed:
                raise psycopg.OperationalError("the store is closed")
            connection = self._spare.pop() if self._spare else None
        if connection is None or _works(connection):
            return connection
        with self._lock:
            spare, self._spare = self._spare, []
        for other in (connection, *spare):
            other.close()
        return None

    def _give_back(self, connection: Bounded) -> None:
        if connection.pgconn.transaction_status != TransactionStatus.IDLE:
            connection.close()
        with self._lock:
            kept = not self._closed and not connection.closed
            if kept:
                self._spare.append(connection)
        if not kept:
            connection.close()


def _works(connection: Bounded) -> bool:
    try:
        connection.seconds = GONE_SECONDS
        connection.execute("")
    except psycopg.Error:
        return False
    finally:
        connection.seconds = ANSWER_SECONDS
    return True
