"""The way back: the answer's bytes go to the client as they come, and a cut answer stays cut."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterator
from http import HTTPStatus

import aiohttp
from aiohttp import hdrs, web

from .failures import CLIENT_LEFT
from .headers import absent, response_headers
from .silence import Silence
from .usage_copy import UsageCopy

ADDED_BY_SERVER = (hdrs.CONTENT_TYPE, hdrs.SERVER)
RESET = struct.pack("ii", 1, 0)


class Relayed(web.StreamResponse):
    """An answer of the provider. `foreign` are the headers that our server would add and the provider did not send.

    Its head waits for the first bytes of the body or `relay`, so that a short answer leaves in one packet.
    """

    foreign: tuple[str, ...] = ()
    _send_headers_immediately = False


async def leave_out_foreign(request: web.Request, response: web.StreamResponse) -> None:
    """Take the server's own headers off a relayed answer (an `on_response_prepare` signal)."""
    for name in response.foreign if isinstance(response, Relayed) else ():
        response.headers.popall(name, None)


def relayed(answer: aiohttp.ClientResponse, ours: dict[str, str]) -> Relayed:
    """The head of the answer: status, reason and headers as they came, and ours."""
    pairs = response_headers(answer.raw_headers)
    response = Relayed(status=answer.status, reason=answer.reason or "", headers=pairs)
    response.foreign = absent(pairs, ADDED_BY_SERVER)
    for name, value in ours.items():
        response.headers[name] = value
    return response


async def relay(
    request: web.Request,
    answer: aiohttp.ClientResponse,
    response: Relayed,
    copy: UsageCopy | None,
    silence: float | None,
) -> int | None:
    """Pass the answer on, chunk by chunk. Returns None when it went through whole, else the status to be recorded.

    `silence` is how many seconds may pass between two pieces while the client takes them; None: as many as they like.
    """
    await response.prepare(request)
    content = answer.content
    try:
        with ended_by_its_connection(answer), Silence(content, silence) as limited:
            chunk = first_of(content)
            while not content.at_eof():
                await response.write(chunk)
                if copy is not None:
                    copy.feed(chunk)
                chunk = await next_of(content, limited)
        await response.write_eof(chunk)
        if copy is not None:
            copy.feed(chunk)
    except ConnectionError:
        return CLIENT_LEFT
    except Cut as broken:
        with contextlib.suppress(ConnectionError):
            await response.write(broken.left)
        cut(request, response)
        return HTTPStatus.BAD_GATEWAY
    return None


class Cut(Exception):
    """The provider broke its answer off; `left` is what of it was not read yet."""

    def __init__(self, content: aiohttp.StreamReader) -> None:
        self.left = content._read_nowait(-1)


def first_of(content: aiohttp.StreamReader) -> bytes:
    """What of the answer is there already, or nothing. Raises Cut."""
    try:
        return content.read_nowait()
    except (aiohttp.ClientError, OSError):
        raise Cut(content) from None


async def next_of(content: aiohttp.StreamReader, silence: Silence) -> bytes:
    """The next bytes of the answer, as many as there are; nothing at its end. Raises Cut, after a long silence too."""
    try:
        return await silence.next_piece()
    except (aiohttp.ClientError, OSError):
        raise Cut(content) from None


@contextlib.contextmanager
def ended_by_its_connection(answer: aiohttp.ClientResponse) -> Iterator[None]:
    """See to it that the answer ends when its connection does.

    A provider's broken framing closes the connection, but nobody would tell the reader of the answer.
    """
    content = answer.content
    protocol = answer.connection.protocol if answer.connection else None
    closed = None if protocol is None else protocol.closed
    if closed is None:
        yield
        return

    def tell(closed: "asyncio.Future[None]") -> None:
        seen(closed)
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection was closed"))

    closed.add_done_callback(tell)
    try:
        yield
    finally:
        closed.remove_done_callback(tell)
        closed.remove_done_callback(seen)
        closed.add_done_callback(seen)


def seen(closed: "asyncio.Future[None]") -> None:
    """Take notice of how a connection ended, so that nobody reports it as an error that went unnoticed."""
    if not closed.cancelled():
        closed.exception()


def cut(request: web.Request, response: web.StreamResponse) -> None:
    """End the client's connection without an end of the answer.

    What was written still arrives. An answer that ends with its connection (HTTP/1.0, no length) would look whole,
    so that one is reset.
    """
    transport = request.transport
    if transport is None:
        return
    if response.content_length is None and request.version < aiohttp.HttpVersion11:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()
    else:
        transport.close()
