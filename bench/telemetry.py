"""What it costs to tell of a request, in thread time: on the event loop, and in the thread that observers run in."""

import asyncio
import io
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from statistics import median

from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

from foldpoint.core.receipt import Receipt, Stage
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.pricing.catalog import known_name
from foldpoint.telemetry.inferences import Inferences
from foldpoint.telemetry.logs import Json
from foldpoint.telemetry.metrics import Metrics
from foldpoint.telemetry.observed import Observed, cleaned
from foldpoint.telemetry.requests import RequestLog
from foldpoint.telemetry.tracing import Traces
from foldpoint.telemetry.watching import Watching

from .report import Figure, Section

BATCH, ROUNDS = 125, 40
"""Requests of a quarter of a second at 500 a second."""
RECEIPT = Receipt(
    "compacted", "checkpoint", stages=(Stage("agent_trajectory_compaction", "compacted", 9, 13, "0" * 12),)
)


class Nowhere(SpanExporter):
    """Takes spans."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS


def measured(full: bool) -> Section:
    """Section 4: to put a request, and each observer on a batch of them."""
    batch = [request(number) for number in range(BATCH)]
    log = logging.getLogger("foldpoint.requests")
    to = logging.StreamHandler(io.StringIO())
    to.setFormatter(Json())
    log.addHandler(to)
    log.propagate = False
    log.setLevel(logging.INFO)
    observers: dict[str, Callable[[list[Observed]], object]] = {
        "cleaned": lambda some: [cleaned(one) for one in some],
        "figures for Prometheus": Metrics(known_name).observe,
        "spans": Traces(SimpleSpanProcessor(Nowhere()), Resource.get_empty()).observe,
        "figures over OTLP": Inferences(InMemoryMetricReader(), Resource.get_empty(), known_name).observe,
        "a log line": RequestLog().observe,
    }
    each = [Figure(f"{name}, a request", in_thread(call, batch), "µs") for name, call in observers.items()]
    log.removeHandler(to)
    log.propagate = True
    figures = (Figure("put, on the event loop, median", putting(), "µs"), *each, Figure("a page", page(batch), "ms"))
    return Section(f"4. Telemetry (thread time; batches of {BATCH})", figures)


def request(number: int) -> Observed:
    """A folded request of one of a few models, keys and sessions."""
    record = Record(
        id=str(uuid.UUID(int=number + (1 << 100))),
        time=1.0,
        session=f"s{number % 20}",
        transcript="t",
        surface="anthropic",
        model=f"claude-sonnet-{4 + number % 2}",
        mode="prod",
        verdict="compacted",
        reason="checkpoint",
        strategy="epoch",
        tokens_before=30_000,
        tokens_after=10_000,
        overhead_us=900,
        upstream_ms=2_000.0,
        status=200,
        usage=Usage(100, 9_000, 500, 200),
        cost=0.01,
        cost_without=0.02,
        messages_compacted_count=9,
    )
    return Observed(
        record, RECEIPT, f"key-{number % 10}", "anthropic", "https://api.anthropic.com", first_byte_ms=400.0
    )


def in_thread(call: Callable[[list[Observed]], object], batch: list[Observed]) -> float:
    """Microseconds for each request of a batch, the median of batches."""
    taken = []
    for _ in range(ROUNDS):
        began = time.thread_time_ns()
        call(batch)
        taken.append((time.thread_time_ns() - began) / 1e3 / len(batch))
    return median(taken)


def putting() -> float:
    """Microseconds to make what is observed and to put it, the median of runs of 100."""
    record = request(1).record

    async def main() -> float:
        watching = Watching([Metrics(known_name)])
        taken = []
        for _ in range(150):
            began = time.thread_time_ns()
            for _ in range(100):
                watching.put(
                    Observed(record, RECEIPT, "key", "anthropic", "https://api.anthropic.com", first_byte_ms=1.0)
                )
            taken.append((time.thread_time_ns() - began) / 1e3 / 100)
        await watching.close()
        return median(taken)

    return asyncio.run(main())


def page(batch: list[Observed]) -> float:
    """Milliseconds to write the page after a batch."""
    metrics = Metrics(known_name)
    metrics.observe(batch)
    taken = []
    for _ in range(ROUNDS):
        began = time.thread_time_ns()
        metrics.render()
        taken.append((time.thread_time_ns() - began) / 1e6)
    return median(taken)
