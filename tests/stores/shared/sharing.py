"""Shared parts for tests: in every home, at a quick pace, with what they log."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from foldpoint.core.record import Record
from foldpoint.stores import open_store
from foldpoint.stores.shared import Pace, Shared, open_shared

PACE = Pace(pause=0.05, look=0.2)
SECONDS = 20


def sharing(url: str, folder: Path, workers: int = 1, lease: float = 30.0) -> Shared:
    """What a process shares; nothing is started."""
    return open_shared(url, folder, workers, open_store("sqlite:///records.db", folder), lease=lease, pace=PACE)


@asynccontextmanager
async def started(*several: Shared) -> AsyncIterator[None]:
    """Start them, and close them at the end."""
    try:
        for shared in several:
            await shared.start()
        yield
    finally:
        for shared in several:
            await shared.close()


async def until(true: Callable[[], Any]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(SECONDS):
        while not true():  # noqa: ASYNC110  another process or task makes it true
            await asyncio.sleep(0.01)


async def until_it(gives: Callable[[], Awaitable[Any]]) -> None:
    """Wait until what it gives is true."""
    async with asyncio.timeout(SECONDS):
        while not await gives():  # noqa: ASYNC110  as above
            await asyncio.sleep(0.02)


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """The lines that shared parts log in the block."""
    lines: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = lines.append  # type: ignore[method-assign]
    log = logging.getLogger("foldpoint.shared")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def record(id: str, tenant: str = "t", time: float = 0.0) -> Record:
    """A record of a tenant."""
    return Record(id=id, time=time, tenant=tenant)
