"""Work that goes on in the background, from start to close."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any


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
        """Cut it off."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for the event, so long at most, and clear it; whether it was set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    told = event.is_set()
    event.clear()
    return told
