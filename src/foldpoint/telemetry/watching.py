"""Takes what is observed off the request path: a bounded queue, and a thread in which the observers see it."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import msgspec

from foldpoint.core.errors import fault_of

from .observed import Observed, Observer, cleaned

BATCH = 500
CLOSE_SECONDS = 5.0
log = logging.getLogger("foldpoint.telemetry")


class Limits(msgspec.Struct, frozen=True):
    """What may wait in memory: requests, and bytes of bodies that were sent."""

    requests: int = 20_000
    bytes: int = 32 * 1024 * 1024


MEMORY = Limits()


class Watching:
    """Hands what is put to every observer, every `interval_ms` milliseconds or when `BATCH` wait.

    Over the limit of bytes a request is seen without its body, over the limit of requests it is dropped (`dropped`
    counts them). An observer that fails is said once for each fault, by kind and place, and the others go on.
    `ticks` are called on the loop every time. `content`: whether an observer wants the body that was sent.
    """

    def __init__(
        self,
        observers: Sequence[Observer],
        *,
        content: bool = False,
        ticks: Sequence[Callable[[], None]] = (),
        interval_ms: int = 250,
        limits: Limits = MEMORY,
    ) -> None:
        self.dropped = 0
        self.content = content
        self._observers = tuple(observers)
        self._ticks = ticks
        self._seconds = interval_ms / 1000
        self._limits = limits
        self._waiting: deque[Observed] = deque()
        self._bytes = 0
        self._said: set[str] = set()
        self._woken = asyncio.Event()
        self._turn = asyncio.Lock()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="telemetry")

    @property
    def idle(self) -> bool:
        """Is there nobody who watches?"""
        return not self._observers

    def put(self, one: Observed) -> None:
        """Let the observers see a request soon. Never blocks, never raises."""
        if not self._observers:
            return
        if len(self._waiting) >= self._limits.requests:
            self.dropped += 1
            return
        size = len(one.sent or b"")
        if self._bytes + size > self._limits.bytes:
            one, size = msgspec.structs.replace(one, sent=None), 0
        self._bytes += size
        self._waiting.append(one)
        if len(self._waiting) == BATCH:
            self._woken.set()

    async def start(self) -> None:
        """Begin to hand over."""
        self._task = asyncio.create_task(self._run())

    async def flush(self) -> None:
        """Hand over what waits; a caller that is cancelled does not stop it."""
        await asyncio.shield(self._flush())

    async def close(self) -> None:
        """Hand over what waits, for `CLOSE_SECONDS` at most, and stop."""
        self._closing = True
        self._woken.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._end(), CLOSE_SECONDS)
        self._thread.shutdown(wait=False)

    async def _end(self) -> None:
        if self._task is not None:
            await self._task
        await self._flush()

    async def _run(self) -> None:
        while not self._closing:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._seconds)
            self._woken.clear()
            for tick in self._ticks:
                self._guarded(tick)
            await self._flush()

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        async with self._turn:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                self._bytes -= sum(len(one.sent or b"") for one in batch)
                await loop.run_in_executor(self._thread, self._show, batch)

    def _show(self, batch: list[Observed]) -> None:
        """Let each observer see the batch."""
        seen: list[Observed] = []
        self._guarded(lambda: seen.extend(map(cleaned, batch)))
        for observer in self._observers:
            self._guarded(partial(observer.observe, seen))

    def _guarded(self, call: Callable[[], None]) -> None:
        """Call it; a fault is said once and stops nothing."""
        try:
            call()
        except Exception as error:  # noqa: BLE001  whatever an observer does, requests and other observers go on
            fault = fault_of(error)
            if fault not in self._said:
                self._said.add(fault)
                log.error("telemetry misses requests: an observer failed", extra={"fault": fault})
