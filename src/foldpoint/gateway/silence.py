"""How long a provider may say nothing in the middle of its answer: one timer for the whole of it, not one a piece."""

import asyncio

import aiohttp


class Silence:
    """Ends the answer for its reader once he waited for `seconds` in vain (None: for as long as it takes).

    Use as a context manager while the answer is read. Time that the reader does not wait in does not count.
    """

    def __init__(self, content: aiohttp.StreamReader, seconds: float | None) -> None:
        self._content = content
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> "Silence":
        if self._seconds is not None:
            self._timer = self._loop.call_later(self._seconds, self._check, self._seconds)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def next_piece(self) -> bytes:
        """The next bytes of the answer, as many as there are; nothing at its end. Raises what ended it."""
        self._since = self._loop.time()
        try:
            return await self._content.readany()
        finally:
            self._since = None

    def _check(self, seconds: float) -> None:
        left = seconds if self._since is None else self._since + seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check, seconds)
        elif self._content.exception() is None:
            self._content.set_exception(aiohttp.SocketTimeoutError("the answer stalled"))
