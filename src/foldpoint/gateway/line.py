"""One request to a provider on a connection of aiohttp's pool, without what its client session does besides.

What the session does for each call is a fifth of the time that a small request takes on its way.
"""

from collections.abc import Callable, Mapping

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from .headers import Fields
from .silence import Silence

LONGEST_HEADER = 64 * 1024
MOST_HEADERS = 256
SWITCHING_PROTOCOLS = 101


class Line(ResponseHandler):
    """Our end of a connection to a provider. aiohttp's own does not tell the reader of a body that it broke off."""

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection is gone; whoever still reads an answer from it hears so."""
        content = self._payload
        super().connection_lost(exc)
        if content is not None and not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection was closed"))


class Reply:
    """A provider's answer: its head, and its body as it comes. Whoever has it closes it."""

    __slots__ = ("_close", "content", "fields", "headers", "reason", "silence", "status")

    def __init__(
        self,
        status: int,
        reason: str,
        fields: Fields,
        headers: Mapping[str, str],
        content: aiohttp.StreamReader,
        silence: Silence,
        close: Callable[[], None],
    ) -> None:
        self.status = status
        self.reason = reason
        self.fields = fields
        self.headers = headers
        self.content = content
        self.silence = silence
        self._close = close

    def close(self) -> None:
        """Let go of it; an answer that was not read to its end takes its connection with it."""
        self.silence.end()
        self._close()


async def asked(connection: Connection, request: bytes, body: bytes, empty: bool, seconds: float | None) -> Reply:
    """Send a request and wait for the answer's head, as long as `seconds` at most.

    Args:
        connection: one that is ours until the answer ended.
        request: the request's head as it stands on the wire.
        body: what follows it.
        empty: whether the answer has no body whatever it says (HEAD).

    Raises:
        aiohttp.ClientError, aiohttp.http_exceptions.HttpProcessingError, TimeoutError: what kept the answer away.
    """
    protocol = connection.protocol
    assert protocol is not None, "a connection that is taken has a protocol"
    protocol.set_response_params(
        skip_payload=empty,
        read_until_eof=True,
        auto_decompress=False,
        max_line_size=LONGEST_HEADER,
        max_field_size=LONGEST_HEADER,
        max_headers=MOST_HEADERS,
    )
    silence = Silence(protocol, seconds)
    try:
        transport = protocol.transport
        if transport is None or transport.is_closing():
            raise aiohttp.ServerDisconnectedError
        transport.writelines((request, body) if body else (request,))
        message, content = await protocol.read()
        while 100 <= message.code < 200 and message.code != SWITCHING_PROTOCOLS:
            message, content = await protocol.read()
    except BaseException:
        silence.end()
        connection.close()
        raise
    silence.turn_to(content)
    taken = Taken(connection)
    content.on_eof(taken.ended)
    return Reply(message.code, message.reason, message.raw_headers, message.headers, content, silence, taken.close)


class Taken:
    """A connection while an answer is read from it."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection: Connection | None = connection

    def ended(self) -> None:
        """The answer is whole: the next request may have the connection, unless it still sends the last one's body."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if connection.transport is not None and connection.transport.get_write_buffer_size():
            connection.close()
        else:
            connection.release()

    def close(self) -> None:
        """The answer is given up, where it has not ended."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
