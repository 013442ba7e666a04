"""Probes: is the process alive, and should it get requests? Neither ever asks a provider."""

from http import HTTPStatus
from typing import Literal

import msgspec
from aiohttp import web

from .saying import said
from .state import RECORDER, SHARED, TRAFFIC

NAME = {
    "name": "foldpoint",
    "providers": ["/v1", "/anthropic", "/gemini", "/bedrock"],
    "records": "/api/v1/tenant",
    "openapi": "/openapi.json",
}
State = Literal["ok", "degraded"]


class Alive(msgspec.Struct, frozen=True):
    """The process answers."""

    status: Literal["live"] = "live"


class Ready(msgspec.Struct, frozen=True):
    """Whether requests are welcome, and how the parts are that no request depends on."""

    status: Literal["ready", "draining"]
    store: State
    shared: State


async def live(request: web.Request) -> Alive:
    """200 while the process answers at all."""
    return Alive()


async def ready(request: web.Request) -> web.Response:
    """200 while requests are welcome, 503 once the gateway is about to stop. A failing store spools: still ready."""
    app = request.app
    draining = app[TRAFFIC].draining
    answer = Ready("draining" if draining else "ready", state(app[RECORDER].failing), state(app[SHARED].failing))
    return said(answer, HTTPStatus.SERVICE_UNAVAILABLE if draining else HTTPStatus.OK)


def state(failing: bool) -> State:
    """The word for it."""
    return "degraded" if failing else "ok"


async def root(request: web.Request) -> web.Response:
    """200 for clients that probe the base URL, and for people the paths there are."""
    return said(NAME)
