"""What a key may use up: asked before a request goes on, told when it ended."""

import asyncio
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any

from foldpoint.core.key import Exceeded
from foldpoint.stores.shared.base import Limiter

from .exchange import Exchange
from .failures import Failure

SPENT = {
    "requests_per_minute": "{limit} requests a minute are what this key may send",
    "tokens_per_minute": "{limit} tokens a minute are what this key may use",
    "concurrent_requests": "{limit} requests at once are what this key may have open",
}
FAMILY = {"requests_per_minute": "requests", "tokens_per_minute": "tokens"}


class Limits:
    """Lets requests of keys in while their limits last. A key without limits costs nothing here."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._inside: set[str] = set()
        self._ending: set[asyncio.Task[Any]] = set()

    async def enter(self, exchange: Exchange) -> None:
        """Count a request. Raises Failure: 429 where a limit is used up."""
        caller = exchange.caller
        if caller is None or not caller.limits.any:
            return
        self._inside.add(exchange.id)
        exceeded = await self._limiter.admit(caller.key_id, caller.limits, exchange.id)
        if exceeded is not None:
            self._inside.discard(exchange.id)
            raise refusal(exceeded)

    def leave(self, exchange: Exchange) -> None:
        """Tell of a request that ended; it is told in the background, for its client may be gone."""
        if exchange.id in self._inside and exchange.caller is not None:
            self._inside.discard(exchange.id)
            caller = exchange.caller
            self._later(self._limiter.release(caller.key_id, caller.limits, exchange.id, exchange.tokens))

    async def settle(self) -> None:
        """Wait until everything is told."""
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _later(self, telling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(telling)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def refusal(exceeded: Exceeded) -> Failure:
    """The answer where a limit is used up, with the headers that SDKs read."""
    limit = exceeded.limit
    headers = {}
    if family := FAMILY.get(exceeded.what):
        headers = {
            f"x-ratelimit-limit-{family}": str(limit),
            f"x-ratelimit-remaining-{family}": "0",
            f"x-ratelimit-reset-{family}": f"{exceeded.seconds:.3f}s",
        }
    message = SPENT[exceeded.what].format(limit=limit) + f": try again in {exceeded.seconds:.1f} s"
    return Failure(HTTPStatus.TOO_MANY_REQUESTS, message, seconds=exceeded.seconds, headers=headers)
