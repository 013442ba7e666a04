"""One of several processes that serve at the same sockets. Started by the parent of `foldpoint serve --workers N`."""

import asyncio
import logging
import socket
import sys
from typing import TYPE_CHECKING

from foldpoint.core.errors import FoldpointError

from .app import failure_of
from .handover import FAILED, HURRY, READY, STOP, HandOver, received
from .serve import log_to_stdout

if TYPE_CHECKING:
    from aiohttp import web

    from foldpoint.gateway.door import Door
    from foldpoint.gateway.serving import Stop

log = logging.getLogger("foldpoint.worker")


def main() -> None:
    """Serve as the parent says on stdin; an error before the first request is the parent's to tell."""
    channel = socket.socket(fileno=sys.stdin.fileno())
    try:
        handed = received(channel)
    except (EOFError, ConnectionError):
        sys.exit(1)
    try:
        log_to_stdout(handed.settings)
        work(handed, channel)
    except (FoldpointError, ModuleNotFoundError) as error:
        message, status = failure_of(error, "serve")
        channel.setblocking(True)
        channel.sendall(FAILED + bytes((status,)) + message.encode())
        sys.exit(status)


def work(handed: HandOver, channel: socket.socket) -> None:
    """Serve until told to stop, or until the parent is gone."""
    from foldpoint import assemble
    from foldpoint.gateway import serving
    from foldpoint.gateway.door import Door
    from foldpoint.gateway.shares import Shares

    door = Door([socket.socket(fileno=file) for file in handed.sockets], Shares(handed.shares, handed.place))
    with assemble.gateway(handed.settings) as app:
        serving.run(served(app, handed, channel, door, serving.Stop(leave=door.close)))


async def served(app: "web.Application", handed: HandOver, channel: socket.socket, door: "Door", stop: "Stop") -> None:
    """Serve, and do what the parent says meanwhile."""
    from foldpoint.gateway.serving import serve

    loop = asyncio.get_running_loop()
    channel.setblocking(False)
    loop.add_reader(channel, heed, channel, stop)
    await serve(app, handed.settings, lambda address: channel.sendall(READY), door=door, stop=stop)
    loop.remove_reader(channel)


def heed(channel: socket.socket, stop: "Stop") -> None:
    """Do what the parent says; where it is gone, there is nobody who would start us again or end us."""
    try:
        said = channel.recv(16)
    except ConnectionError:
        said = b""
    if HURRY in said:
        stop.hurry()
    elif STOP in said:
        stop.asked.set()
    elif not said:
        asyncio.get_running_loop().remove_reader(channel)
        log.error("the parent is gone: this worker ends")
        stop.ask()
