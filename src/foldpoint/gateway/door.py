"""Takes connections, also from sockets that other processes listen on: whoever has the fewest is let go first.

Without that a burst goes to the one that wakes up first, and stays there as long as its connections are kept.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence

from aiohttp import web

from .shares import ABSENT, Shares

WAIT_SECONDS = 0.005
"""How long a connection is left to those who have fewer; after that they have better things to do."""
REST_SECONDS = 1.0
"""How long nobody is let in when the system has no more files or memory for it."""
log = logging.getLogger(__name__)


class Door:
    """The way in for one process; `inside` is how many connections it has, `shares` how many the others have.

    Takes connections from `open` to `close`, which leaves what waits to the others, or to `turn_away`.
    """

    def __init__(self, sockets: Sequence[socket.socket], shares: Shares | None = None) -> None:
        self.sockets = list(sockets)
        self._shares = shares
        self.inside = 0
        self._entering: set[asyncio.Task[object]] = set()

    def open(self, made: Callable[[], asyncio.Protocol]) -> None:
        """Let connections in, each to a protocol of its own that `counted` hears of."""
        self._loop, self._made = asyncio.get_running_loop(), made
        self._say(self.inside)
        for each in self.sockets:
            each.setblocking(False)
            self._loop.add_reader(each, self._knocked, each)

    def close(self) -> None:
        """Let nobody in any more; who is inside may stay."""
        self._say(ABSENT)
        for each in self.sockets:
            self._loop.remove_reader(each)
            each.close()
        self.sockets = []

    def turn_away(self) -> int:
        """Let in who waits and refuse who comes later; how many are on their way in. A queue ends with its socket, and
        cuts off who is in it."""
        for each in self.sockets:
            while self._let_in(each):
                continue
        self.close()
        return len(self._entering)

    def counted(self, change: int) -> None:
        """A connection came (1) or went (-1)."""
        self.inside += change
        if self.sockets:
            self._say(self.inside)

    def _say(self, count: int) -> None:
        if self._shares is not None:
            self._shares.say(count)

    def _knocked(self, at: socket.socket) -> None:
        if self._shares is not None and self._shares.most():
            self._pause(at, WAIT_SECONDS)
        else:
            self._let_in(at)

    def _pause(self, at: socket.socket, seconds: float) -> None:
        self._loop.remove_reader(at)
        self._loop.call_later(seconds, self._again, at)

    def _again(self, at: socket.socket) -> None:
        if at in self.sockets:
            self._loop.add_reader(at, self._knocked, at)
            self._let_in(at)

    def _let_in(self, at: socket.socket) -> bool:
        """Let one in; whether one came."""
        try:
            came, _ = at.accept()
        except ConnectionError:
            return True  # it left
        except (BlockingIOError, InterruptedError):
            return False  # another was faster
        except OSError as error:
            log.error("no connection can be taken", extra={"error": str(error)})
            self._pause(at, REST_SECONDS)
            return False
        came.setblocking(False)
        entering = self._loop.create_task(self._loop.connect_accepted_socket(self._made, came))
        self._entering.add(entering)
        entering.add_done_callback(self._entering.discard)
        return True


class Entrance(web.BaseSite):
    """A door as a place where a runner listens."""

    __slots__ = ("_door",)

    def __init__(self, runner: web.BaseRunner, door: Door) -> None:
        super().__init__(runner)
        self._door = door

    @property
    def name(self) -> str:
        """What it is called."""
        return "a door"

    async def start(self) -> None:
        """Open it."""
        await super().start()
        assert self._runner.server is not None, "the base class has seen it"
        self._door.open(self._runner.server)
        self._server = self._door  # type: ignore[assignment]  # closed at the end, and asked for its sockets
