"""Reading back what the gateway did: requests, sessions, savings. A tenant sees its own and nothing else."""

import asyncio
import math
from datetime import UTC, datetime
from http import HTTPStatus
from typing import get_args

import msgspec
from aiohttp import web

from foldpoint.core.policy import SKILLS
from foldpoint.core.receipt import FOLD_IS_OFF
from foldpoint.core.record import Record
from foldpoint.stores.base import BadCursor, By, Sums
from foldpoint.surfaces.parts import parts

from ..state import NEWEST, RECORDER, STORE
from .guard import Refused, caller_of
from .shapes import (
    Figures,
    NewestRequests,
    Request,
    Requests,
    Saved,
    Savings,
    Session,
    SessionDetail,
    Sessions,
    Stage,
    Transcript,
)

MOST = 1000
BYS: tuple[By, ...] = get_args(By)


async def requests(request: web.Request) -> Requests:
    """A page of records, newest first."""
    query = request.query
    limit, since = limit_of(request), moment(query["since"]) if "since" in query else None
    await request.app[RECORDER].flush()
    try:
        page = await asyncio.to_thread(
            request.app[STORE].requests,
            tenant_of(request),
            session=query.get("session"),
            verdict=query.get("verdict"),
            since=since,
            limit=limit,
            cursor=query.get("cursor"),
        )
    except BadCursor as error:
        raise Refused(HTTPStatus.BAD_REQUEST, str(error), "cursor") from None
    return Requests([view(record) for record in page.records], page.cursor)


async def request(request: web.Request) -> Request:
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
    return msgspec.structs.replace(view(kept.record), messages_compacted=folded)


async def sessions(request: web.Request) -> Sessions:
    """The sessions with the newest requests, newest first."""
    limit = limit_of(request)
    await request.app[RECORDER].flush()
    found = await asyncio.to_thread(request.app[STORE].sessions, tenant_of(request), limit)
    return Sessions(
        [
            Session(
                session=one.session,
                first=one.first,
                last=one.last,
                transcripts=one.transcripts,
                cost_saved=saving(one.sums),
                **msgspec.structs.asdict(one.sums),
            )
            for one in found
        ]
    )


async def session(request: web.Request) -> SessionDetail:
    """One session: its transcripts in the order they began, each with its requests, oldest first."""
    await request.app[RECORDER].flush()
    id = request.match_info["id"]
    records = await asyncio.to_thread(request.app[STORE].session, tenant_of(request), id, MOST + 1)
    if not records:
        raise Refused(HTTPStatus.NOT_FOUND, f"no session has the id {id!r}")
    transcripts: dict[str, list[Request]] = {}
    for record in records[-MOST:]:
        transcripts.setdefault(record.transcript, []).append(view(record))
    listed = [Transcript(name, of_it) for name, of_it in transcripts.items()]
    return SessionDetail(id, listed, len(records) > MOST)


async def ring(request: web.Request) -> NewestRequests:
    """The newest records, from memory."""
    return NewestRequests([view(record) for record in await request.app[NEWEST].records(tenant_of(request))])


async def savings(request: web.Request) -> Savings:
    """What the fold saved: in all, and by model, session or day."""
    by = grouping(request)
    await request.app[RECORDER].flush()
    store, tenant = request.app[STORE], tenant_of(request)
    whole = await asyncio.to_thread(store.savings, tenant)
    rows = await asyncio.to_thread(store.savings, tenant, by) if by else []
    listed = [Saved(name=row.name, cost_saved=saving(row.sums), **msgspec.structs.asdict(row.sums)) for row in rows]
    total = whole[0].sums if whole else Sums()
    return Savings(by, listed, Figures(cost_saved=saving(total), **msgspec.structs.asdict(total)))


def grouping(request: web.Request) -> By | None:
    """What the caller wants the figures by."""
    text = request.query.get("by")
    for by in BYS:
        if text == by:
            return by
    if text is not None:
        raise Refused(HTTPStatus.BAD_REQUEST, f"by must be one of {', '.join(BYS)}", "by")
    return None


def view(record: Record) -> Request:
    """A record as it is said."""
    stage = Stage(SKILLS[0], record.verdict, record.sealed, record.total, record.checkpoint)
    consulted = record.verdict and record.mode != "off" and record.reason not in FOLD_IS_OFF
    return Request(**msgspec.structs.asdict(record), stages=[stage] if consulted else [])


def saving(sums: Sums) -> float | None:
    """USD that were saved; None where no request is priced."""
    return None if sums.cost is None or sums.cost_without is None else sums.cost_without - sums.cost


def tenant_of(request: web.Request) -> str:
    """Whose records the caller may see."""
    return caller_of(request).tenant


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
