"""The newest records in memory, so that they can be looked at without asking the store."""

from collections import deque

from foldpoint.core.record import Record


class Ring:
    """The newest `size` records of each of the `tenants` tenants that were heard of last; those of this process."""

    def __init__(self, size: int = 1000, tenants: int = 256) -> None:
        self._size = size
        self._tenants = tenants
        self._records: dict[str, deque[Record]] = {}

    def put(self, record: Record, messages: bytes | None = None) -> None:
        """Remember the record, never its body; the oldest of its tenant goes when there is no room."""
        records = self._records.pop(record.tenant, None)
        if records is None:
            records = deque(maxlen=self._size)
        records.append(record)
        self._records[record.tenant] = records
        if len(self._records) > self._tenants:
            del self._records[next(iter(self._records))]

    async def records(self, tenant: str) -> list[Record]:
        """The tenant's records, newest first."""
        return list(reversed(self._records.get(tenant, ())))
