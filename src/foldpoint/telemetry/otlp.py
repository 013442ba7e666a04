"""Whether traces and metrics go to an OpenTelemetry collector, and where; nothing of that is loaded unless they do."""

import threading
import time
from collections.abc import Callable, Mapping
from uuid import uuid4

import msgspec

from foldpoint.core.errors import FoldpointError

from . import content
from .content import Parts
from .observed import Observed, Observer

SETTING = "telemetry.otlp_endpoint"
BASE, TRACES, METRICS = (f"OTEL_EXPORTER_OTLP_{part}ENDPOINT" for part in ("", "TRACES_", "METRICS_"))
OPT_IN, BOTH = "OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai/dup"
CLOSE_SECONDS = 3.0


class MissingOpenTelemetry(FoldpointError):
    """Telemetry is to go to a collector, and what sends it is not installed."""

    def __init__(self, asked: str) -> None:
        super().__init__(f"{asked} is set and OpenTelemetry is not installed: pip install 'foldpoint[otel]'")


class Wanted(msgspec.Struct, frozen=True):
    """URLs that traces and metrics go to (empty: they go nowhere), and what asked for it."""

    traces: str = ""
    metrics: str = ""
    asked: str = ""


def wanted(endpoint: str, environ: Mapping[str, str]) -> Wanted:
    """Where telemetry goes. `endpoint` is our setting and comes before OpenTelemetry's own variables."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Wanted()
    base = endpoint or environ.get(BASE, "")
    found = {}
    for signal, variable in (("traces", TRACES), ("metrics", METRICS)):
        own = "" if endpoint else environ.get(variable, "")
        off = environ.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip().lower() == "none"
        found[signal] = "" if off else own or (f"{base.rstrip('/')}/v1/{signal}" if base else "")
    asked = SETTING if endpoint else next((name for name in (BASE, TRACES, METRICS) if environ.get(name)), "")
    return Wanted(**found, asked=asked)


class Otlp(msgspec.Struct):
    """What is sent to a collector: the observers of it. span_of: the trace id and the span id of a request."""

    observers: tuple[Observer, ...] = ()
    content: bool = False
    span_of: Callable[[Observed], tuple[str, str]] | None = None
    closes: tuple[Callable[[], None], ...] = ()

    def close(self) -> None:
        """Send what waits, for `CLOSE_SECONDS` at most, and stop."""
        ends = [threading.Thread(target=close, daemon=True) for close in self.closes]
        for end in ends:
            end.start()
        until = time.monotonic() + CLOSE_SECONDS
        for end in ends:
            end.join(max(0.0, until - time.monotonic()))


def open_otlp(
    to: Wanted, row: Callable[[str], str | None], parts: Parts, environ: Mapping[str, str], version: str = ""
) -> Otlp:
    """What sends telemetry to where it is wanted.

    row, version: as `Metrics` takes them. parts: as `content.messages` takes it.

    Raises:
        MissingOpenTelemetry: where the extra is not installed.
    """
    if not (to.traces or to.metrics):
        return Otlp()
    try:
        return _opened(to, row, parts, environ, version)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "opentelemetry":
            raise MissingOpenTelemetry(to.asked) from None
        raise


def _opened(
    to: Wanted, row: Callable[[str], str | None], parts: Parts, environ: Mapping[str, str], version: str
) -> Otlp:
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from .exporting import Figures, Spans
    from .inferences import Inferences
    from .tracing import Traces, span_of

    ours = {"service.name": "foldpoint", "service.version": version, "service.instance.id": str(uuid4())}
    resource = Resource.create(ours).merge(OTELResourceDetector().detect())
    older = BOTH in [word.strip() for word in environ.get(OPT_IN, "").split(",")]
    said = _said(parts) if content.is_wanted(environ) else None
    made: list[Traces | Inferences] = []
    if to.traces:
        made.append(Traces(BatchSpanProcessor(Spans(to.traces)), resource, content=said, older=older))
    if to.metrics:
        made.append(Inferences(PeriodicExportingMetricReader(Figures(to.metrics)), resource, row, older=older))
    return Otlp(
        observers=tuple(made),
        content=said is not None and to.traces != "",
        span_of=span_of if to.traces else None,
        closes=tuple(each.close for each in made),
    )


def _said(parts: Parts) -> Callable[[Observed], str]:
    """What says the messages of a request whose body is at hand."""

    def said(one: Observed) -> str:
        return content.messages(parts, one.record.surface, one.sent) if one.sent else ""

    return said
