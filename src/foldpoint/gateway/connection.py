"""One client's connection: what is no request for us is refused in JSON, and never quoted, for it may hold a key."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import uuid_utils
from aiohttp import hdrs, http_exceptions, web
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from foldpoint.core.errors import fault_of

from .failures import Failure, failure_response
from .line import LONGEST_HEADER
from .proxy import PROXY, Proxy
from .routes import BEGINNINGS, route_of

TOO_LONG = f"the request line or a header is longer than {LONGEST_HEADER // 1024} KiB, or there are too many headers"
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
    HTTPStatus.EXPECTATION_FAILED: "the only expectation that is met is 100-continue",
    HTTPStatus.INTERNAL_SERVER_ERROR: "a fault of the gateway, logged with the id of this request",
}
log = logging.getLogger(__name__)

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Connection(RequestHandler):
    """The server's end of a connection. aiohttp's own says and logs the bytes that it could not read."""

    __slots__ = ()

    def data_received(self, data: bytes) -> None:
        """Take the next bytes; where they break the framing of a body, tell its reader, who would wait for ever."""
        super().data_received(data)
        if self._messages and isinstance(self._messages[-1][0], _ErrInfo) and self._current_request is not None:
            content = self._current_request.content
            if not content.is_eof() and content.exception() is None:
                content.set_exception(RequestPayloadError())

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what kind of error it was; its text and traceback quote the request."""
        error = kw.get("exc_info")
        log.error("connection failed", extra={"fault": fault_of(error) if error else "no answer"})

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """The answer to what could not be read (400) or broke us (500); the connection ends with it."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun: it can only be cut")
        said = REFUSED[500] if status >= 500 else UNREAD.get(type(exc), NOT_HTTP) if exc else NOT_HTTP
        fault = "" if exc is None else fault_of(exc) if status >= 500 else type(exc).__name__
        response = refusal(request, status, said, fault)
        response.force_close()
        return response


class Server(web.Server):
    """Makes a `Connection` for each client, with the settings of the server that aiohttp made of the application."""

    def __init__(self, made: web.Server, proxy: Proxy | None) -> None:
        super().__init__(
            answering(made.request_handler, proxy),
            request_factory=made.request_factory,
            handler_cancellation=made.handler_cancellation,
            **made._kwargs,
        )

    def __call__(self) -> RequestHandler:
        return Connection(self, loop=self._loop, **self._kwargs)


class Runner(web.AppRunner):
    """Runs an application behind such connections."""

    __slots__ = ()

    async def _make_server(self) -> web.Server:
        return Server(await super()._make_server(), self.app.get(PROXY))


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
