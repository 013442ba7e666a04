"""What the rooms of one running gateway share, and the keys of its application that hold it."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from aiohttp import web

from foldpoint.core.key import Exceeded, KeyLimits
from foldpoint.core.record import Record
from foldpoint.stores.base import Newest, Store
from foldpoint.stores.recorder import Recorder


class Recording(Protocol):
    """Where records go. `put` never blocks and never raises."""

    def put(self, record: Record, messages: bytes | None = None) -> None: ...


class Limiter(Protocol):
    """Counts what keys use up, over all processes that share it. Never raises: where it can't count it admits."""

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request of a key and take one of its places; or say what is used up, and take nothing."""

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """The request ended: its place is free, and so many tokens are used up."""


class News(Protocol):
    """Tells every process that shares it that a key was changed. Never raises: a key that is not told of is read again
    after a while all the same."""

    async def changed(self, key: str) -> None:
        """Say that the key with that id is not what it was."""


class Shared(Protocol):
    """What the processes that serve one port, or one balancer, share. `failing`: each goes on by itself meanwhile."""

    @property
    def limiter(self) -> Limiter: ...

    @property
    def newest(self) -> Newest: ...

    @property
    def failing(self) -> bool: ...

    def news(self, forget: Callable[[str], None], forget_all: Callable[[], None]) -> News:
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
        self.idle = asyncio.Event()
        self.idle.set()
        self.open = 0

    def enter(self) -> None:
        """A request came in."""
        self.open += 1
        self.came += 1
        self.idle.clear()
        if self.draining:
            self.knocked.set()

    def leave(self) -> None:
        """A request ended."""
        self.open -= 1
        if not self.open:
            self.idle.set()


TRAFFIC = web.AppKey("traffic", Traffic)
STORE: web.AppKey[Store] = web.AppKey("store")
RECORDER = web.AppKey("recorder", Recorder)
SHARED: web.AppKey[Shared] = web.AppKey("shared")
NEWEST: web.AppKey[Newest] = web.AppKey("newest")
NEWS: web.AppKey[News] = web.AppKey("news")
