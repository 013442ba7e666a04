"""OTLP exporters that say once that a collector takes nothing, and once that it does again."""

import logging
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

log = logging.getLogger("foldpoint.telemetry")


class Collector:
    """Whether a collector took what it was sent last; a change is said, and where it is without credentials."""

    def __init__(self, address: str, what: str) -> None:
        url = urlsplit(address)
        self._about = {"collector": f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}", "what": what}
        self._away = False

    def went(self, well: bool) -> None:
        """Something was sent to it."""
        if well and self._away:
            log.info("the collector takes telemetry again", extra=self._about)
        elif not well and not self._away:
            log.warning("the collector takes no telemetry: some is lost until it does", extra=self._about)
        self._away = not well


class Spans(OTLPSpanExporter):
    """Sends spans to `address`."""

    def __init__(self, address: str) -> None:
        super().__init__(endpoint=address)
        self._collector = Collector(address, "traces")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        self._collector.went(result is SpanExportResult.SUCCESS)
        return result


class Figures(OTLPMetricExporter):
    """Sends metrics to `address`."""

    def __init__(self, address: str) -> None:
        super().__init__(endpoint=address)
        self._collector = Collector(address, "metrics")

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        result = super().export(metrics_data, timeout_millis, **kwargs)
        self._collector.went(result is MetricExportResult.SUCCESS)
        return result
