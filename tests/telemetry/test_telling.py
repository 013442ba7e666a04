"""Settings become what tells of a gateway, and each of its parts sees every request."""

import asyncio
import json
import logging
from collections.abc import Mapping

import pytest
from collector import collector, plain
from seen import row, seen

from foldpoint.surfaces.parts import parts
from foldpoint.telemetry.telling import Telling, open_telling

SECRET = "sk-ant-secret"
BODY = json.dumps({"messages": [{"role": "user", "content": SECRET}]}).encode()


def opened(
    *, metrics: bool = False, endpoint: str = "", lines: bool = False, environ: Mapping[str, str] | None = None
) -> Telling:
    """What these settings give."""
    return open_telling(
        metrics=metrics, otlp_endpoint=endpoint, log_requests=lines, row=row, parts=parts, environ=environ or {},
        version="1.2.3",
    )  # fmt: skip


async def told(telling: Telling) -> None:
    """Let a request end."""
    await telling.start()
    telling.watching.put(seen(sent=BODY))
    await telling.watching.flush()
    await telling.close()


def test_everything(caplog: pytest.LogCaptureFixture) -> None:
    """A page, spans, figures and a line, of the same request; its body and its span's id are where they belong."""
    caplog.set_level(logging.INFO)
    with collector() as it:
        telling = opened(metrics=True, endpoint=it.url, lines=True)
        asyncio.run(told(telling))
    assert telling.metrics is not None
    page = telling.metrics.render()[0].decode()
    assert 'foldpoint_requests_total{mode="prod",model="claude-sonnet-5",outcome="ok",surface="anthropic"} 1.0' in page
    assert "foldpoint_observations_dropped_total 0.0" in page
    request, _ = it.spans()
    assert "gen_ai.client.inference.duration" in it.metrics()
    (line,) = [each for each in caplog.records if each.name == "foldpoint.requests"]
    assert line.__dict__["span_id"] == request.span_id.hex()
    assert telling.watching.content is False
    assert SECRET not in page + str(line.__dict__)
    assert SECRET.encode() not in it.raw


def test_content_where_it_is_asked_for() -> None:
    """The gateway is told that bodies are wanted, and they are in spans alone."""
    with collector() as it:
        environ = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
        telling = opened(metrics=True, endpoint=it.url, environ=environ)
        asyncio.run(told(telling))
    assert telling.watching.content is True
    assert SECRET in plain(it.spans()[0].attributes)["gen_ai.input.messages"]
    assert telling.metrics is not None
    assert SECRET not in telling.metrics.render()[0].decode()


def test_nothing() -> None:
    """Then nobody watches, and content is wanted by nobody whatever the environment says."""
    telling = opened(environ={"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"})
    asyncio.run(told(telling))
    assert (telling.metrics, telling.watching.content) == (None, False)
