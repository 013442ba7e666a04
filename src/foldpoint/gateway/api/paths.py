"""The one table of the API's paths: routes and the OpenAPI document are made from it."""

from functools import cache
from http import HTTPStatus
from typing import Any, get_args

import msgspec
from aiohttp import web

from foldpoint.core.recall import LONGEST_PATTERN, MOST
from foldpoint.core.receipt import VERDICTS
from foldpoint.stores.base import By

from .. import health
from ..saying import said
from . import asked, document, keys, records, results
from .guard import Answer, Handler, Who, guarded
from .shapes import (
    Fault,
    Faults,
    Keys,
    KeyView,
    NewestRequests,
    NewKey,
    Request,
    Requests,
    Result,
    Savings,
    SessionDetail,
    Sessions,
    Skills,
)

TENANT, SESSION = "/api/v1/tenant", "/api/v1/session"
KEYS, SKILLS = "/api/v1/dev_keys", "/api/v1/dev_key/skills"
LIMIT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": records.MOST, "default": 100}
TEXT: dict[str, Any] = {"type": "string"}


class Path(msgspec.Struct, frozen=True):
    """One method of one path: who may ask, what may be asked for, and what the answer is.

    `query` and `inside` (of the path) are JSON schemas by name, `body` is one; `faults` are statuses besides those of
    the guard. `text`: the answer may be asked for as plain text.
    """

    method: str
    path: str
    answer: Answer
    about: str
    who: Who
    answers: type
    status: HTTPStatus = HTTPStatus.OK
    query: dict[str, dict[str, Any]] = {}
    inside: dict[str, dict[str, Any]] = {}
    body: dict[str, Any] | None = None
    text: bool = False
    faults: tuple[HTTPStatus, ...] = ()


BAD, NONE, GONE = HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.GONE
AWAY = HTTPStatus.SERVICE_UNAVAILABLE
UNREAD = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
PATHS = (
    Path(
        "GET", f"{TENANT}/requests", records.requests, "A page of records, newest first.", "tenant", Requests,
        query={
            "session": TEXT, "verdict": {"type": "string", "examples": list(VERDICTS)},
            "since": {"type": "string", "description": "seconds since the epoch, or an ISO 8601 time"},
            "limit": LIMIT, "cursor": {"type": "string", "description": "of the page before"},
        },
        faults=(BAD, AWAY),
    ),
    Path(
        "GET", f"{TENANT}/request/{{id}}", records.request, "One record.", "tenant", Request,
        query={"messages": {"type": "boolean", "description": "with the folded messages", "default": False}},
        inside={"id": TEXT}, faults=(BAD, NONE, AWAY),
    ),
    Path(
        "GET", f"{TENANT}/sessions", records.sessions, "The newest sessions.", "tenant", Sessions,
        query={"limit": LIMIT}, faults=(BAD, AWAY),
    ),
    Path(
        "GET", f"{TENANT}/session/{{id}}", records.session, "One session: its transcripts and their requests.",
        "tenant", SessionDetail, inside={"id": TEXT}, faults=(BAD, NONE, AWAY),
    ),
    Path(
        "GET", f"{TENANT}/ring", records.ring, "The newest records, from memory.", "tenant", NewestRequests,
        faults=(BAD, AWAY),
    ),
    Path(
        "GET", f"{TENANT}/savings", records.savings, "What the fold saved.", "tenant", Savings,
        query={"by": {"type": "string", "enum": list(get_args(By))}}, faults=(BAD, AWAY),
    ),
    Path(
        "GET", f"{SESSION}/{{session}}/result/{{id}}", results.result,
        "A hidden tool result by the id of its call: whole, lines of it, or the lines that match.", "tenant", Result,
        query={
            "turn": {"type": "integer", "description": "which, where an id was used again; the newest unless told"},
            "from": {"type": "integer", "description": "the first line: from 1, or from -1 backwards"},
            "to": {"type": "integer", "description": "the last line, likewise"},
            "pattern": {
                "type": "string", "maxLength": LONGEST_PATTERN,
                "description": "a regular expression in RE2's syntax: the lines that match, each behind its number",
            },
            "skip": {"type": "integer", "minimum": 0, "description": "characters of the first line to leave out"},
            "most": {
                "type": "integer", "minimum": 1, "maximum": MOST, "default": MOST,
                "description": "characters of the answer's text",
            },
        },
        inside={"session": TEXT, "id": TEXT}, text=True, faults=(BAD, NONE, GONE, AWAY),
    ),
    Path(
        "GET", SKILLS, keys.skills, "What the key folds by; without a key, what the gateway is configured with.",
        "tenant", Skills, faults=(BAD, AWAY),
    ),
    Path(
        "POST", SKILLS, keys.set_skills, "Set what the key folds by: all of it or nothing.", "key", Skills,
        body=asked.SAVE, faults=(BAD, AWAY, *UNREAD),
    ),
    Path(
        "GET", KEYS, keys.listed, "All keys, or those of one tenant.", "admin", Keys,
        query={"tenant": TEXT}, faults=(BAD, AWAY),
    ),
    Path(
        "POST", KEYS, keys.create, "Make a key; the answer alone has its secret.", "admin", NewKey,
        status=HTTPStatus.CREATED, body=asked.KEY, faults=(BAD, AWAY, *UNREAD),
    ),
    Path(
        "DELETE", f"{KEYS}/{{id}}", keys.revoke, "Revoke a key.", "admin", KeyView,
        inside={"id": TEXT}, faults=(BAD, NONE, AWAY),
    ),
    Path("GET", "/livez", health.live, "Is the process alive?", "anyone", health.Alive),
    Path("GET", "/readyz", health.ready, "Are requests welcome?", "anyone", health.Ready, faults=(AWAY,)),
)  # fmt: skip
SLASHES = {
    f"{TENANT}/session/{{id}}": f"{TENANT}/session/{{id:.+}}",
    f"{SESSION}/{{session}}/result/{{id}}": f"{SESSION}/{{session:.+?}}/result/{{id:.+}}",
}
"""Paths whose parts may hold slashes: sessions and calls are named by others."""


def add_routes(app: web.Application) -> None:
    """Add every path of the table, the document, and a 405 for the methods that a path does not have."""
    there: dict[str, list[str]] = {}
    for each in PATHS:
        path = SLASHES.get(each.path, each.path)
        there.setdefault(path, []).append(each.method)
        handler = guarded(each.answer, each.who, tuple(each.query), each.status)
        app.router.add_route(each.method, path, handler)
        if each.method == "GET":
            app.router.add_head(path, handler)
    app.router.add_get("/openapi.json", openapi)
    there["/openapi.json"] = ["GET"]
    for path, methods in there.items():
        app.router.add_route("*", path, not_allowed(methods))


def not_allowed(methods: list[str]) -> Handler:
    """A handler that says which methods there are."""
    allowed = ", ".join(other for method in methods for other in ((method, "HEAD") if method == "GET" else (method,)))

    async def handler(request: web.Request) -> web.Response:
        message = f"{request.method} is not allowed here: there is {allowed}"
        answer = said(Faults(Fault(message)), HTTPStatus.METHOD_NOT_ALLOWED)
        answer.headers["Allow"] = allowed
        return answer

    return handler


async def openapi(request: web.Request) -> web.Response:
    """The document that describes all of this."""
    return said(msgspec.Raw(described()))


@cache
def described() -> bytes:
    """The document as JSON. To make it takes some milliseconds, in which nobody else is served: once is enough."""
    return msgspec.json.encode(document.of(PATHS))
