"""What the shared parts promise, wherever they are kept."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from foldpoint.core.key import Exceeded, KeyLimits

Forget = Callable[[str], None]
ForgetAll = Callable[[], None]
Close = Callable[[], Awaitable[None]]


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


class Part(Protocol):
    """What goes on in the background."""

    async def start(self) -> None:
        """Begin."""

    async def close(self) -> None:
        """End."""
