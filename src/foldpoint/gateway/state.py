"""What the rooms of one running gateway share, and the keys of its application that hold it."""

import asyncio
from typing import Protocol

from aiohttp import web

from foldpoint.core.record import Record
from foldpoint.stores.base import RecordStore
from foldpoint.stores.recorder import Recorder


class Recording(Protocol):
    """Where records go. `put` never blocks and never raises."""

    def put(self, record: Record, messages: bytes | None = None) -> None: ...


class Traffic:
    """How many requests are open, and whether the gateway is about to stop."""

    def __init__(self) -> None:
        self.draining = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._open = 0

    def enter(self) -> None:
        """A request came in."""
        self._open += 1
        self.idle.clear()

    def leave(self) -> None:
        """A request ended."""
        self._open -= 1
        if not self._open:
            self.idle.set()


TRAFFIC = web.AppKey("traffic", Traffic)
STORE: web.AppKey[RecordStore] = web.AppKey("store")
RECORDER = web.AppKey("recorder", Recorder)
