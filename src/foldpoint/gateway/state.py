"""What the rooms of one running gateway share, and the keys of its application that hold it."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from aiohttp import web

from foldpoint.core.key import Exceeded, KeyLimits
from foldpoint.core.record import Record
from foldpoint.stores.base import RecordStore
from foldpoint.stores.recorder import Recorder


class Recording(Protocol):
    """Where records go. `put` never blocks and never raises."""

    def put(self, record: Record, messages: bytes | None = None) -> None: ...


class Newest(Recording, Protocol):
    """The newest records of each tenant, to be looked at without asking the store."""

    async def records(self, tenant: str) -> Sequence[Record]:
        """The tenant's, newest first."""


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


class Traffic:
    """How many requests are open, and whether the gateway is about to stop."""

    def __init__(self) -> None:
        self.draining = False
        self.idle = asyncio.Event()
        self.idle.set()
        self.open = 0

    def enter(self) -> None:
        """A request came in."""
        self.open += 1
        self.idle.clear()

    def leave(self) -> None:
        """A request ended."""
        self.open -= 1
        if not self.open:
            self.idle.set()


TRAFFIC = web.AppKey("traffic", Traffic)
STORE: web.AppKey[RecordStore] = web.AppKey("store")
RECORDER = web.AppKey("recorder", Recorder)
