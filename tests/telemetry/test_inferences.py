"""Figures as a collector gets them over OTLP."""

from collections.abc import Mapping
from typing import Any

from collector import plain
from seen import seen
from test_traces import send

HERE = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude-sonnet-5",
    "server.address": "api.anthropic.com",
    "server.port": 443,
}
TOKENS = {**HERE, "gen_ai.token.modality": "unknown"}
REQUESTS = [
    seen(streams=True, first_byte_ms=250.0),
    seen(streams=True, first_byte_ms=750.0),
    seen(status=529, usage=None, upstream_ms=36.0),
]


def points(environ: Mapping[str, str] | None = None) -> dict[str, list[tuple[dict[str, Any], tuple[float, ...]]]]:
    """The points of each metric: of counters the value, of histograms count and sum."""
    got = {}
    for name, metric in send(REQUESTS, environ).metrics().items():
        if metric.HasField("sum"):
            assert metric.sum.is_monotonic
            got[name] = [(plain(point.attributes), (point.as_int,)) for point in metric.sum.data_points]
        else:
            got[name] = [
                (plain(point.attributes), (point.count, round(point.sum, 6))) for point in metric.histogram.data_points
            ]
    return got


def test_figures_of_requests() -> None:
    """By the conventions: input tokens include cached ones, a request that failed counts with none."""
    failed = {**HERE, "error.type": "529"}
    assert points() == {
        "gen_ai.client.inference.duration": [(HERE, (2, 2.008)), (failed, (1, 0.04))],
        "gen_ai.client.inference.time_to_first_chunk": [(HERE, (2, 1.0))],
        "gen_ai.client.inference.usage.input_tokens": [(TOKENS, (2100,))],
        "gen_ai.client.inference.usage.output_tokens": [(TOKENS, (40,))],
        "gen_ai.client.inference.usage.cache_read.input_tokens": [(TOKENS, (1800,))],
        "gen_ai.client.inference.usage.cache_write.input_tokens": [(TOKENS, (100,))],
        "gen_ai.client.inference.operation.input_tokens": [(HERE, (2, 2100)), (failed, (1, 0))],
        "gen_ai.client.inference.operation.output_tokens": [(HERE, (2, 40)), (failed, (1, 0))],
    }


def test_former_names_of_figures() -> None:
    """Beside the present ones, where the environment asks for both."""
    old = {**HERE, "gen_ai.system": "anthropic"}
    got = points({"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai/dup"})
    assert got["gen_ai.client.operation.duration"] == [(old, (2, 2.008)), ({**old, "error.type": "529"}, (1, 0.04))]
    assert got["gen_ai.client.token.usage"] == [
        ({**old, "gen_ai.token.type": "input"}, (2, 2100)),
        ({**old, "gen_ai.token.type": "output"}, (2, 40)),
    ]
    assert "gen_ai.client.inference.duration" in got


def test_models_are_rows_of_the_price_table() -> None:
    """A client can make no series here either."""
    requests = [seen(model=f"made-up-{number}") for number in range(3_000)]
    (point,) = send(requests).metrics()["gen_ai.client.inference.usage.input_tokens"].sum.data_points
    assert plain(point.attributes)["gen_ai.request.model"] == "other"
