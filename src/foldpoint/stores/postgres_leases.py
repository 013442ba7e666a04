"""Who writes a conversation in Postgres has it alone: an advisory lock that ends with its connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import psycopg

from .base import StoreError
from .connections import conninfo_of
from .leases import taken
from .postgres_faults import faults, place_of


class PostgresLeases:
    """A connection of its own for each conversation that is held."""

    def __init__(self, url: str) -> None:
        self._conninfo, self._place = conninfo_of(url), place_of(url)

    @contextmanager
    def __call__(self, conversation: str) -> Iterator[None]:
        """Hold the conversation. Raises StoreError where another process has it, or the server is away."""
        number = int.from_bytes(sha256(conversation.encode()).digest()[:8], "big", signed=True)
        with faults(self._place):
            connection = psycopg.connect(self._conninfo, autocommit=True)
        try:
            with faults(self._place):
                found = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
            if not (found and found[0]):
                raise StoreError(taken(conversation, ""))
            yield
        finally:
            connection.close()
