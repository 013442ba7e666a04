"""The composition root: settings become a store, a recorder, an engine and the application that serves with them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from foldpoint.config import Settings
from foldpoint.engine import Engine
from foldpoint.gateway.app import create_app
from foldpoint.stores import Recorder, open_store, spool_of


@contextmanager
def gateway(settings: Settings) -> Iterator[web.Application]:
    """The gateway's application with everything it needs; the store is closed at the end.

    Raises:
        StoreError: when the store cannot be opened.
    """
    store = open_store(settings.store.url, settings.data_dir)
    try:
        recorder = Recorder(
            store,
            spool_of(settings.store.url, settings.data_dir),
            flush_ms=settings.store.flush_ms,
            messages_seconds=settings.store.messages_seconds(),
        )
        engine = Engine(settings.policy(), clock=time.perf_counter_ns)
        yield create_app(settings=settings, engine=engine, recorder=recorder, store=store)
    finally:
        store.close()
