"""Reading back what the gateway did: requests, sessions, savings. A tenant sees its own and nothing else."""

import asyncio
import ipaddress
import math
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, get_args

import msgspec
from aiohttp import web

from foldpoint.core.errors import nearest
from foldpoint.core.policy import SKILLS
from foldpoint.core.record import Record
from foldpoint.stores.base import BadCursor, By, StoreError, Sums
from foldpoint.surfaces.parts import parts

from .health import said
from .state import RECORDER, STORE

PREFIX = "/api/v1/tenant"
LOCAL = "local"
TENANT = web.RequestKey("tenant", str)
MOST = 1000
BYS: tuple[By, ...] = get_args(By)
Answer = Callable[[web.Request], Awaitable[object]]


class Refused(Exception):
    """A request that is not answered: the status, why, and the field at fault."""

    def __init__(self, status: HTTPStatus, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field


def add_routes(app: web.Application) -> None:
    """Add the read-back paths to an application that holds STORE and RECORDER."""
    for path, answer, known in (
        ("/requests", requests, ("session", "verdict", "since", "limit", "cursor")),
        ("/request/{id}", request, ("messages",)),
        ("/sessions", sessions, ("limit",)),
        ("/session/{id:.+}", session, ()),
        ("/ring", ring, ()),
        ("/savings", savings, ("by",)),
    ):
        app.router.add_get(PREFIX + path, door(answer, known))


def door(answer: Answer, known: tuple[str, ...]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler that says the answer, or why there is none, as JSON."""

    async def handler(request: web.Request) -> web.StreamResponse:
        try:
            check_host(request)
            for name in request.query:
                if name not in known:
                    raise Refused(HTTPStatus.BAD_REQUEST, f"unknown parameter {name!r}{nearest(name, known)}", name)
            return said(await answer(request))
        except Refused as refused:
            fault = {"message": refused.message} | ({"field": refused.field} if refused.field else {})
            return said({"error": fault}, refused.status)
        except StoreError as error:
            return said({"error": {"message": f"the store cannot be read: {error}"}}, HTTPStatus.SERVICE_UNAVAILABLE)

    return handler


async def requests(request: web.Request) -> object:
    """A page of records, newest first."""
    await request.app[RECORDER].flush()
    query = request.query
    try:
        page = await asyncio.to_thread(
            request.app[STORE].requests,
            tenant_of(request),
            session=query.get("session"),
            verdict=query.get("verdict"),
            since=moment(query["since"]) if "since" in query else None,
            limit=limit_of(request),
            cursor=query.get("cursor"),
        )
    except BadCursor as error:
        raise Refused(HTTPStatus.BAD_REQUEST, str(error), "cursor") from None
    return {"requests": [view(record) for record in page.records], "cursor": page.cursor}


async def request(request: web.Request) -> object:
    """One record, with the folded messages when asked for (null where they are not kept)."""
    asked = request.query.get("messages", "false")
    if asked not in ("true", "false"):
        raise Refused(HTTPStatus.BAD_REQUEST, "messages must be true or false", "messages")
    await request.app[RECORDER].flush()
    id = request.match_info["id"]
    kept = await asyncio.to_thread(request.app[STORE].request, tenant_of(request), id, asked == "true")
    if kept is None:
        raise Refused(HTTPStatus.NOT_FOUND, f"no request has the id {id!r}")
    if asked == "false":
        return view(kept.record)
    folded = None
    if kept.messages is not None:
        folded = await asyncio.to_thread(parts, kept.record.surface, kept.messages)
    return {**view(kept.record), "messages_compacted": folded}


async def sessions(request: web.Request) -> object:
    """The sessions with the newest requests, newest first."""
    await request.app[RECORDER].flush()
    found = await asyncio.to_thread(request.app[STORE].sessions, tenant_of(request), limit_of(request))
    heads = ("session", "first", "last", "transcripts")
    return {"sessions": [{**{name: getattr(one, name) for name in heads}, **figures(one.sums)} for one in found]}


async def session(request: web.Request) -> object:
    """One session: its transcripts in the order they began, each with its requests, oldest first."""
    await request.app[RECORDER].flush()
    id = request.match_info["id"]
    records = await asyncio.to_thread(request.app[STORE].session, tenant_of(request), id, MOST + 1)
    if not records:
        raise Refused(HTTPStatus.NOT_FOUND, f"no session has the id {id!r}")
    transcripts: dict[str, list[dict[str, Any]]] = {}
    for record in records[-MOST:]:
        transcripts.setdefault(record.transcript, []).append(view(record))
    listed = [{"transcript": name, "requests": of_it} for name, of_it in transcripts.items()]
    return {"session": id, "transcripts": listed, "truncated": len(records) > MOST}


async def ring(request: web.Request) -> object:
    """The newest records, from memory."""
    return {"requests": [view(record) for record in await request.app[RECORDER].ring.records(tenant_of(request))]}


async def savings(request: web.Request) -> object:
    """What the fold saved: in all, and by model, session or day."""
    by = grouping(request)
    await request.app[RECORDER].flush()
    store, tenant = request.app[STORE], tenant_of(request)
    whole = await asyncio.to_thread(store.savings, tenant)
    rows = await asyncio.to_thread(store.savings, tenant, by) if by else []
    listed = [{"name": row.name, **figures(row.sums)} for row in rows]
    return {"by": by, "rows": listed, "total": figures(whole[0].sums if whole else Sums())}


def grouping(request: web.Request) -> By | None:
    """What the caller wants the figures by."""
    text = request.query.get("by")
    for by in BYS:
        if text == by:
            return by
    if text is not None:
        raise Refused(HTTPStatus.BAD_REQUEST, f"by must be one of {', '.join(BYS)}", "by")
    return None


def view(record: Record) -> dict[str, Any]:
    """A record as it is said: every column, and the stage of each skill that was consulted."""
    stage = {"skill": SKILLS[0], "action": record.verdict, "sealed": record.sealed, "total": record.total}
    said_of_it: dict[str, Any] = msgspec.to_builtins(record)
    consulted = record.verdict and record.mode != "off"
    return {**said_of_it, "stages": [{**stage, "checkpoint": record.checkpoint}] if consulted else []}


def figures(sums: Sums) -> dict[str, Any]:
    """Sums as they are said: with the saving in USD, null where no request is priced."""
    listed: dict[str, Any] = msgspec.to_builtins(sums)
    saved = None if sums.cost is None or sums.cost_without is None else sums.cost_without - sums.cost
    return {**listed, "cost_saved": saved}


def tenant_of(request: web.Request) -> str:
    """Whose records the caller may see."""
    tenant: str = request.get(TENANT, LOCAL)
    return tenant


def limit_of(request: web.Request) -> int:
    """How many rows the caller wants."""
    text = request.query.get("limit", "100")
    if not text.isdecimal() or not text.isascii() or len(text) > 4 or not 1 <= int(text) <= MOST:
        raise Refused(HTTPStatus.BAD_REQUEST, f"limit must be a whole number from 1 to {MOST}", "limit")
    return int(text)


def moment(text: str) -> float:
    """Seconds since the epoch, from such a number or from an ISO 8601 time (UTC where it names no zone)."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            time = datetime.fromisoformat(text)
            seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            seconds = math.nan
    if not math.isfinite(seconds):
        mend = "since must be seconds since the epoch or a time such as 2026-01-31T12:00:00Z"
        raise Refused(HTTPStatus.BAD_REQUEST, mend, "since")
    return seconds


def check_host(request: web.Request) -> None:
    """Refuse a foreign host name on a loopback socket: a web page could point its own name here and read along."""
    bound = request.transport.get_extra_info("sockname") if request.transport else None
    if not bound or not _is_loopback(bound[0]):
        return
    name = request.url.host or ""
    if name != "localhost" and not _is_loopback(name):
        raise Refused(HTTPStatus.FORBIDDEN, f"{name!r} is not this machine: read the records at localhost")


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
