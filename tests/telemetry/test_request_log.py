"""A line for each request, with figures and names and nothing else."""

import io
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

from seen import ID, seen

from foldpoint.telemetry import names
from foldpoint.telemetry.logs import Json
from foldpoint.telemetry.observed import Observed
from foldpoint.telemetry.requests import RequestLog
from foldpoint.telemetry.tracing import span_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def written(
    batch: Sequence[Observed], ids: Callable[[Observed], tuple[str, str]] | None = None, level: int = logging.INFO
) -> list[dict[str, Any]]:
    """The lines as a process writes them."""
    stream = io.StringIO()
    to = logging.StreamHandler(stream)
    to.setFormatter(Json())
    log = logging.getLogger("foldpoint.requests")
    log.addHandler(to)
    log.setLevel(level)
    try:
        RequestLog(ids).observe(batch)
    finally:
        log.removeHandler(to)
        log.setLevel(logging.NOTSET)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line() -> None:
    """Its time is that at which the request ended, its fields are the listed ones in their order."""
    (line,) = written([seen(sent=b"a body", traceparent=PARENT)])
    assert line == {
        "event": "request",
        "level": "info",
        "ts": "1970-01-01T00:16:41.004+00:00",
        "logger": "foldpoint.requests",
        "request_id": ID,
        "tenant": "acme",
        "key": "ci",
        "session": "s-1",
        "surface": "anthropic",
        "model": "claude-sonnet-5-20260101",
        "mode": "prod",
        "status": 200,
        "verdict": "compacted",
        "reason": "fold_moved",
        "strategy": "epoch",
        "tokens_before": 3000,
        "tokens_after": 1000,
        "saved_usd": 0.75,
        "duration_ms": 1004.0,
    }
    assert [name for name in line if name in names.REQUEST_FIELDS] == list(names.REQUEST_FIELDS[:-2])


def test_a_traced_request_names_its_span() -> None:
    """So that one finds the other."""
    (line,) = written([seen(traceparent=PARENT)], span_of)
    assert (line["trace_id"], line["span_id"]) == span_of(seen(traceparent=PARENT))
    assert line["trace_id"] == TRACE


def test_a_request_without_a_price() -> None:
    """Nothing is known of what was saved; a key without a name is told by its id."""
    (line,) = written([seen(key="", cost=None)])
    assert (line["saved_usd"], line["key"]) == (None, "key_1")


def test_lines_that_nobody_wants() -> None:
    """Are not written."""
    assert written([seen()], level=logging.WARNING) == []
