"""What the rooms of one running gateway share, and the keys of its application that hold it."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from aiohttp import web

from foldpoint.core.hidden import Hidden
from foldpoint.core.record import Record
from foldpoint.stores.base import Newest, Store
from foldpoint.stores.recorder import Recorder
from foldpoint.stores.shared.base import Forget, ForgetAll, Limiter, News


class Recording(Protocol):
    """Where records go. `put` never blocks and never raises."""

    def put(self, record: Record, messages: bytes | None = None, hidden: Sequence[Hidden] = ()) -> None: ...

    def keep(self, record: Record, hidden: Sequence[Hidden]) -> None:
        """What a request hid that leaves no record."""


class Shared(Protocol):
    """What the processes that serve one port, or one balancer, share. `failing`: each goes on by itself meanwhile."""

    @property
    def limiter(self) -> Limiter: ...

    @property
    def newest(self) -> Newest: ...

    @property
    def failing(self) -> bool: ...

    def news(self, forget: Forget, forget_all: ForgetAll) -> News:
        """Where news of keys are told; from the start on `forget` hears those of others by their ids."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class Traffic:
    """How many requests are open and how many came, and whether the gateway is about to stop: then `knocked` is set by
    each that comes."""

    def __init__(self) -> None:
        self.draining = False
        self.came = 0
        self.knocked = asyncio.Event()
        self.open = 0

    def enter(self) -> None:
        """A request came in."""
        self.open += 1
        self.came += 1
        if self.draining:
            self.knocked.set()

    def leave(self) -> None:
        """A request ended."""
        self.open -= 1


TRAFFIC = web.AppKey("traffic", Traffic)
STORE: web.AppKey[Store] = web.AppKey("store")
RECORDER = web.AppKey("recorder", Recorder)
SHARED: web.AppKey[Shared] = web.AppKey("shared")
NEWEST: web.AppKey[Newest] = web.AppKey("newest")
NEWS: web.AppKey[News] = web.AppKey("news")
