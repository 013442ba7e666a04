"""The Responses API's other paths pass through, and what is told of requests whose history the provider holds."""

import asyncio
import json

import pytest
from loopback import gateway, raw_exchange

from foldpoint.core.policy import Policy
from foldpoint.engine import Engine
from foldpoint.gateway.serving import run


@pytest.mark.parametrize(
    "line",
    [
        "GET /v1/responses/resp_1?include%5B%5D=x&stream=true",
        "DELETE /v1/responses/resp_1",
        "POST /v1/responses/resp_1/cancel",
        "GET /v1/responses/resp_1/input_items?limit=5",
        "POST /v1/responses/compact",
        "POST /v1/conversations",
    ],
)
def test_other_paths_pass_through(line: str) -> None:
    """Method, path, query and body as they are, and nothing is said of a fold."""

    async def main() -> tuple[str, bytes, bool]:
        async with gateway() as it:
            head = f"{line} HTTP/1.1\r\nhost: g\r\ncontent-length: 13\r\nconnection: close\r\n\r\n"
            answer = await raw_exchange(it.url, head.encode() + b'{"input": 1.0')
            got = it.provider.got[0]
            return got.line, got.body, b"x-ace-trajectory-compaction" in answer.lower()

    assert run(main()) == (f"{line} HTTP/1.1", b'{"input": 1.0', False)


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m", "previous_response_id":"resp_1","input":[{"type":"function_call_output"}]}',
        b'{"model":"m", "conversation":{"id":"conv_1"},"input":"hi"}',
        b'{"model":"m", "input":[{"type":"item_reference","id":"msg_1"}]}',
    ],
)
def test_history_that_the_provider_holds_is_not_folded(body: bytes) -> None:
    """The body arrives as it is, and the verdict says why."""

    async def main() -> tuple[bytes, tuple[str, str]]:
        async with gateway(Engine(Policy())) as it:  # type: ignore[arg-type]
            headers = {"content-type": "application/json"}
            async with it.client.post(it.url + "/v1/responses", data=body, headers=headers) as answer:
                names = ("x-ace-trajectory-compaction", "x-ace-trajectory-compaction-reason")
                told = answer.headers[names[0]], answer.headers[names[1]]
            return it.provider.got[0].body, told

    assert run(main()) == (body, ("skipped", "provider_state"))


def test_a_websocket_is_refused_in_the_providers_shape() -> None:
    """426 with an error that the client can read: it goes on with POST."""

    async def main() -> bytes:
        async with gateway() as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(
                b"GET /v1/responses HTTP/1.1\r\nhost: g\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
                b"openai-beta: responses_websockets=2026-02-06\r\nsec-websocket-version: 13\r\n"
                b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            body = await reader.readexactly(int(length.partition(b":")[2]))
            writer.close()
            return head.split(b" ")[1] + b" " + body

    status, _, body = run(main()).partition(b" ")
    message = "foldpoint: WebSocket is not relayed; send the request with POST"
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    assert (status, json.loads(body)) == (b"426", {"error": error})


def test_a_count_is_folded_and_not_recorded() -> None:
    """It says what the fold made of it; what was saved is counted once, with the request itself."""
    body = b'{"model":"m","input":"hi"}'

    async def main() -> tuple[list[bytes], list[str]]:
        async with gateway(Engine(Policy())) as it:  # type: ignore[arg-type]
            verdicts = []
            for path in ("/v1/responses/input_tokens", "/v1/responses"):
                async with it.client.post(it.url + path, data=body) as answer:
                    verdicts.append(answer.headers["x-ace-trajectory-compaction"].encode())
            await it.recorder.first()
            return verdicts, [record.surface for record in it.recorder.records]

    assert run(main()) == ([b"skipped"] * 2, ["openai-responses"])


def test_codex_names_its_session() -> None:
    """By the `session-id` header; without it by the key of its prompt cache."""
    body = b'{"model":"m","prompt_cache_key":"thread_2","input":[{"type":"message","role":"user","content":"hi"}]}'

    async def main() -> list[tuple[str, str]]:
        async with gateway(Engine(Policy())) as it:  # type: ignore[arg-type]
            for headers in ({"session-id": "thread_1"}, {}):
                async with it.client.post(it.url + "/v1/responses", data=body, headers=headers) as answer:
                    await answer.read()
            await it.recorder.first()
            await asyncio.sleep(0.05)
            return [(record.session, record.surface) for record in it.recorder.records]

    assert run(main()) == [("thread_1", "openai-responses"), ("thread_2", "openai-responses")]
