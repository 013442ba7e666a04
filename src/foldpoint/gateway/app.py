"""The gateway's application: its paths, and what it holds while it runs."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from aiohttp import web

from foldpoint.config import Settings
from foldpoint.stores.base import Store
from foldpoint.stores.recorder import Recorder
from foldpoint.telemetry import names
from foldpoint.telemetry.telling import Telling

from . import health
from .api.paths import add_routes
from .callers import CALLERS, KEYRING, Callers, Engines
from .keyring import Keyring
from .limits import Limits
from .metrics import PATH as METRICS
from .metrics import scraped
from .proxy import PROXY, Proxy
from .state import NEWEST, NEWS, RECORDER, SHARED, STORE, TRAFFIC, Shared, Traffic
from .upstream import Upstreams

if TYPE_CHECKING:
    from foldpoint.telemetry.metrics import Metrics


def create_app(
    *, settings: Settings, engines: Engines, recorder: Recorder, store: Store, shared: Shared, telling: Telling
) -> web.Application:
    """The application that serves providers' paths and our own.

    It starts and closes the recorder, what is shared and what tells of it, not the store.
    """
    upstreams = Upstreams(settings.upstreams, settings.gateway.upstream_timeout_seconds)
    keyring = Keyring(store, settings.gateway.key_secret)
    callers = Callers(settings, engines, keyring)
    limits, traffic = Limits(shared.limiter), Traffic()

    async def connections(app: web.Application) -> AsyncIterator[None]:
        async with upstreams:
            yield

    async def sharing(app: web.Application) -> AsyncIterator[None]:
        await shared.start()
        yield
        await limits.settle()
        await shared.close()

    async def recording(app: web.Application) -> AsyncIterator[None]:
        await recorder.start()
        yield
        await recorder.close()

    async def watching(app: web.Application) -> AsyncIterator[None]:
        await telling.start()
        yield
        await telling.close()

    app = web.Application(client_max_size=0)
    app[STORE], app[RECORDER], app[TRAFFIC], app[SHARED] = store, recorder, traffic, shared
    app[CALLERS], app[KEYRING] = callers, keyring
    app[NEWEST], app[NEWS] = shared.newest, shared.news(keyring.forget, keyring.forget_all)
    app[PROXY] = proxy = Proxy(settings, callers, limits, recorder, telling.watching, upstreams, traffic)
    app.cleanup_ctx.extend((watching, sharing, recording, connections))
    add_routes(app)
    if telling.metrics is not None:
        tell(telling.metrics, recorder, shared, traffic)
    app.router.add_get(METRICS, scraped(telling.metrics, telling.watching, settings.telemetry.metrics_key))
    app.router.add_get("/healthz", health.ready)
    app.router.add_get("/", health.root)
    app.router.add_head("/anthropic", health.root)
    app.router.add_route("*", "/{target:.*}", proxy.answer)
    return app


def tell(metrics: "Metrics", recorder: Recorder, shared: Shared, traffic: Traffic) -> None:
    """Let a scraper see how the gateway is."""
    metrics.tell(names.OPEN, lambda: traffic.open)
    metrics.tell(names.DRAINING, lambda: traffic.draining)
    metrics.tell(names.STORE_FAILING, lambda: recorder.failing)
    metrics.tell(names.SHARED_FAILING, lambda: shared.failing)
    metrics.tell(names.RECORDS_WAITING, lambda: recorder.waiting)
    metrics.tell(names.RECORDS_SPOOLED, lambda: recorder.spooled_bytes)
    metrics.tell(names.RECORDS_DROPPED, lambda: recorder.dropped)
