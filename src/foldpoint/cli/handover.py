"""What a parent hands to a worker at its start, over a pair of sockets: no command line and no variable shows it."""

import socket
from pathlib import Path
from typing import Any

import msgspec

from foldpoint.config import Settings

READY = b"r"
"""A worker: I take requests."""
FAILED = b"f"
"""A worker: I can't; an exit code and the reason follow."""
STOP = b"s"
"""The parent: let the open answers end, then end."""
HURRY = b"h"
"""The parent: end at once."""
LENGTH = 4


class HandOver(msgspec.Struct, frozen=True):
    """The settings, the sockets that listen, and the table of shares with the place that is the worker's."""

    settings: Settings
    sockets: list[int]
    shares: int
    place: int


def packed(handed: HandOver) -> bytes:
    """As it is sent."""
    content = msgspec.msgpack.encode(handed, enc_hook=str)
    return len(content).to_bytes(LENGTH, "big") + content


def received(channel: socket.socket) -> HandOver:
    """What the parent sent; blocks. Raises EOFError where it is gone."""
    length = int.from_bytes(_exactly(channel, LENGTH), "big")
    return msgspec.msgpack.decode(_exactly(channel, length), type=HandOver, dec_hook=_made)


def _exactly(channel: socket.socket, length: int) -> bytes:
    read = b""
    while len(read) < length:
        piece = channel.recv(length - len(read))
        if not piece:
            raise EOFError("the parent is gone")
        read += piece
    return read


def _made(kind: type, value: Any) -> object:
    if kind is Path:
        return Path(value)
    raise TypeError(f"settings hold no {kind.__name__}")
