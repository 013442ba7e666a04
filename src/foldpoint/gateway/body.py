"""Request bodies: read whole up to the limit, streamed through from there on."""

from collections import deque
from collections.abc import AsyncIterator

import msgspec
from aiohttp import StreamReader, web
from aiohttp.web_protocol import RequestPayloadError

from .failures import Failure

STILL = "nothing of the request body came for as long as gateway.client_timeout_seconds allows"
BROKEN = "the request body is not what its framing announces: see its content-length or chunks"


class Whole(msgspec.Struct, frozen=True):
    """A body that is read to its end."""

    content: bytes


class Streamed(msgspec.Struct, frozen=True):
    """A body over the limit: the chunks read so far and the reader of the rest."""

    read: deque[bytes]
    rest: StreamReader

    async def chunks(self) -> AsyncIterator[bytes]:
        """All of it in order; a chunk is let go of once it is handed on."""
        while self.read:
            yield self.read.popleft()
        while chunk := await self.rest.readany():
            yield chunk


async def read_body(request: web.BaseRequest, limit: int) -> Whole | Streamed:
    """Read a body of at most `limit` bytes.

    Raises:
        Failure: 400 where the body is not what its framing announces, 408 where it does not come.
    """
    if (request.content_length or 0) > limit:
        return Streamed(deque(), request.content)
    read: deque[bytes] = deque()
    size = 0
    try:
        while not request.content.at_eof():
            chunk = await request.content.readany()
            read.append(chunk)
            size += len(chunk)
            if size > limit:
                return Streamed(read, request.content)
    except (RequestPayloadError, web.HTTPException) as error:
        raise failure_of(error) or Failure(400, BROKEN) from None
    return Whole(read[0] if len(read) == 1 else b"".join(read))


def failure_of(error: BaseException | None) -> Failure | None:
    """What is said of a body that broke with this error; None where the body is not at fault."""
    if isinstance(error, web.HTTPRequestTimeout):
        return Failure(408, STILL)
    return Failure(400, BROKEN) if isinstance(error, RequestPayloadError) else None


def encoding_of(request: web.BaseRequest) -> str:
    """The content-encoding of the body; nothing where it is plain."""
    given = request.headers.get("content-encoding", "").strip().lower()
    return "" if given == "identity" else given
