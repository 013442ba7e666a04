"""An OpenTelemetry collector on a real loopback port that keeps what it was sent."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Collector:
    """Where it listens, and the bodies that came, by path. `status` is what it answers; it waits for `free` first."""

    url: str = ""
    status: int = 200
    free: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)
    got: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        """All that came."""
        return b"".join(body for _, body in self.got)

    def spans(self) -> list[Span]:
        """The spans that came, in the order they began; those of one request as they stand in it."""
        requests = [ExportTraceServiceRequest.FromString(body) for path, body in self.got if path == "/v1/traces"]
        spans = [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(spans, key=lambda span: (span.start_time_unix_nano, span.name == "foldpoint.fold"))

    def resources(self) -> list[dict[str, Any]]:
        """The attributes of what sent them."""
        requests = [ExportTraceServiceRequest.FromString(body) for path, body in self.got if path == "/v1/traces"]
        return [plain(each.resource.attributes) for request in requests for each in request.resource_spans]

    def metrics(self) -> dict[str, Metric]:
        """The metrics that came last, by name."""
        requests = [ExportMetricsServiceRequest.FromString(body) for path, body in self.got if path == "/v1/metrics"]
        return {
            metric.name: metric
            for request in requests
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def plain(attributes: Any) -> dict[str, Any]:
    """Attributes as a mapping."""

    def value(given: AnyValue) -> Any:
        return getattr(given, str(given.WhichOneof("value")))

    pairs: list[KeyValue] = list(attributes)
    return {pair.key: value(pair.value) for pair in pairs}


@contextmanager
def collector(*, status: int = 200, slow: bool = False) -> Iterator[Collector]:
    """One that listens while inside. A slow one answers once it is let go (`free`), at the end at the latest."""
    it = Collector(status=status)
    if not slow:
        it.free.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            it.got.append((self.path, gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body))
            it.came.set()
            it.free.wait(20)
            self.send_response(it.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    it.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield it
    finally:
        it.free.set()
        server.shutdown()
        thread.join()
        server.server_close()
