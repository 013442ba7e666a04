"""What Prometheus scrapes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Protocol

from aiohttp import web

from .api.guard import Refused, check_host
from .callers import brings

PATH = "/metrics"
FLUSH_SECONDS = 1.0
BROUGHT_IN = (b"authorization",)


class Figures(Protocol):
    """What a scraper is given."""

    def render(self, accept: str) -> tuple[bytes, str]:
        """The figures in a form that `accept` asks for, and their content type."""


class Waiting(Protocol):
    """Requests that are not counted yet."""

    async def flush(self) -> None:
        """Count them."""


def scraped(
    figures: Figures | None, waiting: Waiting, key: str | None
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The handler that shows the figures: 404 where there are none, 401 without the key where there is one."""

    async def handler(request: web.Request) -> web.StreamResponse:
        if figures is None:
            return refused(HTTPStatus.NOT_FOUND, "telemetry.metrics is off")
        if key is not None and not brings(request.raw_headers, key, BROUGHT_IN):
            return refused(HTTPStatus.UNAUTHORIZED, "send telemetry.metrics_key as bearer")
        if key is None:
            try:
                check_host(request)
            except Refused as stranger:
                return refused(stranger.status, stranger.message)
        with suppress(TimeoutError):
            await asyncio.wait_for(waiting.flush(), FLUSH_SECONDS)
        body, kind = await asyncio.to_thread(figures.render, request.headers.get("accept", ""))
        response = web.Response(body=body, headers={"Content-Type": kind, "Cache-Control": "no-store"})
        response.enable_compression()
        return response

    return handler


def refused(status: HTTPStatus, why: str) -> web.Response:
    """An answer that says why there are no figures."""
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    return web.Response(status=status, text=f"foldpoint: {why}\n", headers=headers)
