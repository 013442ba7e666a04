"""One client's connection: what is no request for us is refused in JSON, and never quoted, for it may hold a key.

What a client may send before it is a request, and how long it may take, ends here too.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import uuid_utils
from aiohttp import StreamReader, hdrs, http_exceptions, web
from aiohttp.streams import EMPTY_PAYLOAD
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from foldpoint.core.errors import fault_of

from .body import STILL
from .failures import Failure, failure_response
from .line import LONGEST_HEADER, MOST_HEADERS
from .patience import Debt, Owed, Patience
from .proxy import PROXY, Proxy
from .routes import BEGINNINGS, route_of

LONGEST_HEAD = 256 * 1024
MOST_WAITING = 4
"""Requests that may wait on a connection behind the one that is answered; no more is read until some are."""
MOST_FRAMING = 1 << 20
"""Bytes that chunks may take for sizes and extensions beyond those of the body itself."""
TOO_LONG = (
    f"the request line or a header is longer than {LONGEST_HEADER // 1024} KiB, all of them are longer than "
    f"{LONGEST_HEAD // 1024} KiB, or there are more than {MOST_HEADERS}"
)
TOO_MANY = "Too many headers received"
NOT_HTTP = "the request is not valid HTTP: see its headers and the framing of its body"
NO_REQUEST_LINE = "the request does not begin with an HTTP request line; is it TLS sent to the plain port?"
UNREAD: Mapping[type[BaseException], str] = {
    http_exceptions.LineTooLong: TOO_LONG,
    http_exceptions.BadHttpMethod: NO_REQUEST_LINE,
    http_exceptions.BadStatusLine: NO_REQUEST_LINE,
    http_exceptions.InvalidURLError: NO_REQUEST_LINE,
}
REFUSED: Mapping[int, str] = {
    HTTPStatus.NOT_FOUND: f"there is no such target; {BEGINNINGS}",
    HTTPStatus.REQUEST_TIMEOUT: STILL,
    HTTPStatus.EXPECTATION_FAILED: "the only expectation that is met is 100-continue",
    HTTPStatus.INTERNAL_SERVER_ERROR: "a fault of the gateway, logged with the id of this request",
}
log = logging.getLogger(__name__)

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Connection(RequestHandler):
    """The server's end of a connection, of a client that may keep us waiting for `patience` seconds.

    aiohttp's own says and logs the bytes that it could not read, and waits for a client for ever.
    """

    __slots__ = ("_body", "_framing", "_head_size", "_patience", "_seconds", "_wire")

    def __init__(self, manager: web.Server, *, patience: float, **settings: Any) -> None:
        super().__init__(manager, **settings)
        self._max_msg_queue_size, self._msg_queue_resume_size = MOST_WAITING, MOST_WAITING // 2
        self._seconds = patience
        self._patience: Patience | None = None
        self._wire: asyncio.Transport | None = None
        self._body: StreamReader = EMPTY_PAYLOAD
        self._head_size = self._framing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there; its first request is due."""
        super().connection_made(transport)
        self._wire = self.transport
        self._patience = Patience(self._seconds, self._debt, self._over)

    def connection_lost(self, exc: BaseException | None) -> None:
        """It is gone."""
        if self._patience is not None:
            self._patience.end()
            self._patience = self._wire = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take the next bytes, of no more of a head and of the framing of a body than there may be."""
        known, between = self._request_count, self._body.is_eof()
        super().data_received(data)
        if self._request_count != known:
            self._begun(self._request_count - known)
        elif between:
            self._head_size += len(data)
            if self._head_size > LONGEST_HEAD:
                self._refuse_head()
        else:
            self._framing += len(data)
            if self._framing > MOST_FRAMING + 2 * self._body.total_bytes:
                break_body(self._body, RequestPayloadError())

    def _begun(self, count: int) -> None:
        """So many heads are there: refuse the first where it is too long, and break a body that goes on as none."""
        message, self._body = self._messages[-1]
        if isinstance(message, _ErrInfo) and self._current_request is not None:
            break_body(self._current_request.content, RequestPayloadError())
        first = self._messages[-count][0]
        if self._head_size and not isinstance(first, _ErrInfo):
            lengths = [len(name) + len(value) for name, value in first.raw_headers]
            if len(first.path) + sum(lengths) > LONGEST_HEAD:
                self._messages[-count] = (TOO_LONG_HEAD, EMPTY_PAYLOAD)
        self._head_size = self._framing = 0

    def _refuse_head(self) -> None:
        """Answer a head that is too long before it is whole; what comes after is not looked at.

        Behind a request that is still answered the connection just ends with that answer.
        """
        if self._close:
            return
        self._request_count += 1
        self._messages.append((TOO_LONG_HEAD, EMPTY_PAYLOAD))
        self._close = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _debt(self) -> Debt | None:
        """What the client owes. A request that is answered by us or a provider is no debt of the client's."""
        request, unsent = self._current_request, self._wire.get_write_buffer_size() if self._wire is not None else 0
        if unsent:
            return Debt(Owed.ANSWER, (request.writer.output_size if request is not None else 0) - unsent)
        if request is None:
            due = self._head_size or not self._request_count
            return Debt(Owed.HEAD, self._request_count) if due else None
        body = request.content
        comes = not (body.is_eof() or body.exception() or self._reading_paused or self._buffer_paused)
        return Debt(Owed.BODY, body.total_bytes) if comes else None

    def _over(self, owed: Owed) -> None:
        """The client's time is over: end the connection; of a body its reader says so."""
        log.log(logging.DEBUG if owed is Owed.HEAD else logging.INFO, "client too slow", extra={"owed": owed.value})
        if owed is Owed.BODY and self._current_request is not None:
            break_body(self._current_request.content, web.HTTPRequestTimeout())
        elif owed is Owed.HEAD and self._wire is not None:
            self._wire.close()
        elif self._wire is not None:
            self._wire.abort()

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what kind of error it was; its text and traceback quote the request."""
        error = kw.get("exc_info")
        if isinstance(error, (RequestPayloadError, web.HTTPRequestTimeout)):
            return  # the rest of a body that its answer has told of already
        log.error("connection failed", extra={"fault": fault_of(error) if error else "no answer"})

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """The answer to what could not be read (400) or broke us (500); the connection ends with it."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun: it can only be cut")
        said = REFUSED[500] if status >= 500 else why_unread(exc)
        fault = "" if exc is None else fault_of(exc) if status >= 500 else type(exc).__name__
        response = refusal(request, status, said, fault)
        response.force_close()
        return response


TOO_LONG_HEAD = _ErrInfo(HTTPStatus.BAD_REQUEST, http_exceptions.LineTooLong(b"", LONGEST_HEAD), "")


def why_unread(error: BaseException | None) -> str:
    """What is wrong with a request that could not be read."""
    if isinstance(error, http_exceptions.HttpProcessingError) and error.message == TOO_MANY:
        return TOO_LONG
    return UNREAD.get(type(error), NOT_HTTP) if error is not None else NOT_HTTP


def break_body(body: StreamReader, error: BaseException) -> None:
    """Tell the reader of a body, who would wait for ever, that it does not come as it should."""
    if not body.is_eof() and body.exception() is None:
        body.set_exception(error)


class Server(web.Server):
    """Makes a `Connection` for each client, with the settings of the server that aiohttp made of the application.

    `counted` hears 1 for each that comes and -1 for each that goes.
    """

    def __init__(
        self, made: web.Server, proxy: Proxy | None, patience: float, counted: Callable[[int], None] | None
    ) -> None:
        super().__init__(
            answering(made.request_handler, proxy),
            request_factory=made.request_factory,
            handler_cancellation=made.handler_cancellation,
            **made._kwargs,
        )
        self._patience = patience
        self._counted = counted

    def __call__(self) -> RequestHandler:
        return Connection(self, loop=self._loop, patience=self._patience, **self._kwargs)

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """A client came."""
        super().connection_made(handler, transport)
        if self._counted is not None:
            self._counted(1)

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """It went."""
        super().connection_lost(handler, exc)
        if self._counted is not None:
            self._counted(-1)


class Runner(web.AppRunner):
    """Runs an application behind such connections."""

    __slots__ = ("_counted", "_patience")

    def __init__(
        self, app: web.Application, *, patience: float, counted: Callable[[int], None] | None = None, **settings: Any
    ) -> None:
        super().__init__(app, **settings)
        self._patience = patience
        self._counted = counted

    async def _make_server(self) -> web.Server:
        return Server(await super()._make_server(), self.app.get(PROXY), self._patience, self._counted)


def answering(answer: Answer, proxy: Proxy | None) -> Answer:
    """The application's answers; where aiohttp refuses a request before it reaches a path of ours, one in JSON.

    What goes to a provider takes a short way past the application, whose routing it does not need (but to meet an
    expectation).
    """

    async def answered(request: web.BaseRequest) -> web.StreamResponse:
        route = route_of(request.method, request.raw_path)
        if route is not None and proxy is not None and hdrs.EXPECT not in request.headers:
            return await proxy.served(request, route)
        try:
            return await answer(request)
        except web.HTTPException as refused:
            said = REFUSED.get(refused.status, HTTPStatus(refused.status).phrase)
            return refusal(request, refused.status, said, type(refused).__name__)

    return answered


def refusal(request: web.BaseRequest, status: int, message: str, fault: str) -> web.Response:
    """The answer that says it, in the shape of the path's provider; logged with its type and status alone."""
    id = str(uuid_utils.uuid7())
    level = logging.ERROR if status >= 500 else logging.WARNING
    log.log(level, "request refused", extra={"request_id": id, "fault": fault, "status": status})
    route = route_of(request.method, request.raw_path)
    headers = {"x-foldpoint-request-id": id}
    return failure_response(Failure(status, message), route.shape if route else "", id, headers)
