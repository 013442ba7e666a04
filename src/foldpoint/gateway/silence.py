"""How long a provider may say nothing: one timer for the whole of its answer, not one a piece."""

import asyncio
from typing import Protocol

import aiohttp


class Source(Protocol):
    """What is read from the provider, and can be told that nothing more comes."""

    def exception(self) -> BaseException | None: ...

    def set_exception(self, exc: BaseException) -> None: ...


class Silence:
    """Ends a wait for the provider once it lasted `seconds` (None: for as long as it takes); `end` it in any case.

    The wait for the answer's head begins at once, with `source` as what is waited for; after that only the time counts
    that the reader waits in.
    """

    __slots__ = ("_loop", "_seconds", "_since", "_source", "_timer")

    def __init__(self, source: Source, seconds: float | None) -> None:
        self._source = source
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._since: float | None = self._loop.time()
        self._timer = None if seconds is None else self._loop.call_later(seconds, self._check, seconds)

    def turn_to(self, source: Source) -> None:
        """The head is there: from now on its body is what is waited for."""
        self._source = source
        self._since = None

    async def next_piece(self, content: aiohttp.StreamReader) -> bytes:
        """The next bytes of the answer, as many as there are; nothing at its end. Raises what ended it."""
        self._since = self._loop.time()
        try:
            return await content.readany()
        finally:
            self._since = None

    def end(self) -> None:
        """Nobody waits any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, seconds: float) -> None:
        left = seconds if self._since is None else self._since + seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check, seconds)
        elif self._source.exception() is None:
            self._source.set_exception(aiohttp.SocketTimeoutError("the provider is silent"))
