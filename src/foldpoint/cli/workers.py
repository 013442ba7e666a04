"""`foldpoint serve --workers N`: the parent listens, starts the workers, and starts again those that end by themselves.

It takes no request itself; why it shares its sockets and how: docs/design/workers.md.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from tempfile import TemporaryDirectory

from foldpoint.config import Settings
from foldpoint.core.errors import FoldpointError
from foldpoint.gateway.address import address_of
from foldpoint.gateway.shares import ABSENT, Shares, table_file
from foldpoint.gateway.sockets import listening_at
from foldpoint.telemetry.workers import FOLDER, worker_gone

from .handover import FAILED, HURRY, READY, STOP, HandOver, packed
from .serve import cannot_listen

COMMAND = (sys.executable, "-P", "-c", "from foldpoint.cli.worker import main; main()", "serve", "worker")
QUICK_SECONDS = 10.0
"""A worker that ends sooner than this after its start ended at once."""
LONGEST_WAIT = 30.0
GRACE_SECONDS = 10.0
"""What a worker has to end in beyond the time for open answers; then it is killed."""
log = logging.getLogger("foldpoint.workers")


class NotStarted(FoldpointError):
    """A worker cannot serve: the exit code that says so, and why."""

    def __init__(self, message: str, status: int) -> None:
        self.exit_code = status
        super().__init__(message)


class Worker:
    """A process that serves, and what is said to it and by it."""

    def __init__(self, process: asyncio.subprocess.Process, channel: socket.socket) -> None:
        self.pid = process.pid
        self.ready = False
        self._process = process
        self._channel = channel

    async def started(self, handed: HandOver) -> None:
        """Hand over and wait until it takes requests. Raises NotStarted."""
        loop = asyncio.get_running_loop()
        said = b""
        with contextlib.suppress(ConnectionError):
            await loop.sock_sendall(self._channel, packed(handed))
            while not said.startswith(READY) and (piece := await loop.sock_recv(self._channel, 65536)):
                said += piece
        if said.startswith(FAILED):
            raise NotStarted(said[2:].decode(), said[1])
        if not said:
            code = await self._process.wait()
            raise NotStarted(f"a worker ended with exit code {code} before it took requests", 1)
        self.ready = True

    async def ended(self) -> int:
        """Its exit code, once it has ended; below zero: the signal that ended it."""
        code = await self._process.wait()
        self._channel.close()
        return code

    def tell(self, order: bytes) -> None:
        """Tell it to stop. One that does not serve yet hears nothing, so that one is ended."""
        with contextlib.suppress(OSError):
            if self.ready:
                self._channel.send(order)
            else:
                self.signal(signal.SIGTERM)

    def signal(self, number: int) -> None:
        """Send it a signal, if it is still there."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)


class Parent:
    """Keeps so many workers at work on its sockets until it is told to stop."""

    def __init__(self, settings: Settings, announce: Callable[[str], None], folder: str | None) -> None:
        self._settings = settings
        self._announce = announce
        self._folder = folder
        self._count = settings.gateway.workers
        self._workers: dict[int, Worker] = {}
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._announced = False

    async def run(self) -> None:
        """Work until SIGTERM or SIGINT, then until the workers have ended. Raises NotStarted."""
        host, port = self._settings.gateway.host, self._settings.gateway.port
        async with listens(host, port) as sockets, self._on_signals():
            self._sockets = [each.fileno() for each in sockets]
            self._address = sockets[0].getsockname()
            self._file = table_file(self._count)
            self._shares = [Shares(self._file, place) for place in range(self._count)]
            keeping = [asyncio.create_task(self._keep(place)) for place in range(self._count)]
            stopping = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait((*keeping, stopping), return_when=asyncio.FIRST_COMPLETED)
                stopping.cancel()
                await self._stopped(keeping, sockets)
            finally:
                os.close(self._file)
        for task in keeping:
            task.result()

    async def _stopped(self, keeping: list[asyncio.Task[None]], sockets: list[socket.socket]) -> None:
        """Have the workers end what they are at, and see that they end."""
        self._stop.set()
        for each in sockets:
            each.close()
        self._tell(STOP)
        hurrying = asyncio.create_task(self._hurry.wait())
        ending = asyncio.gather(*keeping, return_exceptions=True)
        seconds = self._settings.gateway.drain_seconds + GRACE_SECONDS
        await asyncio.wait((ending, hurrying), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        hurrying.cancel()
        self._tell(HURRY)
        await asyncio.wait((ending,), timeout=GRACE_SECONDS)
        for worker in self._workers.values():
            worker.signal(signal.SIGKILL)
        await ending

    def _tell(self, order: bytes) -> None:
        for worker in self._workers.values():
            worker.tell(order)

    async def _keep(self, place: int) -> None:
        """Keep a place filled. Raises NotStarted at the first start, and later where nobody is left at work."""
        quick = 0
        while not self._stop.is_set():
            began = asyncio.get_running_loop().time()
            try:
                ended = await self._worked(place)
            except NotStarted as failure:
                if self._stop.is_set():
                    return
                if not self._announced or not any(worker.ready for worker in self._workers.values()):
                    raise
                ended = {"error": str(failure)}
            if self._stop.is_set():
                return
            level = logging.INFO if ended.get("exit_code") == 0 else logging.ERROR
            quick = quick + 1 if asyncio.get_running_loop().time() - began < QUICK_SECONDS else 0
            seconds = min(LONGEST_WAIT, 2.0**quick / 4) if quick else 0.0
            log.log(level, "a worker ended", extra={"worker": place + 1, **ended, "starts_again_in_seconds": seconds})
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), seconds)

    async def _worked(self, place: int) -> dict[str, object]:
        """Let a worker work until it ends; what is to be said of that. Raises NotStarted."""
        worker = self._workers[place] = await self._start()
        try:
            await worker.started(HandOver(self._settings, self._sockets, self._file, place))
            self._tell_ready()
            if self._stop.is_set():
                worker.tell(HURRY if self._hurry.is_set() else STOP)
        finally:
            code = await worker.ended()
            del self._workers[place]
            self._shares[place].say(ABSENT)
            self._forget(worker.pid)
        return {"pid": worker.pid, "exit_code": code}

    async def _start(self) -> Worker:
        """Start a process, in a session of its own: what a terminal says to us, we say to it. Raises NotStarted."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    *COMMAND,
                    stdin=theirs.fileno(),
                    pass_fds=(*self._sockets, self._file),
                    env={**os.environ, FOLDER: self._folder} if self._folder is not None else None,
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise NotStarted(f"a worker cannot be started: {error.strerror or error}", 1) from None
        return Worker(process, ours)

    def _tell_ready(self) -> None:
        """Say where we listen, once all are at work for the first time."""
        if not self._announced and [worker.ready for worker in self._workers.values()].count(True) == self._count:
            self._announced = True
            self._announce(address_of(self._address))

    def _forget(self, pid: int) -> None:
        """Take back what a worker that is gone told Prometheus of its state."""
        if self._folder is not None:
            worker_gone(pid, self._folder)

    @contextlib.asynccontextmanager
    async def _on_signals(self) -> AsyncIterator[None]:
        """Take the stop signals while inside."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ask)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def _ask(self) -> None:
        (self._hurry if self._stop.is_set() else self._stop).set()


def run(settings: Settings, announce: Callable[[str], None]) -> None:
    """Run parent and workers until a signal. Raises NotStarted."""
    with folder(settings) as made:
        asyncio.run(_run(settings, announce, made))


async def _run(settings: Settings, announce: Callable[[str], None], folder: str | None) -> None:
    await Parent(settings, announce, folder).run()


@contextlib.contextmanager
def folder(settings: Settings) -> Iterator[str | None]:
    """Where the workers add up their figures for Prometheus, removed at the end; None where there are none."""
    if not settings.telemetry.metrics or find_spec("prometheus_client") is None:
        yield None
        return
    try:
        made = TemporaryDirectory(prefix="foldpoint-metrics-", dir=os.environ.get(FOLDER))
    except OSError as error:
        mend = f"set {FOLDER} to a folder that can be written, or telemetry.metrics = false"
        raise NotStarted(f"no folder for the figures of several workers: {error}; {mend}", 1) from None
    with made as name:
        yield name


@contextlib.asynccontextmanager
async def listens(host: str, port: int) -> AsyncIterator[list[socket.socket]]:
    """The sockets of the address, which listen while inside; nobody takes connections from them here.

    Raises NotStarted where the address can't be had.
    """
    try:
        sockets = await listening_at(host, port)
    except OSError as error:
        raise NotStarted(cannot_listen(host, port, error), 1) from None
    try:
        yield sockets
    finally:
        for each in sockets:
            each.close()
