"""The newest records where the workers of one machine make them: the store that they share has them."""

import asyncio
from collections.abc import Sequence

from foldpoint.core.record import Record
from foldpoint.stores.base import RecordStore


class StoreRing:
    """Reads the newest `size` records of a tenant from the store. They are there once they are written."""

    def __init__(self, store: RecordStore, size: int = 1000) -> None:
        self._store = store
        self._size = size

    def put(self, record: Record, messages: bytes | None = None) -> None:
        """The recorder writes it."""

    async def records(self, tenant: str) -> Sequence[Record]:
        """The tenant's, newest first. Raises StoreError where the store fails."""
        return (await asyncio.to_thread(self._store.requests, tenant, limit=self._size)).records
