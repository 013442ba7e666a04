"""The newest records of all processes, in Valkey: a list for each tenant, which ends a day after its last record."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import cast

import msgspec
from valkey.asyncio import Valkey

from foldpoint.core.record import Record
from foldpoint.stores.columns import cleaned
from foldpoint.stores.ring import Ring

from .background import Background
from .line import Gone, Line
from .names import named

SIZE = 1000
FLUSH_SECONDS = 0.05
KEPT_SECONDS = 24 * 3600
WAITING = 5000
BATCH = 500


class ValkeyRing:
    """Records go to the ring of this process at once and to Valkey in batches; while it is gone the newest wait.

    What is read is all that Valkey has, or while it is gone what this process has.
    """

    def __init__(self, client: Valkey, line: Line, size: int = SIZE) -> None:
        self._client = client
        self._line = line
        self._size = size
        self._own = Ring(size)
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=WAITING)
        self._due = asyncio.Event()
        self._turn = asyncio.Lock()
        self._writing = Background(self._write)
        line.on_return(self._due.set)

    def put(self, record: Record, messages: bytes | None = None) -> None:
        """Remember the record, never its body."""
        record = cleaned(record)
        self._own.put(record)
        self._waiting.append((record.tenant, msgspec.msgpack.encode(record)))
        self._due.set()

    async def records(self, tenant: str) -> Sequence[Record]:
        """The tenant's, newest first."""
        try:
            await self._flush()
            found = await self._line.ask(lambda: self._read(tenant))
        except Gone:
            return await self._own.records(tenant)
        return _newest_first(found, tenant)

    async def start(self) -> None:
        """Begin to write."""
        await self._writing.start()

    async def close(self) -> None:
        """Write what waits, and stop."""
        await self._writing.close()
        with suppress(Gone):
            await self._flush()

    async def _write(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            with suppress(Gone):
                await self._flush()
            await asyncio.sleep(FLUSH_SECONDS)

    async def _flush(self) -> None:
        """Write what waits. Raises Gone, and then it waits on."""
        async with self._turn:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                try:
                    await self._line.ask(lambda: self._push(batch))  # noqa: B023  it is called at once
                except BaseException:
                    room = WAITING - len(self._waiting)
                    self._waiting.extendleft(reversed(batch[-room:] if room else []))
                    raise

    async def _read(self, tenant: str) -> list[bytes]:
        found = self._client.lrange(named("ring", tenant), 0, self._size - 1)
        return await cast("Awaitable[list[bytes]]", found)

    async def _push(self, batch: list[tuple[str, bytes]]) -> None:
        """Add the batch, each tenant's to its list. What was written but not answered is written twice."""
        encoded: defaultdict[str, list[bytes]] = defaultdict(list)
        for tenant, record in batch:
            encoded[tenant].append(record)
        async with self._client.pipeline(transaction=False) as sending:
            for tenant, records in encoded.items():
                name = named("ring", tenant)
                sending.lpush(name, *records)
                sending.ltrim(name, 0, self._size - 1)
                sending.expire(name, KEPT_SECONDS)
            answers = await sending.execute(raise_on_error=False)  # an error that it raises has the records in it
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer


def _newest_first(found: list[bytes], tenant: str) -> list[Record]:
    """The records, once each. What another version wrote and this one cannot read is passed over."""
    records: dict[str, Record] = {}
    for one in found:
        with suppress(msgspec.MsgspecError):
            record = msgspec.msgpack.decode(one, type=Record)
            records.setdefault(record.id, record)
    mine = (record for record in records.values() if record.tenant == tenant)
    return sorted(mine, key=lambda record: (record.time, record.id), reverse=True)
