"""Before every path of the API: who may come in, what may be asked, and every fault said as JSON."""

import ipaddress
import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any, Literal

import msgspec
from aiohttp import web

from foldpoint.core.errors import nearest
from foldpoint.core.key import Key
from foldpoint.core.key_skills import PlanForbids, Rejected
from foldpoint.stores.base import StoreError

from ..body import Streamed, encoding_of, read_body
from ..callers import CALLERS, NO_KEY, Caller, presented
from ..failures import Failure, retry_headers
from ..saying import said
from .shapes import Fault, Faults

Who = Literal["anyone", "tenant", "key", "admin"]
Answer = Callable[[web.Request], Awaitable[object]]
"""Gives what is said as JSON, or a response."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LONGEST_BODY = 64 * 1024
CALLER = web.RequestKey("caller", Caller)
CLOSED = "the admin API is closed: set gateway.admin_key"
AWAY = "the store is away: try again; the log says why"
NOT_ADMIN = "this wants the admin key: send it as Authorization (Bearer)"
log = logging.getLogger(__name__)


class Refused(Exception):
    """A request that is not answered: the status, why, and the field at fault."""

    def __init__(self, status: HTTPStatus, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field


def guarded(answer: Answer, who: Who, known: Sequence[str], made: HTTPStatus = HTTPStatus.OK) -> Handler:
    """A handler that lets in who may, and says the answer or why there is none."""

    async def handler(request: web.Request) -> web.StreamResponse:
        try:
            if who != "anyone":
                await admitted(request, who)
                check_query(request, known)
            given = await answer(request)
            return given if isinstance(given, web.StreamResponse) else said(given, made)
        except Refused as refused:
            return fault([Fault(refused.message, refused.field)], refused.status)
        except Rejected as rejected:
            return fault([Fault(message, field) for field, message in rejected.problems], HTTPStatus.BAD_REQUEST)
        except PlanForbids as forbidden:
            return fault([Fault(str(forbidden))], HTTPStatus.FORBIDDEN)
        except Failure as failure:
            return fault([Fault(failure.message)], HTTPStatus(failure.status), retry_headers(failure.seconds))
        except StoreError as error:
            log.warning("the store did not answer", extra={"error": str(error)})
            return fault([Fault(AWAY)], HTTPStatus.SERVICE_UNAVAILABLE, retry_headers(1.0))

    return handler


def fault(faults: list[Fault], status: HTTPStatus, headers: dict[str, str] | None = None) -> web.Response:
    """The answer that says what is wrong: the first of the faults, and all where there are several."""
    answer = said(Faults(faults[0], faults if len(faults) > 1 else []), status)
    answer.headers.update(headers or {})
    return answer


async def admitted(request: web.Request, who: Who) -> None:
    """Let in who may come in, and note who it is. Raises Refused or Failure."""
    callers = request.app[CALLERS]
    if who == "admin":
        if not callers.administered:
            raise Refused(HTTPStatus.FORBIDDEN, CLOSED)
        if not callers.is_admin(request.raw_headers):
            raise Refused(HTTPStatus.UNAUTHORIZED, NOT_ADMIN)
        return
    if presented(request.raw_headers) is None:
        check_host(request)
    request[CALLER] = caller = await callers.of(request.raw_headers)
    if who == "key" and caller.key is None:
        raise Refused(HTTPStatus.UNAUTHORIZED, NO_KEY)


def check_query(request: web.Request, known: Sequence[str]) -> None:
    """Refuse what nobody looks at."""
    for name in request.query:
        if name not in known:
            raise Refused(HTTPStatus.BAD_REQUEST, f"unknown parameter {name!r}{nearest(name, known)}", name)


def caller_of(request: web.Request) -> Caller:
    """Who asks."""
    return request[CALLER]


def key_of(request: web.Request) -> Key:
    """The key of who asks."""
    key = request[CALLER].key
    assert key is not None, "the guard lets in who has a key alone"
    return key


async def json_of(request: web.Request) -> Any:
    """The body, which is JSON. Raises Refused."""
    if encoding_of(request):
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be plain JSON, without content-encoding")
    read = await read_body(request, LONGEST_BODY)
    if isinstance(read, Streamed):
        message = f"the body is longer than {LONGEST_BODY} bytes"
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
    try:
        return msgspec.json.decode(read.content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON") from None


def check_host(request: web.Request) -> None:
    """Refuse a foreign host name on a loopback socket: a web page could point its own name here and read along."""
    bound = request.transport.get_extra_info("sockname") if request.transport else None
    if not bound or not _is_loopback(bound[0]):
        return
    try:
        name = request.url.host or ""
    except ValueError:  # a host header that is none
        name = request.host
    if name != "localhost" and not _is_loopback(name):
        raise Refused(HTTPStatus.FORBIDDEN, f"{name!r} is not this machine: read the records at localhost")


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
