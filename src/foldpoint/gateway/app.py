"""The gateway's application: its paths, and what it holds while it runs."""

from collections.abc import AsyncIterator

from aiohttp import web

from foldpoint.config import Settings
from foldpoint.stores.base import Store
from foldpoint.stores.recorder import Recorder

from . import health
from .api.paths import add_routes
from .callers import CALLERS, KEYRING, Callers, Engines
from .keyring import Keyring
from .limits import Limits
from .proxy import PROXY, Proxy
from .state import NEWEST, NEWS, RECORDER, SHARED, STORE, TRAFFIC, Shared, Traffic
from .upstream import Upstreams


def create_app(
    *, settings: Settings, engines: Engines, recorder: Recorder, store: Store, shared: Shared
) -> web.Application:
    """The application that serves providers' paths and our own.

    It starts and closes the recorder and what is shared, not the store.
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

    app = web.Application(client_max_size=0)
    app[STORE], app[RECORDER], app[TRAFFIC], app[SHARED] = store, recorder, traffic, shared
    app[CALLERS], app[KEYRING] = callers, keyring
    app[NEWEST], app[NEWS] = shared.newest, shared.news(keyring.forget, keyring.forget_all)
    app[PROXY] = proxy = Proxy(settings, callers, limits, recorder, upstreams, traffic)
    app.cleanup_ctx.extend((sharing, recording, connections))
    add_routes(app)
    app.router.add_get("/healthz", health.ready)
    app.router.add_get("/", health.root)
    app.router.add_head("/anthropic", health.root)
    app.router.add_route("*", "/{target:.*}", proxy.answer)
    return app
