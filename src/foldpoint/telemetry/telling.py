"""All that tells of a running gateway, put together from plain settings."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .content import Parts
from .names import OBSERVATIONS_DROPPED
from .observed import Observer
from .otlp import Otlp, open_otlp, wanted
from .requests import RequestLog
from .watching import Watching

if TYPE_CHECKING:
    from .metrics import Metrics


class Telling:
    """Where requests are put that ended (`watching`), and what a scraper is given (`metrics`, None: they are off)."""

    def __init__(self, watching: Watching, metrics: "Metrics | None", otlp: Otlp) -> None:
        self.watching = watching
        self.metrics = metrics
        self._otlp = otlp

    async def start(self) -> None:
        """Begin."""
        await self.watching.start()

    async def close(self) -> None:
        """Tell what is not told yet, for a few seconds at most, and stop."""
        await self.watching.close()
        await asyncio.to_thread(self._otlp.close)


def open_telling(
    *,
    metrics: bool,
    otlp_endpoint: str,
    log_requests: bool,
    row: Callable[[str], str | None],
    parts: Parts,
    environ: Mapping[str, str],
    version: str,
) -> Telling:
    """What the settings ask for; without any, nothing is watched. To be called before a loop runs or in it.

    row: names the row of the price table that a model falls under, None where there is none. parts: reads the messages
    of a body, by surface. What else the gateway can tell is for `Metrics.tell`.

    Raises:
        MissingOpenTelemetry: where a collector is set and the extra is not installed.
    """
    otlp = open_otlp(wanted(otlp_endpoint, environ), row, parts, environ, version)
    observers: list[Observer] = [*otlp.observers, *([RequestLog(otlp.span_of)] if log_requests else [])]
    if not metrics:
        return Telling(Watching(observers, content=otlp.content), None, otlp)
    from .metrics import Metrics

    figures = Metrics(row, version=version)
    ticks = [figures.refresh] if figures.shared else []
    watching = Watching([figures, *observers], content=otlp.content, ticks=ticks)
    figures.tell(OBSERVATIONS_DROPPED, lambda: watching.dropped)
    return Telling(watching, figures, otlp)
