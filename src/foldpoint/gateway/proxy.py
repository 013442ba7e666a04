"""The gateway's door: read, fold, send on, relay back and record a request; say what failed to the caller."""

import logging
import time
from collections.abc import Mapping
from http import HTTPStatus

import uuid_utils
from aiohttp import web

from foldpoint.config import Settings
from foldpoint.core.errors import fault_of
from foldpoint.core.ports import Names
from foldpoint.core.record import CLIENT_LEFT
from foldpoint.telemetry.observed import Observed
from foldpoint.telemetry.watching import Watching

from .body import Streamed, Whole, encoding_of, failure_of, read_body
from .callers import Caller, Callers, without_keys
from .changes import Changes, changed
from .counting import PATH as COUNTS
from .counting import consult_inside
from .credentials import with_credential
from .encodings import Unread, inflated
from .exchange import Exchange
from .failures import Failure, failure_response
from .headers import request_fields
from .limits import Limits
from .line import Reply
from .modes import Consulted, consult, is_folded, measured, skipped
from .relay import cut, relay, relayed
from .routes import BEGINNINGS, Route, route_of, told_apart
from .sealing import FIXED, OPEN, Asked, Seal, Sealing
from .sessions import LONGEST, handle_of, names_of, without_session_id
from .state import Recording, Traffic
from .upstream import Body, Upstreams
from .usage_copy import UsageCopy

NO_WEBSOCKET = "WebSocket is not relayed; send the request with POST"
WITHOUT_BODY = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
"""Methods of which no length is said where there is no body."""
log = logging.getLogger(__name__)


class Proxy:
    """Answers every provider path."""

    def __init__(
        self,
        settings: Settings,
        callers: Callers,
        limits: Limits,
        recorder: Recording,
        watching: Watching,
        upstreams: Upstreams,
        traffic: Traffic,
    ) -> None:
        self._settings = settings
        self._callers = callers
        self._limits = limits
        self._recorder = recorder
        self._watching = watching
        self._upstreams = upstreams
        self._traffic = traffic
        self._sealing = Sealing(settings.upstreams["bedrock"].aws)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request; an error of ours is an answer in the caller's shape."""
        return await self.served(request, route_of(request.method, request.raw_path))

    async def served(self, request: web.BaseRequest, route: Route | None) -> web.StreamResponse:
        """The same for a route that is known already."""
        route = told_apart(route, request.headers) if route else None
        exchange = Exchange(
            id=str(uuid_utils.uuid7()),
            time=time.time(),
            route=route or Route("", "", request.raw_path, False),
        )
        self._traffic.enter()
        try:
            response = await self._admitted(request, exchange) if route else self._failed(exchange, nowhere(request))
        except Failure as failure:
            response = self._failed(exchange, failure)
        except Exception as error:  # noqa: BLE001 (the door: nothing of ours may reach the caller as a broken connection)
            response = self._broken(request, exchange, error)
        finally:
            self._traffic.leave()
            exchange.upstream_ns = time.perf_counter_ns() - exchange.sent_ns if exchange.sent_ns else 0
            self._limits.leave(exchange)
            if exchange.route.billed and exchange.caller:
                self._told(request, exchange, exchange.caller)
            elif exchange.hidden:  # one that was counted alone: the next one hides nothing new
                self._recorder.keep(exchange.record(), exchange.hidden)
        # A head that is out did not say that the connection ends: who keeps it may send on it at any moment.
        if (self._traffic.draining and not response.prepared) or request.content.exception() is not None:
            response.force_close()
        return response

    def _told(self, request: web.BaseRequest, exchange: Exchange, caller: Caller) -> None:
        """Have the request remembered, and seen by those who watch."""
        record = exchange.record()
        self._recorder.put(record, exchange.messages, exchange.hidden)
        if self._watching.idle:
            return
        headers = request.headers
        self._watching.put(
            Observed(
                record,
                exchange.receipt,
                key=(caller.key.name or caller.key.id) if caller.key else "",
                upstream=exchange.route.upstream,
                address=self._settings.upstreams[exchange.route.upstream].base_url,
                traceparent=headers.get("traceparent", ""),
                tracestate=headers.get("tracestate", ""),
                first_byte_ms=(exchange.head_ns - exchange.sent_ns) / 1e6 if exchange.head_ns else None,
                streams=exchange.streams,
                ended=time.time(),
                sent=exchange.sent,
            )
        )

    async def _admitted(self, request: web.BaseRequest, exchange: Exchange) -> web.StreamResponse:
        """Serve a request of one who may ask, within what the key may use up."""
        exchange.caller = caller = await self._callers.sending(request.raw_headers, exchange.route.target)
        exchange.mode = caller.policy.mode
        await self._limits.enter(exchange)
        return await self._relayed(request, exchange, caller)

    async def _relayed(self, request: web.BaseRequest, exchange: Exchange, caller: Caller) -> web.StreamResponse:
        """Send the request on and its answer back."""
        reply = await self._sent(request, exchange, caller)
        exchange.head_ns, exchange.streams = time.perf_counter_ns(), is_stream(reply.headers)
        copy = UsageCopy(exchange.route.surface, reply.headers) if exchange.route.folds else None
        try:
            exchange.status = reply.status
            exchange.response = response = relayed(reply, exchange.headers())
            if self._traffic.draining:
                response.force_close()
            exchange.status = await relay(request, reply, response, copy) or reply.status
        except BaseException:
            exchange.status = CLIENT_LEFT
            raise
        finally:
            reply.close()
            exchange.usage = copy.usage() if copy else None
        return response

    async def _sent(self, request: web.BaseRequest, exchange: Exchange, caller: Caller) -> Reply:
        """Read the request, fold it where it is ours to fold, and send it; the answer's head."""
        if request.headers.get("upgrade", "").lower() == "websocket":
            raise Failure(HTTPStatus.UPGRADE_REQUIRED, NO_WEBSOCKET)
        read = await read_body(request, self._settings.gateway.max_body_bytes)
        began = time.perf_counter_ns()
        plain = await self._plain(request, exchange, read)
        upstream = exchange.route.upstream
        credential = caller.credential(upstream, self._settings.upstreams[upstream].api_key)
        seal = await self._seal(request, exchange.route, read, credential, caller.key is not None)
        body, length = self._outgoing(request, exchange, caller, read, plain, seal)
        fields = changed(request_fields(request.raw_headers, length), exchange.changes)
        fields = without_keys(fields) if caller.key else fields
        fields = with_credential(fields, upstream, credential, caller.key is not None, exchange.route.target)
        if seal.keys is not None:
            address = self._upstreams.address(upstream, exchange.route.target)
            fields = seal.on(request.method, address, fields, body)
        del read
        if self._watching.content and isinstance(body, bytes):
            exchange.sent = body
        exchange.sent_ns = time.perf_counter_ns()
        exchange.overhead_ns = exchange.sent_ns - began
        try:
            return await self._upstreams.send(upstream, request.method, exchange.route.target, fields, body)
        except Failure as failure:
            raise failure_of(request.content.exception()) or failure from None

    async def _plain(self, request: web.BaseRequest, exchange: Exchange, read: Whole | Streamed) -> bytes | Unread:
        """The body as a skill can read it, or why it can't."""
        if isinstance(read, Streamed):
            return "too_large"
        encoding = encoding_of(request) if exchange.route.folds and exchange.mode != "off" else ""
        limit = self._settings.gateway.max_body_bytes
        return await inflated(read.content, encoding, limit) if encoding else read.content

    async def _seal(
        self, request: web.BaseRequest, route: Route, read: Whole | Streamed, credential: str | None, known: bool
    ) -> Seal:
        """What vouches for the request: AWS wants its very bytes signed. `known`: it brought a key of ours."""
        if route.upstream != "bedrock" or credential is not None:
            return OPEN
        if isinstance(read, Streamed) or not request.raw_path.isascii():
            return FIXED
        url = f"http://{request.host}{request.raw_path}"
        base = self._settings.upstreams[route.upstream].base_url
        return await self._sealing.of(Asked(request.method, url, request.headers, read.content), base, known)

    def _outgoing(
        self,
        request: web.BaseRequest,
        exchange: Exchange,
        caller: Caller,
        read: Whole | Streamed,
        plain: bytes | Unread,
        seal: Seal,
    ) -> tuple[Body, int | None]:
        """What is sent as the body, and its length (None: the client's own framing, or no body)."""
        if isinstance(read, Streamed):
            self._skip(request, exchange, caller, "too_large", request.content_length or 0)
            return read.chunks, None
        content = read.content
        if exchange.route.folds:
            if isinstance(plain, str):
                self._skip(request, exchange, caller, plain, len(content))
            elif (sent := self._fold(request, exchange, caller, plain, seal)) is not plain:
                content = sent
        has_length = content or request.content_length is not None or request.method not in WITHOUT_BODY
        return content, len(content) if has_length else None

    def _skip(self, request: web.BaseRequest, exchange: Exchange, caller: Caller, reason: str, size: int) -> None:
        """Note that the body is passed on unread."""
        if exchange.route.folds:
            exchange.receipt = skipped(caller.policy, reason, size)
            exchange.handle = handle_of(request.headers, Names(), "")

    def _fold(self, request: web.BaseRequest, exchange: Exchange, caller: Caller, content: bytes, seal: Seal) -> bytes:
        """The body to send instead of the client's."""
        route = exchange.route
        done = consulted(caller, route, content)
        if seal.fixed and exchange.mode == "prod":
            done, exchange.mode = measured(done, content), "shadow"
        if done.fault:
            log.error("fold failed", extra={"request_id": exchange.id, "fault": done.fault})
        names = done.names or names_of(content)
        sent = done.body
        if (
            names.session_id is not None
            and not seal.fixed
            and not self._settings.upstreams[route.upstream].keep_session_id
        ):
            sent = without_session_id(sent)
        exchange.receipt, exchange.model = done.receipt, done.model[:LONGEST]
        exchange.handle = handle_of(request.headers, names, done.opening)
        exchange.changes = Changes(plain=sent is not content and encoding_of(request) != "", beta=done.beta)
        if is_folded(done, content):
            exchange.messages, exchange.hidden = sent, done.hidden
        return sent

    def _failed(self, exchange: Exchange, failure: Failure) -> web.Response:
        """The answer to a request that we cannot serve."""
        exchange.status = failure.status
        return failure_response(failure, exchange.route.shape, exchange.id, exchange.headers())

    def _broken(self, request: web.BaseRequest, exchange: Exchange, error: Exception) -> web.StreamResponse:
        """The answer where the fault is ours; an answer that has begun is cut."""
        log.error("request failed", extra={"request_id": exchange.id, "fault": fault_of(error)})
        exchange.status = HTTPStatus.INTERNAL_SERVER_ERROR
        if exchange.response is not None and exchange.response.prepared:
            cut(request, exchange.response)
            return exchange.response
        return self._failed(exchange, Failure(500, f"a fault of the gateway, logged as request {exchange.id}"))


PROXY = web.AppKey("proxy", Proxy)


def is_stream(headers: Mapping[str, str]) -> bool:
    """Does the provider answer piece by piece?"""
    return headers.get("content-type", "").startswith(("text/event-stream", "application/vnd.amazon.eventstream"))


def consulted(caller: Caller, route: Route, content: bytes) -> Consulted:
    """What the caller's engine makes of a body, or of the one that is wrapped in it."""
    engine, mode, tenant = caller.engine, caller.policy.mode, caller.tenant
    wraps = route.surface == "bedrock" and route.path.endswith(COUNTS)
    inside = consult_inside(engine, mode, content, route.path, tenant) if wraps else None
    return inside or consult(engine, mode, content, route.surface, route.path, tenant)


def nowhere(request: web.BaseRequest) -> Failure:
    """What is said of a path that is nobody's."""
    return Failure(HTTPStatus.NOT_FOUND, f"there is no path {request.raw_path.partition('?')[0]}; {BEGINNINGS}")
