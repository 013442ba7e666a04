"""Takes records and originals off the request path: a bounded queue, a thread that writes, a spool while that fails."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec

from foldpoint.core.errors import fault_of
from foldpoint.core.hidden import Hidden
from foldpoint.core.record import Record
from foldpoint.core.told import Told

from .base import Kept, Newest, RecordStore, ResultStore, StoreError
from .columns import cleaned
from .originals import Read, originals_of
from .ring import Ring
from .spool import Spool

BATCH = 500
PURGE_SECONDS = 60.0
REPLAYED = 2_000
"""Records of the spool that are written before those are looked at that came in meanwhile."""
log = logging.getLogger("foldpoint.records")


class Limits(msgspec.Struct, frozen=True):
    """What may wait in memory: records, and bytes of folded bodies."""

    records: int = 50_000
    bytes: int = 64 * 1024 * 1024


MEMORY = Limits()


class Put(msgspec.Struct, frozen=True):
    """What waits: a record, the folded body that was sent, and the items it hid; `size` of both in bytes. `listed`: the
    record is to be kept itself."""

    record: Record
    messages: bytes | None = None
    hidden: Sequence[Hidden] = ()
    size: int = 0
    listed: bool = True


def no_results(surface: str, item: bytes) -> Sequence[Told]:
    """No results: nobody reads them."""
    return ()


class Recorder:
    """Writes records to the store every `flush_ms` milliseconds; `newest` has them at once.

    While the store fails (said once, and once when it is back) records go to the spool, and from there to the store, in
    order, once each. Over the limit of bytes a record is kept without its folded body, over the limit of records it is
    dropped (`dropped` counts them). `messages_seconds` is how long folded bodies and originals are kept, None = not at
    all. Originals go to `results` with their records; `read` finds them in hidden items, in the thread. A fault that
    nobody foresaw is treated as a failing store: the writer goes on as long as the recorder is open. `took` is
    told the seconds that each write took, in the thread that writes.
    """

    def __init__(
        self,
        store: RecordStore,
        spool: Spool,
        *,
        flush_ms: int = 250,
        retry_ms: int = 1000,
        messages_seconds: int | None = 24 * 3600,
        newest: Newest | None = None,
        limits: Limits = MEMORY,
        clock: Callable[[], float] = time.time,
        took: Callable[[str, float], None] | None = None,
        results: ResultStore | None = None,
        read: Read = no_results,
    ) -> None:
        self.newest = Ring() if newest is None else newest
        self.dropped = 0
        self.failing = False
        self._store = store
        self._spool = spool
        self._flush_seconds = flush_ms / 1000
        self._retry_seconds = retry_ms / 1000
        self.messages_seconds = messages_seconds
        self._limits = limits
        self._clock = clock
        self._took = took
        self._results = results
        self._read = read
        self._waiting: deque[Put] = deque()
        self._bytes = 0
        self._spooled, self._stuck = True, False
        self._behind, self._replayed = False, 0
        self._retry_at = self._purge_at = 0.0
        self._woken = asyncio.Event()
        self._turn = asyncio.Lock()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="records")

    @property
    def waiting(self) -> int:
        """Records that are in memory alone."""
        return len(self._waiting)

    @property
    def spooled_bytes(self) -> int:
        """Bytes of the records that wait in the spool."""
        return self._spool.size()

    def put(self, record: Record, messages: bytes | None = None, hidden: Sequence[Hidden] = ()) -> None:
        """Remember one request, the folded body that was sent and the items it hid. Never blocks, never raises."""
        record = cleaned(record)
        self.newest.put(record)
        self._wait(record, messages, hidden)

    def keep(self, record: Record, hidden: Sequence[Hidden]) -> None:
        """Remember what a request hid that leaves no record. Never blocks, never raises."""
        self._wait(cleaned(record), None, hidden, listed=False)

    def _wait(self, record: Record, messages: bytes | None, hidden: Sequence[Hidden], listed: bool = True) -> None:
        if len(self._waiting) >= self._limits.records:
            self.dropped += 1
            return
        size = len(messages or b"") + sum([len(one.item) for one in hidden])
        if self.messages_seconds is None or self._bytes + size > self._limits.bytes:
            messages, hidden, size = None, (), 0
        self._bytes += size
        self._waiting.append(Put(record, messages, hidden, size, listed))
        if len(self._waiting) >= BATCH or self._bytes > self._limits.bytes // 2:
            self._woken.set()

    async def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what waits, and stop."""
        self._closing = True
        self._woken.set()
        if self._task is not None:
            await self._task
        self._thread.shutdown()
        lost = self.dropped + len(self._waiting)
        if lost:
            log.error("records were lost: neither the store nor the spool could take them", extra={"records": lost})

    async def flush(self) -> None:
        """Write what waits, so that a reader of the store finds it; a caller that is cancelled does not stop it."""
        await asyncio.shield(self._flush())

    async def _run(self) -> None:
        due = time.monotonic()
        while not self._closing:
            if not self._behind:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), due - time.monotonic())
            self._woken.clear()
            due = time.monotonic() + self._flush_seconds  # how long the write takes does not put off the next one
            await self._try()
        await self._try()

    async def _try(self) -> None:
        """Flush; a fault is said, and the next flush tries again."""
        try:
            await self.flush()
        except Exception as error:  # noqa: BLE001  a writer that ended would keep nothing any more
            self._failed(error)

    async def _flush(self) -> None:
        """Write what waits; what neither the store nor the spool takes waits on."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            if time.monotonic() >= (min(self._purge_at, self._retry_at) if self._spooled else self._purge_at):
                await loop.run_in_executor(self._thread, self._tend)
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                taken = False
                try:
                    taken = await loop.run_in_executor(self._thread, self._write, batch)
                finally:
                    if not taken:
                        self._waiting.extendleft(reversed(batch))
                if not taken:
                    break
                self._bytes -= sum(put.size for put in batch)

    def _write(self, puts: list[Put]) -> bool:
        """Write a batch to the store, or behind the records that wait in the spool; whether one of them has it."""
        batch = [
            Kept(put.record, put.messages, originals_of(put.record, put.hidden, self._read), put.listed) for put in puts
        ]
        if not self._spooled:
            try:
                began = time.perf_counter()
                self._add(batch)
                if self._took is not None:
                    self._took("add", time.perf_counter() - began)
                if self.failing:
                    self._recovered()
                return True
            except Exception as error:  # noqa: BLE001  whatever it is, the spool has the batch
                self._failed(error)
        try:
            self._spool.append(batch)
        except Exception as error:
            if not self._stuck:
                about = {"spool": str(self._spool.path), "error": named(error)}
                log.error("records cannot be spooled", extra=about, exc_info=unforeseen(error))
            self._stuck = True
            return False
        self._spooled, self._stuck = True, False
        return True

    def _tend(self) -> None:
        """Replay the spool when it is time to, and forget folded bodies that are old enough."""
        now = time.monotonic()
        self._behind = False
        try:
            if self._spooled and now >= self._retry_at:
                self._retry_at = now + self._retry_seconds
                self._replay()
            if now >= self._purge_at:
                self._purge_at = now + PURGE_SECONDS
                self._purge()
        except Exception as error:  # noqa: BLE001  as above: the writer goes on
            self._spooled = True
            self._failed(error)

    def _replay(self) -> None:
        """Write what waits in the spool; of a long one a part, so that what comes in does not wait in memory."""
        if not self._spool.replay(self._add_late, REPLAYED) and self.failing:
            self._store.ping()  # that nothing waits says nothing of the store
        self._spooled = self._behind = not self._spool.empty()
        if self._behind:
            self._retry_at = 0.0
        else:
            self._recovered()

    def _add(self, batch: list[Kept]) -> None:
        """Write records and what they hid. The originals come first: a record that is there has them."""
        originals = [original for kept in batch for original in kept.originals]
        if self._results is not None and originals:
            self._results.keep(originals)
        self._store.add([kept for kept in batch if kept.listed])

    def _purge(self) -> None:
        """Forget what is old enough."""
        now = self._clock()
        before = now - (self.messages_seconds or 0)
        self._store.purge(before)
        if self._results is not None:
            self._results.purge_results(before, now)

    def _add_late(self, batch: list[Kept]) -> None:
        """Write records that waited in the spool, without the folded bodies whose time is over.

        Of originals the purge decides: their session may go on.
        """
        oldest = math.inf if self.messages_seconds is None else self._clock() - self.messages_seconds
        self._add(
            [kept if kept.record.time >= oldest else msgspec.structs.replace(kept, messages=None) for kept in batch]
        )
        self._replayed += len(batch)

    def _failed(self, error: Exception) -> None:
        if not self.failing:
            self.failing = True
            about = {"error": named(error)}
            log.error("the store fails: records wait in the spool", extra=about, exc_info=unforeseen(error))

    def _recovered(self) -> None:
        if self.failing or self._replayed:
            log.info("the store has the records of the spool", extra={"records": self._replayed})
        self.failing, self._stuck, self._replayed = False, False, 0


def named(error: Exception) -> str:
    """What is said of it: one that nobody foresaw may quote what was to be written."""
    return fault_of(error) if unforeseen(error) else str(error)


def unforeseen(error: Exception) -> Exception | None:
    """The fault itself where its place in the code is worth telling: it is none of a store or a disk."""
    return None if isinstance(error, StoreError | OSError) else error
