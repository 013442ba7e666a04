"""The gateway's application: its paths, and what it holds while it runs."""

from collections.abc import AsyncIterator
from http import HTTPStatus

from aiohttp import web

from foldpoint.config import Settings
from foldpoint.stores.base import RecordStore
from foldpoint.stores.recorder import Recorder

from . import health, records
from .modes import Folder
from .proxy import PROXY, Proxy
from .state import RECORDER, STORE, TRAFFIC, Traffic
from .upstream import Upstreams


def create_app(*, settings: Settings, engine: Folder, recorder: Recorder, store: RecordStore) -> web.Application:
    """The application that serves providers' paths and our own. It starts and closes the recorder, not the store."""
    upstreams = Upstreams(settings.upstreams, settings.gateway.upstream_timeout_seconds)
    traffic = Traffic()
    proxy = Proxy(settings, engine, recorder, upstreams, traffic)

    async def connections(app: web.Application) -> AsyncIterator[None]:
        async with upstreams:
            yield

    async def recording(app: web.Application) -> AsyncIterator[None]:
        await recorder.start()
        yield
        await recorder.close()

    app = web.Application(client_max_size=0)
    app[STORE], app[RECORDER], app[TRAFFIC], app[PROXY] = store, recorder, traffic, proxy
    app.cleanup_ctx.extend((recording, connections))
    app.router.add_get("/livez", health.live)
    for path in ("/readyz", "/healthz"):
        app.router.add_get(path, health.ready)
    app.router.add_get("/", health.root)
    app.router.add_head("/anthropic", health.root)
    records.add_routes(app)
    read_only(app)
    app.router.add_route("*", "/{target:.*}", proxy.answer)
    return app


def read_only(app: web.Application) -> None:
    """Answer 405 to methods that a path of the records does not have: records are read and no more."""
    for resource in app.router.resources():
        if isinstance(resource, web.Resource) and resource.canonical.startswith(records.PREFIX):
            resource.add_route("*", not_allowed)


async def not_allowed(request: web.Request) -> web.Response:
    """Say which methods there are, in the shape of the records' errors."""
    message = f"{request.method} is not allowed here: records are read with GET"
    answer = health.said({"error": {"message": message}}, HTTPStatus.METHOD_NOT_ALLOWED)
    answer.headers["Allow"] = "GET, HEAD"
    return answer
