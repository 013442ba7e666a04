"""What keys use up, counted in one place: a minute's requests and tokens, and the requests that are open."""

import asyncio
from typing import TYPE_CHECKING

from foldpoint.core.key import Exceeded, KeyLimits

from .places import Places
from .window import MINUTE, Window

if TYPE_CHECKING:
    from limits.aio.storage import SlidingWindowCounterSupport

MOST = 2**53 - 1
"""As much as doubles count exactly. Tokens are counted after the fact, whatever the limit."""
BUSY_SECONDS = 1.0
"""When it is worth to ask for a place again: nobody knows when a request ends."""


class Counters:
    """Counts in the windows of one storage of `limits` and in the places beside it. Raises what these raise.

    `distant`: both are asked at the same time, which saves a way there and back; near by it would cost more.
    """

    def __init__(self, windows: "SlidingWindowCounterSupport", places: Places, distant: bool = False) -> None:
        self.windows = windows
        self.places = places
        self._distant = distant

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request and take a place; or say what is used up, and take nothing."""
        if self._together(limits):
            few, full = await asyncio.gather(self._look(key, limits), self._take(key, limits, request))
        else:
            few = await self._look(key, limits)
            full = few or await self._take(key, limits, request)
        exceeded = few or full or await self._count(key, limits)
        if exceeded is not None and full is None:
            await self._free(key, limits, request)
        return exceeded

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """Free the place of a request and count its tokens."""
        if self._together(limits):
            await asyncio.gather(self._free(key, limits, request), self._bill(key, limits, tokens))
        else:
            await self._free(key, limits, request)
            await self._bill(key, limits, tokens)

    def _together(self, limits: KeyLimits) -> bool:
        return self._distant and limits.tokens_per_minute is not None and limits.concurrent_requests is not None

    async def _look(self, key: str, limits: KeyLimits) -> Exceeded | None:
        """Whether all tokens are used up."""
        most = limits.tokens_per_minute
        if most is None or not (wait := (await self._window(_tokens(key))).wait(most)):
            return None
        return Exceeded("tokens_per_minute", most, wait)

    async def _take(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        most = limits.concurrent_requests
        if most is None or await self.places.take(key, request, most):
            return None
        return Exceeded("concurrent_requests", most, BUSY_SECONDS)

    async def _count(self, key: str, limits: KeyLimits) -> Exceeded | None:
        most, name = limits.requests_per_minute, _requests(key)
        if most is None or await self.windows.acquire_sliding_window_entry(name, most, MINUTE):
            return None
        return Exceeded("requests_per_minute", most, (await self._window(name)).wait(most))

    async def _free(self, key: str, limits: KeyLimits, request: str) -> None:
        if limits.concurrent_requests is not None:
            await self.places.free(key, request)

    async def _bill(self, key: str, limits: KeyLimits, tokens: int) -> None:
        if limits.tokens_per_minute is not None and tokens > 0:
            await self.windows.acquire_sliding_window_entry(_tokens(key), MOST, MINUTE, min(tokens, MOST))

    async def _window(self, name: str) -> Window:
        return Window(*await self.windows.get_sliding_window(name, MINUTE))


def _requests(key: str) -> str:
    return f"requests/{key}"


def _tokens(key: str) -> str:
    return f"tokens/{key}"
