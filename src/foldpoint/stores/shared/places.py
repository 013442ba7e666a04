"""The places that requests hold while they are open."""

from collections.abc import Collection, Mapping
from typing import Protocol

Open = Mapping[str, Collection[str]]
"""Open requests, by the key whose places they hold."""


class Places(Protocol):
    """Where places are counted. One that is held by nobody that lives comes free by itself."""

    async def take(self, key: str, request: str, most: int) -> bool:
        """Take a place of the key, unless so many are taken."""

    async def free(self, key: str, request: str) -> None:
        """Give it back; nothing happens where the request has none."""

    async def renew(self, open: Open) -> None:
        """Say that these requests are still open: each has its place, also where it was forgotten."""


class OwnPlaces:
    """The places that requests of this process hold. They need no renewal: they end with the process."""

    def __init__(self) -> None:
        self._open: dict[str, set[str]] = {}

    async def take(self, key: str, request: str, most: int) -> bool:
        """Take a place of the key, unless so many are taken."""
        if len(self._open.get(key, ())) >= most:
            return False
        self.hold(key, request)
        return True

    async def free(self, key: str, request: str) -> None:
        """Give it back."""
        self.let_go(key, request)

    async def renew(self, open: Open) -> None:
        """They are held as long as they are open."""

    def hold(self, key: str, request: str) -> None:
        """Note a request that has its place."""
        self._open.setdefault(key, set()).add(request)

    def let_go(self, key: str, request: str) -> None:
        """Forget it."""
        requests = self._open.get(key)
        if requests is not None:
            requests.discard(request)
            if not requests:
                del self._open[key]

    def open(self) -> dict[str, tuple[str, ...]]:
        """The requests that are open now."""
        return {key: tuple(requests) for key, requests in self._open.items()}

    def holds(self, key: str, request: str) -> bool:
        """Is it open?"""
        return request in self._open.get(key, ())
