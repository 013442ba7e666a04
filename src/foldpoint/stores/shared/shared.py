"""All shared parts of one process, held together."""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from foldpoint.stores.base import Newest

from .base import Close, Forget, ForgetAll, Limiter, News, Part
from .line import Line
from .locks import Far, Lock, MachineLocks
from .news import OwnNews

Name = Literal["memory", "workers", "valkey"]


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What `Shared` is made of. `work` is started in this order and closed in the other, then comes `close`."""

    name: Name
    limiter: Limiter
    newest: Newest
    locks: MachineLocks
    work: Sequence[Part]
    line: Line | None = None
    far: Far | None = None
    listen: Callable[[Forget, ForgetAll], tuple[News, Part]] | None = None
    close: Close | None = None


class Shared:
    """Limits, the ring, news of keys and locks, shared by the processes that `name` says.

    `memory`: this one; `workers`: those of one machine with one data directory; `valkey`: all with one Valkey.
    """

    def __init__(self, parts: Parts) -> None:
        self.name: Name = parts.name
        self.limiter = parts.limiter
        self.newest = parts.newest
        self._parts = parts
        self._work = list(parts.work)
        self._started = False

    @property
    def failing(self) -> bool:
        """Is what is shared gone, so that each process goes on by itself?"""
        return self._parts.line is not None and self._parts.line.failing

    def lock(self, name: str, seconds: float, wait: float = 0.0) -> Lock:
        """A lock for one `async with`, tried for `wait` seconds: in the block its `held` says whether it was taken.

        It is renewed as long as the block lasts; `seconds` after its holder died another can have it.
        """
        return Lock(self._parts.locks, self._parts.far, name, seconds, wait)

    def news(self, forget: Forget, forget_all: ForgetAll) -> News:
        """What tells of changed keys; to be called before `start`.

        `forget` is called with each key that a process told of, `forget_all` where some may have been missed.
        """
        if self._started:
            raise RuntimeError("news() comes before start(): who listens later may have missed some")
        if self._parts.listen is None:
            return OwnNews()
        news, listening = self._parts.listen(forget, forget_all)
        self._work.append(listening)
        return news

    async def start(self) -> None:
        """Begin; a place that does not answer is said in the log, and takes a second at most."""
        self._started = True
        for part in self._work:
            await part.start()

    async def close(self) -> None:
        """End."""
        for part in reversed(self._work):
            await part.close()
        self._parts.locks.close()
        if self._parts.close is not None:
            await self._parts.close()
