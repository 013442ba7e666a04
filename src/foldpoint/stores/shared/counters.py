"""What keys use up, counted in one place: a minute's requests and tokens, and the requests that are open."""

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
    """Counts in the windows of one storage of `limits` and in the places beside it. Raises what these raise."""

    def __init__(self, windows: "SlidingWindowCounterSupport", places: Places) -> None:
        self.windows = windows
        self.places = places

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request and take a place; or say what is used up, and take nothing."""
        tokens, places, requests = limits.tokens_per_minute, limits.concurrent_requests, limits.requests_per_minute
        if tokens is not None and (wait := (await self._window(_tokens(key))).wait(tokens)):
            return Exceeded("tokens_per_minute", tokens, wait)
        if places is not None and not await self.places.take(key, request, places):
            return Exceeded("concurrent_requests", places, BUSY_SECONDS)
        if requests is None or await self.windows.acquire_sliding_window_entry(_requests(key), requests, MINUTE):
            return None
        if places is not None:
            await self.places.free(key, request)
        return Exceeded("requests_per_minute", requests, (await self._window(_requests(key))).wait(requests))

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """Free the place of a request and count its tokens."""
        if limits.concurrent_requests is not None:
            await self.places.free(key, request)
        if limits.tokens_per_minute is not None and tokens > 0:
            await self.windows.acquire_sliding_window_entry(_tokens(key), MOST, MINUTE, min(tokens, MOST))

    async def _window(self, name: str) -> Window:
        return Window(*await self.windows.get_sliding_window(name, MINUTE))


def _requests(key: str) -> str:
    return f"requests/{key}"


def _tokens(key: str) -> str:
    return f"tokens/{key}"
