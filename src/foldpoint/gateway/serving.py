"""The gateway as a process: it listens, it stops when told to, and lets open answers end first."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

from aiohttp import web

from foldpoint.config import Settings
from foldpoint.core.errors import fault_of

from .address import address_of
from .connection import Runner
from .door import Door, Entrance
from .draining import drained
from .line import LONGEST_HEADER, MOST_HEADERS
from .sockets import listening_at
from .state import TRAFFIC

READ_BUFFER = 1 << 20
"""Bytes of a body that are taken in before the socket is told to wait: most bodies come without a pause."""
CLOSE_SECONDS = 1.0
SWITCH_SECONDS = 0.0005
"""Longest that the thread which writes records keeps the interpreter from the event loop; 5 ms unless told."""
KEPT_FREE = 64 << 20
KEPT_WHOLE = 8 << 20
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
T = TypeVar("T")
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger(__name__)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


async def serve(
    app: web.Application,
    settings: Settings,
    ready: Callable[[str], None] | None = None,
    *,
    door: Door | None = None,
    stop: "Stop | None" = None,
) -> None:
    """Listen until SIGTERM or SIGINT, then drain and close; a second signal closes at once.

    `ready` is called with the address once requests are taken. `door` is where connections come in, if not at a socket
    of our own; `stop` may be asked by others, too. Raises OSError where the port can't be had.
    """
    asyncio.get_running_loop().set_exception_handler(log_fault)
    stop, gateway = stop or Stop(), settings.gateway
    door = door or Door(await listening_at(gateway.host, gateway.port))
    inside = taking(app, door, patience=gateway.client_timeout_seconds)
    async with inside as address, stop.on_signals():
        settle()
        if ready is not None:
            ready(address)
        await stop.asked.wait()
        await drained(app[TRAFFIC], gateway.drain_seconds, stop.at_once, door)


class Stop:
    """A wish to stop, and whether it is to be at once.

    Signals say it, and at once is what the second one says; where there is `leave`, that is called for each signal and
    makes it a stop of this process alone, in which another has the say of what is to be at once.
    """

    def __init__(self, leave: Callable[[], None] | None = None) -> None:
        self.asked = asyncio.Event()
        self.at_once = asyncio.Event()
        self._leave = leave

    def ask(self) -> None:
        """Take a signal."""
        if self._leave is not None:
            self._leave()
            self.asked.set()
        else:
            (self.at_once if self.asked.is_set() else self.asked).set()

    def hurry(self) -> None:
        """Stop at once."""
        self.asked.set()
        self.at_once.set()

    @contextlib.asynccontextmanager
    async def on_signals(self) -> AsyncIterator[None]:
        """Take the stop signals while inside."""
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, self.ask)
        try:
            yield
        finally:
            for number in STOP_SIGNALS:
                loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def listening(app: web.Application, host: str, port: int, *, patience: float = 60.0) -> AsyncIterator[str]:
    """Take requests while inside; gives the address (port 0: a free one). What is still open at the end is cut."""
    async with taking(app, Door(await listening_at(host, port)), patience=patience) as address:
        yield address


@contextlib.asynccontextmanager
async def taking(app: web.Application, door: Door, *, patience: float) -> AsyncIterator[str]:
    """The same where they come in at a door. `patience` is for how many seconds a client may keep us waiting."""
    runner = Runner(
        app,
        patience=patience,
        counted=door.counted,
        handler_cancellation=True,
        auto_decompress=False,
        access_log=None,
        max_line_size=LONGEST_HEADER,
        max_field_size=LONGEST_HEADER,
        max_headers=MOST_HEADERS,
        read_bufsize=READ_BUFFER,
        shutdown_timeout=CLOSE_SECONDS,
    )
    await runner.setup()
    try:
        await Entrance(runner, door).start()
        yield address_of(runner.addresses[0])
    finally:
        await runner.cleanup()


def log_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log a fault that nobody waited for by its kind and place; asyncio's own line quotes what was at work."""
    error = context.get("exception")
    log.error("fault beside the requests", extra={"fault": fault_of(error) if error else context["message"]})


def settle() -> None:
    """Keep the collector away from what was made at the start and will live on, and memory from coming and going."""
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(50_000, 20, 50)
    keep_memory()


def keep_memory() -> None:
    """Let glibc keep up to `KEPT_FREE` bytes that were freed, and take blocks of up to `KEPT_WHOLE` from those.

    Unless told, it gives the memory of each body back to the system and asks for it with the next: hundreds of page
    faults a request, which a virtual machine pays for dearly. Other C libraries are left alone.
    """
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_TRIM_THRESHOLD, KEPT_FREE)
        mallopt(M_MMAP_THRESHOLD, KEPT_WHOLE)
