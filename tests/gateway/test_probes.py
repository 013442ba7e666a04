"""What clients send besides conversations: signs of life, model lists, telemetry, upgrades."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
import pytest
from loopback import Got, Provider, Recorded, app_of, plain, raw_exchange, settings_for
from msgspec.structs import replace

from foldpoint.config import Upstream
from foldpoint.gateway.serving import listening, run

VERTEX = "/v1/projects/p/locations/global/publishers/anthropic/models"
NAMES = ("openai", "anthropic", "gemini", "bedrock")


async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
    """An answer with a length, whose body a HEAD does not get."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n")
    writer.write(b"" if got.line.startswith("HEAD") else b"{}")


@contextlib.asynccontextmanager
async def gateway() -> AsyncIterator[tuple[str, dict[str, Provider], Recorded]]:
    """The gateway with each provider at an address of its own."""
    async with contextlib.AsyncExitStack() as stack:
        providers = {name: await stack.enter_async_context(Provider().running()) for name in NAMES}
        for provider in providers.values():
            provider.answer = answer
        upstreams = {name: Upstream(base_url=provider.url) for name, provider in providers.items()}
        recorder = Recorded()
        app = app_of(replace(settings_for("http://unused"), upstreams=upstreams), recorder)
        yield await stack.enter_async_context(listening(app, "127.0.0.1", 0)), providers, recorder


async def asked(request: str, body: str = "") -> tuple[int, list[str], str, list[str], int]:
    """(status, our headers, body, the lines that providers got, records) of a request."""
    async with gateway() as (url, providers, recorder):
        head = f"{request}\r\nhost: g\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        answer = (await raw_exchange(url, (head + body).encode())).decode()
        lines, _, content = answer.partition("\r\n\r\n")
        ours = [line for line in lines.lower().split("\r\n") if line.startswith("x-ace-")]
        got = [f"{name} {each.line}" for name, provider in providers.items() for each in provider.got]
        return int(answer.split()[1]), ours, content, got, len(recorder.records)


@pytest.mark.parametrize("path", ["/", "/anthropic", "/livez", "/readyz"])
def test_a_sign_of_life_is_ours(path: str) -> None:
    """No provider is asked, and a HEAD has no body."""
    assert run(asked(f"HEAD {path} HTTP/1.1")) == (200, [], "", [], 0)


@pytest.mark.parametrize(
    ("request_line", "header", "got"),
    [
        ("GET /v1/models?limit=1000", "anthropic-version: 2023-06-01", "anthropic GET /v1/models?limit=1000"),
        ("GET /v1/models/claude-opus-5-5", "anthropic-version: 2023-06-01", "anthropic GET /v1/models/claude-opus-5-5"),
        ("GET /anthropic/v1/models?limit=1000", "x: y", "anthropic GET /v1/models?limit=1000"),
        ("GET /v1/models", "authorization: Bearer k", "openai GET /v1/models"),
        ("GET /v1/models", "x-goog-api-key: k", "gemini GET /v1/models"),
        ("GET /gemini/v1beta/models", "x-goog-api-key: k", "gemini GET /v1beta/models"),
        (
            "GET /bedrock/inference-profiles?type=SYSTEM_DEFINED",
            "x: y",
            "bedrock GET /inference-profiles?type=SYSTEM_DEFINED",
        ),
        ("HEAD /v1/models", "authorization: Bearer k", "openai HEAD /v1/models"),
        ("HEAD /anthropic/v1/messages", "x: y", "anthropic HEAD /v1/messages"),
        ("OPTIONS /v1/chat/completions", "origin: https://a.example", "openai OPTIONS /v1/chat/completions"),
    ],
)
def test_a_probe_reaches_the_provider_of_its_client(request_line: str, header: str, got: str) -> None:
    """As it is; nothing is folded, said or recorded."""
    status, ours, _, lines, records = run(asked(f"{request_line} HTTP/1.1\r\n{header}"))
    assert (status, ours, lines, records) == (200, [], [f"{got} HTTP/1.1"], 0)


@pytest.mark.parametrize(
    ("path", "got"),
    [
        ("/v1/traces/ingest", "openai POST /v1/traces/ingest"),
        ("/anthropic/api/event_logging/batch", "anthropic POST /api/event_logging/batch"),
        ("/anthropic/v1/messages/batches", "anthropic POST /v1/messages/batches"),
        ("/gemini/v1beta/models/g:embedContent", "gemini POST /v1beta/models/g:embedContent"),
    ],
)
def test_telemetry_is_left_alone(path: str, got: str) -> None:
    """It goes to its provider like any other path; we add nothing and keep nothing."""
    status, ours, _, lines, records = run(asked(f"POST {path} HTTP/1.1", '{"events":[]}'))
    assert (status, ours, lines, records) == (200, [], [f"{got} HTTP/1.1"], 0)


@pytest.mark.parametrize("path", ["/api/event_logging/batch", "/v1internal:log", "/statsig/v1/initialize"])
def test_telemetry_of_nobody_goes_nowhere(path: str) -> None:
    """A path under no provider's prefix is a 404 that clients live with; it is sent to nobody."""
    status, _, _, lines, records = run(asked(f"POST {path} HTTP/1.1", "{}"))
    assert (status, lines, records) == (404, [], 0)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/responses", '"type":"invalid_request_error"'),
        ("/v1/realtime?model=gpt-6", '"type":"invalid_request_error"'),
        ("/anthropic/v1/messages", '"type":"error"'),
        ("/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService", '"status":"INVALID_ARGUMENT"'),
    ],
)
def test_a_websocket_is_refused_in_the_callers_shape(path: str, kind: str) -> None:
    """426: clients that can do without fall back to HTTP at once."""
    head = (
        f"GET {path} HTTP/1.1\r\nupgrade: WebSocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZQ=="
    )

    async def main() -> str:
        async with gateway() as (url, providers, _):
            answer = await raw_exchange(url, f"{head}\r\nhost: g\r\nconnection: upgrade, close\r\n\r\n".encode())
            assert not any(provider.got for provider in providers.values())
            return answer.decode()

    answer = run(main())
    assert (answer.split()[1], kind in answer, "WebSocket is not relayed" in answer) == ("426", True, True)


def test_an_offer_of_http_2_is_passed_over() -> None:
    """curl makes one on plain connections; the request is served as it came."""

    async def main() -> tuple[str, bytes]:
        async with gateway() as (url, providers, _):
            head = "POST /v1/embeddings HTTP/1.1\r\nhost: g\r\nupgrade: h2c\r\nhttp2-settings: AAM\r\n"
            answer = await raw_exchange(
                url, f"{head}content-length: 2\r\nconnection: upgrade, http2-settings, close\r\n\r\n{{}}".encode()
            )
            return answer.decode().split()[1], providers["openai"].got[0].body

    assert run(main()) == ("200", b"{}")


@pytest.mark.parametrize(
    ("path", "got"),
    [
        ("/v1/messages/count_tokens?beta=true", "anthropic POST /v1/messages/count_tokens?beta=true"),
        ("/anthropic/v1/messages/count_tokens", "anthropic POST /v1/messages/count_tokens"),
        (f"/anthropic{VERTEX}/count-tokens:rawPredict", f"anthropic POST {VERTEX}/count-tokens:rawPredict"),
        (f"/gemini{VERTEX}/count-tokens:rawPredict", f"gemini POST {VERTEX}/count-tokens:rawPredict"),
    ],
)
def test_a_count_is_folded_and_not_recorded(path: str, got: str) -> None:
    """It counts what will be sent, and saves nothing by itself."""
    status, ours, _, lines, records = run(asked(f"POST {path} HTTP/1.1", "{}"))
    assert (status, lines, records) == (200, [f"{got} HTTP/1.1"], 0)
    assert "x-ace-trajectory-compaction: compacted" in ours


@pytest.mark.parametrize("verb", ["rawPredict", "streamRawPredict"])
def test_a_request_on_vertex_is_folded_and_recorded(verb: str) -> None:
    """Its model stands in the path."""
    path = f"{VERTEX}/claude-opus-5-5:{verb}"
    _, ours, _, lines, records = run(asked(f"POST /anthropic{path} HTTP/1.1", "{}"))
    assert (lines, records) == ([f"anthropic POST {path} HTTP/1.1"], 1)
    assert "x-ace-trajectory-compaction: compacted" in ours


def test_a_model_list_comes_back_as_it_is() -> None:
    """Byte for byte, whatever it says."""
    listed = b'{"data": [ {"id":"m"} ],  "has_more":false}'

    async def main() -> bytes:
        async with gateway() as (url, providers, _), aiohttp.ClientSession() as client:
            providers["anthropic"].answer = plain(listed)
            async with client.get(f"{url}/v1/models", headers={"anthropic-version": "2023-06-01"}) as answer:
                return await answer.read()

    assert run(main()) == listed
