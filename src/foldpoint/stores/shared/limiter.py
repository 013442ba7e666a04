"""Limits of keys: counted where all processes see it, and in this process alone while that place is gone."""

import asyncio
from contextlib import suppress

from foldpoint.core.key import Exceeded, KeyLimits

from .background import Background, set_within
from .counters import Counters
from .ledger import Ledger
from .line import Gone, Line
from .places import OwnPlaces
from .window import MINUTE


class OwnLimiter:
    """Counts for this process alone, in memory."""

    def __init__(self) -> None:
        self.places = OwnPlaces()
        self._ledger = Ledger()
        self._counters = Counters(self._ledger, self.places)
        self._sweeping = Background(self._sweep)

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request of a key and take one of its places; or say what is used up, and take nothing."""
        return await self._counters.admit(key, limits, request)

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """The request ended: its place is free, and so many tokens are used up."""
        await self._counters.release(key, limits, request, tokens)

    async def start(self) -> None:
        """Begin to forget what is over."""
        await self._sweeping.start()

    async def close(self) -> None:
        """Forget everything."""
        await self._sweeping.close()
        self._ledger.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(MINUTE)
            await self._ledger.renew({})


class SharedLimiter:
    """Counts with `far` while the line is up, else with `near`.

    `near` notes every open request of this process, wherever it was admitted: so places hold while `far` is gone, and
    `far` has them again when it is back, even if it forgot everything. They are renewed each third of `lease` seconds.
    """

    def __init__(self, line: Line, far: Counters, lease: float) -> None:
        self._line = line
        self._far = far
        self._near = OwnLimiter()
        self._every = lease / 3
        self._due = asyncio.Event()
        self._renewing = Background(self._renew)
        line.on_return(self._due.set)

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request of a key and take one of its places; or say what is used up, and take nothing."""
        if not limits.any:
            return None
        try:
            exceeded = await self._line.ask(lambda: self._far.admit(key, limits, request))
        except Gone:
            return await self._near.admit(key, limits, request)
        if exceeded is None and limits.concurrent_requests is not None:
            self._near.places.hold(key, request)
        return exceeded

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """The request ended: its place is free, and so many tokens are used up."""
        if not limits.any:
            return
        self._near.places.let_go(key, request)
        try:
            await self._line.ask(lambda: self._far.release(key, limits, request, tokens))
        except Gone:
            await self._near.release(key, limits, request, tokens)

    async def start(self) -> None:
        """Begin to renew."""
        await self._near.start()
        await self._renewing.start()

    async def close(self) -> None:
        """Renew no more: what is open still comes free by itself."""
        await self._renewing.close()
        await self._near.close()

    async def _renew(self) -> None:
        while True:
            await set_within(self._due, self._every)
            with suppress(Gone):
                await self._line.ask(self._renew_once)

    async def _renew_once(self) -> None:
        """Renew what is open; what ended while that was on its way must not have a place again."""
        places, own = self._far.places, self._near.places
        open = own.open()
        await places.renew(open)
        for key, requests in open.items():
            for request in requests:
                if not own.holds(key, request):
                    await places.free(key, request)
