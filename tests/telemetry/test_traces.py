"""Spans as a collector gets them over OTLP."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from collector import Collector, collector, plain
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from seen import ID, RECEIPT, row, seen

from foldpoint.core.usage import Usage
from foldpoint.surfaces.parts import parts
from foldpoint.telemetry.observed import Observed, cleaned
from foldpoint.telemetry.otlp import open_otlp, wanted
from foldpoint.telemetry.tracing import span_of

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"
SECRET = "sk-ant-secret"
BODY = json.dumps({"messages": [{"role": "user", "content": f"the launch code is {SECRET}"}]}).encode()
CAPTURE = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}


def send(requests: Sequence[Observed], environ: Mapping[str, str] | None = None, **settings: Any) -> Collector:
    """A collector that was told of these requests, and of all that was waiting at the end."""
    with collector(**settings) as it:
        otlp = open_otlp(wanted(it.url, environ or {}), row, parts, environ or {}, "1.2.3")
        for observer in otlp.observers:
            observer.observe([cleaned(one) for one in requests])
        otlp.close()
    return it


def test_a_folded_request() -> None:
    """A client span with what the conventions and we say of it, and the stage of the skill inside."""
    request, fold = send([seen(session="by-name", streams=True, first_byte_ms=250.0)]).spans()
    assert (request.name, request.kind) == ("chat claude-sonnet-5-20260101", Span.SPAN_KIND_CLIENT)
    assert (request.start_time_unix_nano, request.end_time_unix_nano) == (1_000_000_000_000, 1_001_004_000_000)
    assert request.trace_id.hex() == ID.replace("-", "")
    assert (request.parent_span_id, request.status.code) == (b"", Status.STATUS_CODE_UNSET)
    assert plain(request.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-sonnet-5-20260101",
        "gen_ai.request.stream": True,
        "gen_ai.response.time_to_first_chunk": 0.25,
        "gen_ai.conversation.id": "by-name",
        "gen_ai.conversation.compacted": True,
        "gen_ai.usage.input_tokens": 1050,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 900,
        "gen_ai.usage.cache_write.input_tokens": 50,
        "http.response.status_code": 200,
        "server.address": "api.anthropic.com",
        "server.port": 443,
        "foldpoint.request.id": ID,
        "foldpoint.tenant": "acme",
        "foldpoint.key": "ci",
        "foldpoint.session": "by-name",
        "foldpoint.transcript": "agent-2:abcdef",
        "foldpoint.mode": "prod",
        "foldpoint.verdict": "compacted",
        "foldpoint.reason": "fold_moved",
        "foldpoint.strategy": "epoch",
        "foldpoint.turns.sealed": 9,
        "foldpoint.turns.total": 13,
        "foldpoint.checkpoint": "0123456789ab",
        "foldpoint.tokens.before": 3000,
        "foldpoint.tokens.after": 1000,
        "foldpoint.write_tokens": 70,
        "foldpoint.held": 1,
        "foldpoint.cost.usd": 0.25,
        "foldpoint.cost.unfolded_usd": 1.0,
    }
    assert (fold.name, fold.kind) == ("foldpoint.fold", Span.SPAN_KIND_INTERNAL)
    assert (fold.trace_id, fold.parent_span_id) == (request.trace_id, request.span_id)
    assert (fold.start_time_unix_nano, fold.end_time_unix_nano) == (1_000_000_000_000, 1_000_002_000_000)
    assert plain(fold.attributes) == {
        "foldpoint.skill": "agent_trajectory_compaction",
        "foldpoint.action": "compacted",
        "foldpoint.turns.sealed": 9,
        "foldpoint.turns.total": 13,
        "foldpoint.checkpoint": "0123456789ab",
        "foldpoint.session": "by-name",
        "foldpoint.transcript": "agent-2:abcdef",
    }


def test_a_request_that_was_not_folded() -> None:
    """`compacted` is true or not there; a shadow says what it would save."""
    shadow, off = send(
        [
            seen(None, mode="shadow", verdict="would_compact", tokens_would_save=7, messages_compacted_count=0),
            seen(None, mode="off", verdict="", messages_compacted_count=0, time=2_000.0),
        ]
    ).spans()
    assert "gen_ai.conversation.compacted" not in {**plain(shadow.attributes), **plain(off.attributes)}
    assert plain(shadow.attributes)["foldpoint.tokens.would_save"] == 7
    assert plain(off.attributes)["foldpoint.mode"] == "off"
    assert [name for name in plain(off.attributes) if "turns" in name or "tokens.b" in name] == []


def test_the_span_of_the_client_is_the_parent() -> None:
    """Its trace goes on, and so does what vendors put in its state."""
    request, fold = send([seen(traceparent=PARENT, tracestate="vendor=1")]).spans()
    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, SPAN)
    assert (request.trace_state, fold.trace_id) == ("vendor=1", request.trace_id)
    assert span_of(seen(traceparent=PARENT)) == (TRACE, request.span_id.hex())


def test_a_client_that_samples_nothing_has_no_spans() -> None:
    """What its trace decided holds for us, too."""
    assert send([seen(traceparent=PARENT[:-1] + "0")]).spans() == []


@pytest.mark.parametrize(
    "traceparent",
    [
        "x",
        f"00-{'0' * 32}-{SPAN}-01",
        f"ff-{TRACE}-{SPAN}-01",
        PARENT + "-x",
        PARENT.upper(),
        "\udc80" + PARENT,
        "é" * 600,
    ],
)
def test_a_parent_that_is_none(traceparent: str) -> None:
    """The request begins a trace of its own."""
    request, _ = send([seen(traceparent=traceparent)]).spans()
    assert (request.parent_span_id, request.trace_id.hex()) == (b"", ID.replace("-", ""))


@pytest.mark.parametrize(("status", "error"), [(429, "429"), (500, "500"), (499, "client_left"), (0, "client_left")])
def test_a_request_that_failed(status: int, error: str) -> None:
    """The span is an error and says of which kind; a client that left got no status."""
    request = send([seen(status=status)]).spans()[0]
    said = plain(request.attributes)
    assert (request.status.code, said["error.type"]) == (Status.STATUS_CODE_ERROR, error)
    assert said.get("http.response.status_code") == (None if error == "client_left" else status)


@pytest.mark.parametrize(
    ("surface", "upstream", "address", "operation", "provider", "server"),
    [
        ("openai-chat", "openai", "https://api.openai.com", "chat", "openai", ("api.openai.com", 443)),
        ("openai-responses", "", "", "chat", "openai", (None, None)),
        ("gemini", "gemini", "http://127.0.0.1:81/x", "generate_content", "gcp.gemini", ("127.0.0.1", 81)),
        (
            "anthropic", "anthropic", "https://europe-west1-aiplatform.googleapis.com", "chat", "gcp.vertex_ai",
            ("europe-west1-aiplatform.googleapis.com", 443),
        ),
        ("anthropic", "bedrock", "https://[::1", "chat", "aws.bedrock", (None, None)),
        ("", "", "", "chat", "_OTHER", (None, None)),
    ],
)  # fmt: skip
def test_who_answers(
    surface: str, upstream: str, address: str, operation: str, provider: str, server: tuple[str | None, int | None]
) -> None:
    """By the conventions' names."""
    said = plain(send([seen(surface=surface, upstream=upstream, address=address)]).spans()[0].attributes)
    assert (said["gen_ai.operation.name"], said["gen_ai.provider.name"]) == (operation, provider)
    assert (said.get("server.address"), said.get("server.port")) == server


def test_a_digest_is_no_conversation() -> None:
    """A session that no client named is told as ours alone."""
    said = plain(send([seen(session="abcdef")]).spans()[0].attributes)
    assert (said["foldpoint.session"], said.get("gen_ai.conversation.id")) == ("abcdef", None)


def test_former_names() -> None:
    """Beside the present ones, where the environment asks for both."""
    said = plain(send([seen()], {"OTEL_SEMCONV_STABILITY_OPT_IN": "http, gen_ai/dup"}).spans()[0].attributes)
    assert (said["gen_ai.system"], said["gen_ai.provider.name"]) == ("anthropic", "anthropic")
    assert said["gen_ai.usage.cache_creation.input_tokens"] == 50
    assert "gen_ai.system" not in plain(send([seen()]).spans()[0].attributes)


def test_content_is_not_said_unless_asked_for() -> None:
    """Even where a body is at hand; with the variable its newest messages are, by the conventions' schema."""
    one = seen(sent=BODY)
    assert SECRET.encode() not in send([one]).raw
    said = plain(send([one], CAPTURE).spans()[0].attributes)
    assert json.loads(said["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": f"the launch code is {SECRET}"}]}
    ]
    assert "gen_ai.input.messages" not in plain(send([seen()], CAPTURE).spans()[0].attributes)


def test_who_sends() -> None:
    """Our name and version, and an id for each process."""
    (said,) = send([seen()]).resources()
    assert (said["service.name"], said["service.version"]) == ("foldpoint", "1.2.3")
    assert len(said["service.instance.id"]) == 36


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(), max_size=20), st.text(st.characters(), max_size=600), st.integers())
def test_anything_can_be_sent(model: str, session: str, tokens: int) -> None:
    """No text and no figure loses a batch: the spans of both requests come."""
    odd = seen(
        model=model, session=session, transcript=session, id=model, key=session, tokens_before=tokens,
        usage=Usage(tokens, tokens, tokens, tokens),
    )  # fmt: skip
    assert len(send([odd, seen(RECEIPT)]).spans()) == 4
