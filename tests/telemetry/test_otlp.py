"""Where telemetry goes, and what happens when nobody takes it."""

import logging
import subprocess
import sys

import pytest
from collector import Collector, collector
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from seen import row, seen

from foldpoint.telemetry.exporting import Spans
from foldpoint.telemetry.otlp import Wanted, open_otlp, wanted
from foldpoint.telemetry.tracing import Traces

OURS, BASE = "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES, METRICS = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"


@pytest.mark.parametrize(
    ("endpoint", "environ", "to"),
    [
        ("", {}, Wanted()),
        (f"{OURS}/", {}, Wanted(f"{OURS}/v1/traces", f"{OURS}/v1/metrics", "telemetry.otlp_endpoint")),
        ("", {BASE: "http://c/x"}, Wanted("http://c/x/v1/traces", "http://c/x/v1/metrics", BASE)),
        (OURS, {BASE: "http://c", TRACES: "http://t"},
         Wanted(f"{OURS}/v1/traces", f"{OURS}/v1/metrics", "telemetry.otlp_endpoint")),
        ("", {TRACES: "http://t/in"}, Wanted("http://t/in", "", TRACES)),
        ("", {METRICS: "http://m/in"}, Wanted("", "http://m/in", METRICS)),
        ("", {BASE: "http://c", METRICS: "http://m/in"}, Wanted("http://c/v1/traces", "http://m/in", BASE)),
        (OURS, {"OTEL_SDK_DISABLED": "TRUE"}, Wanted()),
        (OURS, {"OTEL_METRICS_EXPORTER": "none"}, Wanted(f"{OURS}/v1/traces", "", "telemetry.otlp_endpoint")),
    ],
)  # fmt: skip
def test_where_it_goes(endpoint: str, environ: dict[str, str], to: Wanted) -> None:
    """To our setting, else to where OpenTelemetry's variables say, else nowhere."""
    assert wanted(endpoint, environ) == to


def test_nothing_is_loaded_unless_it_goes_somewhere() -> None:
    """The gateway starts without the extra, and says which one is missing where a setting wants it."""
    code = """
import sys
sys.modules["opentelemetry"] = None
from foldpoint.telemetry.otlp import MissingOpenTelemetry, Wanted, open_otlp
print(open_otlp(Wanted(), str, list, {}).observers)
try:
    open_otlp(Wanted(traces="http://127.0.0.1:1/v1/traces", asked="telemetry.otlp_endpoint"), str, list, {})
except MissingOpenTelemetry as missing:
    print(missing)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "()",
        "telemetry.otlp_endpoint is set and OpenTelemetry is not installed: pip install 'foldpoint[otel]'",
    ]


def test_variables_of_opentelemetry() -> None:
    """Its exporter's own hold, such as the name of the service and headers for the collector."""
    with collector() as it:
        code = """
import os
from seen import row, seen
from foldpoint.telemetry.otlp import open_otlp, wanted
otlp = open_otlp(wanted("", os.environ), row, lambda surface, body: [], os.environ, "1.2.3")
for observer in otlp.observers:
    observer.observe([seen()])
otlp.close()
"""
        environ = {
            BASE: it.url,
            "OTEL_SERVICE_NAME": "my-gateway",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,service.version=9",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            "PYTHONPATH": str(__file__.rpartition("/")[0]),
        }
        subprocess.run([sys.executable, "-c", code], env=environ, check=True)
    assert sorted(path for path, _ in it.got) == ["/v1/metrics", "/v1/traces"]
    (said,) = it.resources()
    names = ("service.name", "deployment.environment.name", "service.version")
    assert [said[name] for name in names] == ["my-gateway", "test", "9"]


def test_a_collector_that_refuses_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """And once that it takes telemetry again; where it is without the credentials in its address."""
    caplog.set_level(logging.INFO, "foldpoint.telemetry")

    def told(it: Collector) -> list[str]:
        address = it.url.replace("//", "//user:sk-secret@") + "/v1/traces"
        traces = Traces(SimpleSpanProcessor(Spans(address)), Resource.get_empty())
        for status in (400, 400, 200, 200, 400):
            it.status = status
            traces.observe([seen(None)])
        traces.close()
        ours = [line for line in caplog.records if line.name == "foldpoint.telemetry"]
        assert {line.__dict__["collector"] for line in ours} == {it.url + "/v1/traces"}
        return [line.getMessage() for line in ours]

    with collector() as it:
        away = "the collector takes no telemetry: some is lost until it does"
        assert told(it) == [away, "the collector takes telemetry again", away]
    assert "sk-secret" not in "".join(
        line.getMessage() + str(line.__dict__.get("collector")) for line in caplog.records
    )


def test_a_slow_collector_holds_up_nothing() -> None:
    """Requests are observed while it does not answer, and the gateway stops all the same."""
    with collector(slow=True) as it:
        otlp = open_otlp(wanted(it.url, {}), row, lambda surface, body: [], {})
        for _ in range(3):
            for observer in otlp.observers:
                observer.observe([seen()] * 500)
        assert it.came.wait(20)
        otlp.close()
        assert not it.free.is_set()
