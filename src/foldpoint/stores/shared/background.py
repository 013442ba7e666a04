"""Work that goes on in the background, from start to close."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

AGAIN_SECONDS = 0.1


class Background:
    """Runs one coroutine, which has no end of its own."""

    def __init__(self, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._run = run
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; a second start changes nothing."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Cut it off, as often as it takes: `asyncio.wait_for`, which clients use, may lose it in Python 3.11."""
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=AGAIN_SECONDS)
        self._task = None


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for the event, so long at most, and clear it; whether it was set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    told = event.is_set()
    event.clear()
    return told
