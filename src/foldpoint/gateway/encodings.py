"""Request bodies with a content-encoding, inflated piece by piece up to a limit, so that they can be folded."""

import asyncio
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal

PIECE = 256 << 10
"""Bytes inflated at once; between two pieces other requests have their turn."""
MOST_MEMBERS = 64
"""Streams, one behind the other, that a body may be made of: behind each one the rest is copied."""
ZSTD_WINDOW_LOG = 23
"""Largest window, 8 MiB, as RFC 9659 has it for this coding: a frame may ask for far more memory than it has bytes."""

Unread = Literal["too_large", "unreadable"]


class Broken(Exception):
    """The body is not what its content-encoding says."""


async def inflated(content: bytes, encoding: str, limit: int) -> bytes | Unread:
    """The plain body, or why there is none: over `limit` bytes; broken, or of a coding that can't be read here."""
    coding = CODINGS.get(encoding.strip().lower())
    if coding is None:
        return "unreadable"
    plain = bytearray()
    try:
        for piece in coding(content):
            plain += piece
            if len(plain) > limit:
                return "too_large"
            await asyncio.sleep(0)
    except Broken:
        return "unreadable"
    return bytes(plain)


def gzip(content: bytes) -> Iterator[bytes]:
    """One or more gzip members. Raises Broken."""
    for _ in range(MOST_MEMBERS):
        content = yield from _inflate(content, 31)
        if not content:
            return
    raise Broken


def deflate(content: bytes) -> Iterator[bytes]:
    """A zlib stream, or a bare deflate one as some clients send. Raises Broken."""
    wrapped = len(content) > 1 and content[0] & 15 == 8 and int.from_bytes(content[:2]) % 31 == 0
    if (yield from _inflate(content, 15 if wrapped else -15)):
        raise Broken


def _inflate(content: bytes, window: int) -> Generator[bytes, None, bytes]:
    """The pieces of one stream; returns the bytes behind its end. Raises Broken."""
    inflate = zlib.decompressobj(window)
    while not inflate.eof:
        try:
            piece = inflate.decompress(content, PIECE)
        except zlib.error:
            raise Broken from None
        content = inflate.unconsumed_tail
        if not (piece or content or inflate.eof):
            raise Broken
        yield piece
    return inflate.unused_data


def brotli(content: bytes) -> Iterator[bytes]:
    """A brotli stream. Raises Broken; ImportError where no library for it is installed."""
    import brotli as library

    inflate = library.Decompressor()
    while not inflate.is_finished():
        try:
            piece = inflate.process(content, output_buffer_limit=PIECE)
        except library.error:
            raise Broken from None
        content = b""
        if not piece and not inflate.is_finished():
            raise Broken
        yield piece


def zstd(content: bytes) -> Iterator[bytes]:
    """One or more zstd frames. Raises Broken; ImportError where no library for it is installed."""
    library = _zstd_library()
    options = {library.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
    for _ in range(MOST_MEMBERS):
        inflate = library.ZstdDecompressor(options=options)
        while not inflate.eof:
            try:
                piece = inflate.decompress(content, PIECE)
            except library.ZstdError:
                raise Broken from None
            content = b""
            if not piece and not inflate.eof:
                raise Broken
            yield piece
        content = inflate.unused_data
        if not content:
            return
    raise Broken


def _zstd_library() -> Any:
    """The one of Python 3.14 and newer, or what brings it to older ones."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


def _if_there(coding: Callable[[bytes], Iterator[bytes]]) -> Callable[[bytes], Iterator[bytes]]:
    """The coding; where its library is not installed, one that can't be read."""

    def read(content: bytes) -> Iterator[bytes]:
        try:
            yield from coding(content)
        except ImportError:
            raise Broken from None

    return read


CODINGS: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": gzip,
    "x-gzip": gzip,
    "deflate": deflate,
    "br": _if_there(brotli),
    "zstd": _if_there(zstd),
}
