"""Probes: is the process alive, and should it get requests? Neither ever asks a provider."""

from http import HTTPStatus

import msgspec
from aiohttp import web

from .state import RECORDER, TRAFFIC

NAME = {"name": "foldpoint", "providers": ["/v1", "/anthropic", "/gemini", "/bedrock"], "records": "/api/v1/tenant"}


async def live(request: web.Request) -> web.Response:
    """200 while the process answers at all."""
    return said({"status": "live"})


async def ready(request: web.Request) -> web.Response:
    """200 while requests are welcome, 503 once the gateway is about to stop. A failing store spools: still ready."""
    if request.app[TRAFFIC].draining:
        return said({"status": "draining"}, HTTPStatus.SERVICE_UNAVAILABLE)
    return said({"status": "ready", "store": "degraded" if request.app[RECORDER].failing else "ok"})


async def root(request: web.Request) -> web.Response:
    """200 for clients that probe the base URL, and for people the paths there are."""
    return said(NAME)


def said(value: object, status: int = HTTPStatus.OK) -> web.Response:
    """A JSON answer that nobody keeps."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", headers=headers
    )
