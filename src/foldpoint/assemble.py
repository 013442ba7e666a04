"""The composition root: settings become stores, a recorder, engines and the application that serves with them."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from aiohttp import web

from foldpoint import __version__
from foldpoint.config import Settings, TelemetrySettings
from foldpoint.core.policy import Policy
from foldpoint.core.told import Told
from foldpoint.engine import Engine
from foldpoint.gateway.app import create_app
from foldpoint.gateway.callers import Engines
from foldpoint.pricing.catalog import known_name
from foldpoint.skills.memo import Memo
from foldpoint.stores import Recorder, open_store, spool_of
from foldpoint.stores.shared import open_shared
from foldpoint.surfaces import surface_named
from foldpoint.surfaces.parts import parts
from foldpoint.telemetry.telling import Telling, open_telling

POLICIES = 1_000
"""Engines that are kept: keys have policies of their own."""


@contextmanager
def gateway(settings: Settings) -> Iterator[web.Application]:
    """The gateway's application with everything it needs; the store is closed at the end.

    Raises:
        StoreError: when the store cannot be opened.
    """
    store = open_store(settings.store.url, settings.data_dir)
    try:
        shared = open_shared(settings.store.shared, settings.data_dir, settings.gateway.workers, store)
        told = telling(settings.telemetry)
        recorder = Recorder(
            store,
            spool_of(settings.store.url, settings.data_dir),
            flush_ms=settings.store.flush_ms,
            messages_seconds=settings.store.messages_seconds(),
            newest=shared.newest,
            took=told.metrics.took if told.metrics else None,
            results=store,
            read=results,
        )
        yield create_app(
            settings=settings, engines=engines(), recorder=recorder, store=store, shared=shared, telling=told
        )
    finally:
        store.close()


def results(surface: str, item: bytes) -> list[Told]:
    """The tool results in an item of a surface."""
    return surface_named(surface).results(item)


def telling(wanted: TelemetrySettings) -> Telling:
    """What tells of the gateway's work, as the settings want it."""
    return open_telling(
        metrics=wanted.metrics,
        otlp_endpoint=wanted.otlp_endpoint,
        log_requests=wanted.log_requests,
        row=known_name,
        parts=parts,
        environ=os.environ,
        version=__version__,
    )


def engines() -> Engines:
    """An engine for each policy; what they remember of transcripts is bounded together."""
    memo = Memo()

    @lru_cache(POLICIES)
    def of(policy: Policy) -> Engine:
        return Engine(policy, clock=time.perf_counter_ns, memo=memo)

    return of
