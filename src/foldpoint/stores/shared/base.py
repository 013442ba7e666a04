"""What the shared parts promise, wherever they are kept."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from foldpoint.core.key import Exceeded, KeyLimits
from foldpoint.core.record import Record

Forget = Callable[[str], None]
ForgetAll = Callable[[], None]
Close = Callable[[], Awaitable[None]]


class Limiter(Protocol):
    """Counts what keys use up. Never raises."""

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        """Count a request of a key and take one of its places; or say what is used up, and take nothing."""

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        """The request ended: its place is free, and so many tokens are used up."""


class Newest(Protocol):
    """The newest records of each tenant. `put` never blocks and never raises."""

    def put(self, record: Record, messages: bytes | None = None) -> None:
        """Remember a record."""

    async def records(self, tenant: str) -> Sequence[Record]:
        """The tenant's, newest first. Raises StoreError where they are the store's and it fails."""


class News(Protocol):
    """Tells other processes of changed keys. Never raises."""

    async def changed(self, key: str) -> None:
        """Say that the key with that id is not what it was."""


class Part(Protocol):
    """What goes on in the background."""

    async def start(self) -> None:
        """Begin."""

    async def close(self) -> None:
        """End."""
