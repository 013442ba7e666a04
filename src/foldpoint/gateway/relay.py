"""The way back: the answer's bytes go to the client as they come, and a cut answer stays cut."""

import contextlib
import socket
import struct
from http import HTTPStatus

import aiohttp
from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.helpers import must_be_empty_body, rfc822_formatted_time, should_remove_content_length
from aiohttp.http_writer import StreamWriter

from foldpoint.core.record import CLIENT_LEFT

from .headers import CONTENT_LENGTH, Field, lines_of, raw_of, response_fields, value_of
from .line import Reply
from .silence import Silence
from .usage_copy import UsageCopy

RESET = struct.pack("ii", 1, 0)


class Relayed(web.StreamResponse):
    """An answer of the provider. Its head is written as it came, ours added; the server's own headers stay out.

    The head waits for the first bytes of the body or `relay`, so that a short answer leaves in one packet.
    """

    def __init__(self, status: int, reason: str, fields: list[Field], ours: dict[str, str]) -> None:
        super().__init__(status=status, reason=reason)
        self._fields = fields
        self._ours = ours
        length = value_of(fields, CONTENT_LENGTH)
        self.length = None if length is None else int(length)

    async def prepare(self, request: web.BaseRequest) -> StreamWriter:
        """Put the head together; it is sent with what is written first."""
        writer = request.writer
        assert isinstance(writer, StreamWriter)
        if self._payload_writer is None:
            self._req, self._payload_writer = request, writer
            writer._headers_buf = self._head(request, writer)
        return writer

    def _head(self, request: web.BaseRequest, writer: StreamWriter) -> bytes:
        """The head as it stands on the wire; tells the writer how the body is framed."""
        version, fields = request.version, self._fields
        if self._keep_alive is None:
            self._keep_alive = request.keep_alive
        if must_be_empty_body(request.method, self.status):
            if should_remove_content_length(request.method, self.status):
                fields = [field for field in fields if field[0].lower() != CONTENT_LENGTH]
        elif self.length is not None:
            writer.length = self.length
        elif version >= HttpVersion11:
            writer.enable_chunking()
            fields.append((b"Transfer-Encoding", b"chunked"))
        else:
            self._keep_alive = False
        if value_of(fields, b"date") is None:
            fields.append((b"Date", rfc822_formatted_time().encode()))
        if self._keep_alive and version == HttpVersion10:
            fields.append((b"Connection", b"keep-alive"))
        elif not self._keep_alive and version == HttpVersion11:
            fields.append((b"Connection", b"close"))
        line = f"HTTP/{version.major}.{version.minor} {self.status} {self.reason}\r\n"
        said = "".join([f"{name}: {value}\r\n" for name, value in self._ours.items()])
        return b"%b%b%b\r\n" % (raw_of(line), lines_of(fields), said.encode())


def relayed(reply: Reply, ours: dict[str, str]) -> Relayed:
    """The head of the answer: status, reason and headers as they came, and ours in the place of any of their name."""
    return Relayed(reply.status, reply.reason, response_fields(reply.fields, ours), ours)


async def relay(request: web.BaseRequest, reply: Reply, response: Relayed, copy: UsageCopy | None) -> int | None:
    """Pass the answer on, chunk by chunk. Returns None when it went through whole, else the status to be recorded."""
    writer = await response.prepare(request)
    content = reply.content
    try:
        chunk = first_of(content)
        while not content.at_eof():
            await writer.write(chunk)
            if copy is not None:
                copy.feed(chunk)
            chunk = await next_of(content, reply.silence)
        await response.write_eof(chunk)
        if copy is not None:
            copy.feed(chunk)
    except ConnectionError:
        return CLIENT_LEFT
    except Cut as broken:
        with contextlib.suppress(ConnectionError):
            await writer.write(broken.left)
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
        return await silence.next_piece(content)
    except (aiohttp.ClientError, OSError):
        raise Cut(content) from None


def cut(request: web.BaseRequest, response: Relayed) -> None:
    """End the client's connection without an end of the answer.

    What was written still arrives. An answer that ends with its connection (HTTP/1.0, no length) would look whole,
    so that one is reset.
    """
    transport = request.transport
    if transport is None:
        return
    if response.length is None and request.version < HttpVersion11:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()
    else:
        transport.close()
