"""Reading back what a request hid: a tool's result as the client sent it, whole or a part of it."""

import asyncio
import re
from datetime import UTC, datetime
from http import HTTPStatus

from aiohttp import web

from foldpoint.core.recall import MOST, BadPart, Part, part_of
from foldpoint.stores.base import Result as Kept
from foldpoint.stores.base import whole_of

from ..state import RECORDER, STORE
from .guard import Refused, caller_of
from .shapes import Next, Result

WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)
NEXT = "X-Foldpoint-Next"
OFF = 'this gateway keeps none (store.messages = "off")'


async def result(request: web.Request) -> Result | web.Response:
    """A result whole, the lines from one to another, or those that match; as text where the client wants that."""
    query = request.query
    turn, start, end = (number(request, field) for field in ("turn", "from", "to"))
    most, skip = number(request, "most", MOST), number(request, "skip", 0)
    if most is None or not 1 <= most <= MOST:
        raise Refused(HTTPStatus.BAD_REQUEST, f"most must be a whole number from 1 to {MOST}", "most")
    kept = await found(request, turn)
    try:
        text = whole_of(kept.texts or ())
        part = await asyncio.to_thread(part_of, text, start, end, query.get("pattern", ""), most, skip or 0)
    except BadPart as error:
        raise Refused(HTTPStatus.BAD_REQUEST, str(error), error.field) from None
    return plain(part) if wants_text(request) else told(kept, part)


async def found(request: web.Request, turn: int | None) -> Kept:
    """The kept result that is asked for. Raises Refused where there is none, or none any more."""
    session, id = request.match_info["session"], request.match_info["id"]
    recorder = request.app[RECORDER]
    await recorder.flush()
    kept = await asyncio.to_thread(request.app[STORE].result, caller_of(request).tenant, session, id, turn)
    lasts = recorder.messages_seconds
    if kept is None:
        why = f": {OFF}" if lasts is None else ""
        which = "" if turn is None else f" of turn {turn}"
        raise Refused(HTTPStatus.NOT_FOUND, f"no hidden result{which} has the id {id!r} in session {session!r}{why}")
    if kept.texts is None:
        raise Refused(HTTPStatus.GONE, expired(kept, lasts))
    return kept


def expired(kept: Kept, lasts: int | None) -> str:
    """That it is gone, since when, and why."""
    since = datetime.fromtimestamp(kept.gone or 0, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    rule = OFF if lasts is None else f"originals are kept for {spoken(lasts)} after a session's last request"
    return f"the result {kept.id!r} ({kept.characters} characters) expired at {since}: {rule}; run the tool again"


def spoken(seconds: int) -> str:
    """A length of time in the largest unit that it is a whole number of."""
    for unit, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds // unit} {name}{'' if seconds == unit else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def told(kept: Kept, part: Part) -> Result:
    """The part as JSON says it."""
    onward = None if part.next is None else Next(part.next[0], part.next[1])
    return Result(
        id=kept.id, session=kept.session, transcript=kept.transcript, turn=kept.turn, name=kept.name, time=kept.time,
        characters=part.characters, lines=part.lines, from_=part.start, to=part.end, matches=part.matches,
        text=part.text, next=onward, more=part.more,
    )  # fmt: skip


def plain(part: Part) -> web.Response:
    """The text alone; how to go on is in a header."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if part.next is not None:
        headers[NEXT] = f"from={part.next[0]}&skip={part.next[1]}"
    body = part.text.encode("utf-8", "replace")
    return web.Response(body=body, content_type="text/plain", charset="utf-8", headers=headers)


def wants_text(request: web.Request) -> bool:
    """Does the client name text, and JSON not?"""
    wanted = ",".join(request.headers.getall("accept", ())).lower()
    return "text/plain" in wanted and "application/json" not in wanted


def number(request: web.Request, field: str, default: int | None = None) -> int | None:
    """A whole number of the query."""
    text = request.query.get(field)
    if text is None:
        return default
    if not WHOLE.fullmatch(text):
        raise Refused(HTTPStatus.BAD_REQUEST, f"{field} must be a whole number", field)
    return int(text)
