"""The simulated provider over HTTP: answers, streams, bills, refuses, fails on demand."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from foldpoint.core.errors import FoldpointError
from foldpoint.lab.cache import BreakpointRules
from foldpoint.lab.provider import Call, Fault, Provider, Script, Step, fault

Body = dict[str, Any]
MESSAGES, CHAT = "/v1/messages", "/v1/chat/completions"
PLAY = Script([Step("Looking.", (Call("ls", {"path": "."}), Call("cat", {"file": "a b é"})), "I must look first.")])
HI: Body = {"model": "claude-sonnet-5", "max_tokens": 500, "messages": [{"role": "user", "content": "hi"}]}
MARKED: Body = {
    **HI,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "m" * 6000, "cache_control": {"type": "ephemeral"}}]}
    ],
}


def run(provider: Provider, talk: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
    """Talk to a provider that listens meanwhile."""

    async def talking() -> None:
        async with provider, aiohttp.ClientSession(provider.url) as session:
            await asyncio.wait_for(talk(session), 20)

    asyncio.run(talking())


async def post(session: aiohttp.ClientSession, path: str, body: Body, **headers: str) -> tuple[int, Any]:
    """(status, decoded answer)"""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with session.post(path, json=body, headers=named) as response:
        return response.status, await response.json()


async def streamed(session: aiohttp.ClientSession, path: str, body: Body) -> list[tuple[str, Any]]:
    """(event name, data) of a stream."""
    async with session.post(path, json={**body, "stream": True}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        found = []
        for block in (await response.text()).split("\n\n")[:-1]:
            lines = dict(line.split(": ", 1) for line in block.split("\n"))
            data = lines["data"]
            found.append((lines.get("event", ""), data if data == "[DONE]" else json.loads(data)))
        return found


async def read_into(got: list[bytes], response: aiohttp.ClientResponse) -> None:
    """Collect what comes until the answer ends or breaks."""
    async for piece in response.content.iter_any():
        got.append(piece)


def collected(events: list[tuple[str, Any]]) -> Body:
    """The message that a Messages stream makes."""
    message: Body = {}
    partial: dict[int, str] = {}
    for name, data in events:
        assert name == data["type"]
        if name == "message_start":
            message = {**data["message"], "content": [], "usage": {**data["message"]["usage"]}}
        elif name == "content_block_start":
            message["content"].append(data["content_block"])
        elif name == "content_block_delta":
            add(message["content"][data["index"]], data["delta"], data["index"], partial)
        elif name == "content_block_stop" and data["index"] in partial:
            message["content"][data["index"]]["input"] = json.loads(partial[data["index"]])
        elif name == "message_delta":
            message |= data["delta"]
            message["usage"] |= data["usage"]
    return message


def add(block: Body, delta: Body, index: int, partial: dict[int, str]) -> None:
    """Add a delta to its block."""
    if delta["type"] == "input_json_delta":
        partial[index] = partial.get(index, "") + delta["partial_json"]
    else:
        key = delta["type"].removesuffix("_delta")
        block[key] += delta[key]


def joined(chunks: list[Body]) -> Body:
    """The message that a chat stream makes."""
    message: Body = {"role": "assistant", "content": None, "tool_calls": []}
    for chunk in chunks:
        for choice in chunk["choices"]:
            delta = choice["delta"]
            if delta.get("content") is not None:
                message["content"] = (message["content"] or "") + delta["content"]
            for call in delta.get("tool_calls", ()):
                if "id" in call:
                    message["tool_calls"].append({key: value for key, value in call.items() if key != "index"})
                else:
                    message["tool_calls"][call["index"]]["function"]["arguments"] += call["function"]["arguments"]
    return message


def test_a_messages_stream_says_what_the_whole_answer_says() -> None:
    """Thinking, text and two calls, event by event as the API has them."""

    async def talk(session: aiohttp.ClientSession) -> None:
        _, whole = await post(session, MESSAGES, HI)
        events = await streamed(session, MESSAGES, HI)
        message = collected(events)
        assert {**message, "id": ""} == {**whole, "id": ""}
        assert [block["type"] for block in whole["content"]] == ["thinking", "text", "tool_use", "tool_use"]
        assert whole["stop_reason"] == "tool_use"
        names = [name for name, _ in events]
        assert names[:3] == ["message_start", "content_block_start", "ping"]
        assert names[-3:] == ["content_block_stop", "message_delta", "message_stop"]
        assert events[0][1]["message"]["usage"]["output_tokens"] == 1

    run(Provider(answers=PLAY), talk)


@pytest.mark.parametrize("counted", [True, False])
def test_a_chat_stream_says_what_the_whole_answer_says(counted: bool) -> None:
    """The usage comes in a chunk of its own, and only where it was asked for."""

    async def talk(session: aiohttp.ClientSession) -> None:
        options = {"stream_options": {"include_usage": True}} if counted else {}
        _, whole = await post(session, CHAT, HI)
        *chunks, end = [data for _, data in await streamed(session, CHAT, HI | options)]
        assert end == "[DONE]"
        message = whole["choices"][0]["message"]
        assert joined(chunks) == {key: value for key, value in message.items() if key != "refusal"}
        assert whole["choices"][0]["finish_reason"] == "tool_calls"
        last = chunks.pop() if counted else {"choices": [], "usage": whole["usage"]}
        assert (last["choices"], last["usage"]) == ([], whole["usage"])
        assert all(("usage" in chunk) is counted and chunk.get("usage") is None for chunk in chunks)

    run(Provider(answers=PLAY), talk)


def test_each_request_is_billed_by_its_prefix() -> None:
    """The first writes, the second reads, another key shares nothing; the log has the sums."""
    provider = Provider(rules=lambda surface, model: BreakpointRules(minimum=1000), clock=lambda: 0.0)

    async def talk(session: aiohttp.ClientSession) -> None:
        usages = [(await post(session, MESSAGES, MARKED, x_api_key=key))[1]["usage"] for key in ("k1", "k1", "k2")]
        assert [usage["cache_creation_input_tokens"] for usage in usages] == [2006, 0, 2006]
        assert [usage["cache_read_input_tokens"] for usage in usages] == [0, 2006, 0]
        assert usages[0]["cache_creation"] == {"ephemeral_5m_input_tokens": 2006, "ephemeral_1h_input_tokens": 0}
        async with session.get("/simulate/log") as response:
            log = await response.json()
        assert log["requests"] == 3
        assert log["usage"]["cache_write"] == 4012
        assert log["cost"] == pytest.approx(2006 * (1.25 * 2 + 0.1))
        assert [exchange["charge"]["usage"].get("cache_read", 0) for exchange in log["exchanges"]] == [0, 2006, 0]

    run(provider, talk)
    assert provider.log.totals["cache_read"] == 2006


def test_chat_reports_cached_tokens_inside_the_prompt() -> None:
    """A prompt of 2,006 tokens: 15 steps of 128 are read the second time."""

    async def talk(session: aiohttp.ClientSession) -> None:
        body = {"model": "gpt-5.1", "messages": [{"role": "user", "content": "m" * 6000}]}
        usages = [(await post(session, CHAT, body))[1]["usage"] for _ in range(2)]
        assert [usage["prompt_tokens"] for usage in usages] == [2006, 2006]
        assert [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages] == [0, 1920]

    run(Provider(), talk)


def test_count_tokens_counts_and_writes_no_cache() -> None:
    """It wants no max_tokens."""

    async def talk(session: aiohttp.ClientSession) -> None:
        asked = {key: value for key, value in MARKED.items() if key != "max_tokens"}
        assert await post(session, MESSAGES + "/count_tokens?beta=true", asked) == (200, {"input_tokens": 2006})
        _, answer = await post(session, MESSAGES, MARKED)
        assert answer["usage"]["cache_read_input_tokens"] == 0

    run(Provider(), talk)


def test_a_refusal_is_said_in_the_surface_s_shape() -> None:
    """And written down with its reason."""
    provider = Provider()

    async def talk(session: aiohttp.ClientSession) -> None:
        status, answer = await post(session, MESSAGES, {**HI, "messages": []})
        why = "messages: at least one message is required"
        assert (status, answer["type"]) == (400, "error")
        assert answer["error"] == {"type": "invalid_request_error", "message": why}
        status, answer = await post(session, CHAT, {**HI, "messages": [{"role": "x"}]})
        assert (status, answer["error"]["param"], answer["error"]["code"]) == (400, "messages[0].role", "invalid_value")
        async with session.post(CHAT, data=b"{") as response:
            assert response.status == 400
        status, answer = await post(session, MESSAGES, {**HI, "thread": {"type": "create"}})
        assert answer["error"]["details"] == {"error_code": "thread_unsupported_request"}

    run(provider, talk)
    assert provider.log.outcomes == {"refused": 4}
    assert provider.log.refused["messages: at least one message is required"] == 1


def test_large_bodies_long_headers_and_compressed_ones_are_taken() -> None:
    """But for Messages requests over 32 MiB."""

    async def talk(session: aiohttp.ClientSession) -> None:
        large = {**HI, "messages": [{"role": "user", "content": "m" * (33 * 1024 * 1024)}]}
        assert (await post(session, CHAT, large, x_long="h" * 20_000))[0] == 200
        status, answer = await post(session, MESSAGES, large)
        assert (status, answer["error"]["type"]) == (413, "request_too_large")
        packed = gzip.compress(json.dumps(HI).encode())
        async with session.post(MESSAGES, data=packed, headers={"content-encoding": "gzip"}) as response:
            assert response.status == 200

    run(Provider(), talk)


def test_other_paths() -> None:
    """Models in the shape of whom one asks, a sign of life, and a 404."""

    async def talk(session: aiohttp.ClientSession) -> None:
        async with session.get("/v1/models", headers={"anthropic-version": "2023-06-01"}) as response:
            assert (await response.json())["data"][0]["type"] == "model"
        async with session.get("/v1/models?limit=1000") as response:
            assert (await response.json())["data"][0]["object"] == "model"
        async with session.head("/") as response:
            assert response.status == 200
        async with session.get("/v1/nothing") as response:
            assert (response.status, (await response.json())["error"]["type"]) == (404, "not_found_error")

    run(Provider(), talk)


@pytest.mark.parametrize(
    ("path", "kind"), [(MESSAGES, "overloaded_error"), (CHAT, "server_error")], ids=["anthropic", "openai-chat"]
)
def test_a_status_on_demand(path: str, kind: str) -> None:
    """Nothing is billed."""
    provider = Provider()

    async def talk(session: aiohttp.ClientSession) -> None:
        status, answer = await post(session, path, HI, x_simulate_status="529")
        assert (status, answer["error"]["type"]) == (529, kind)
        status, _ = await post(session, path, HI, x_simulate_status="teapot")
        assert status == 400

    run(provider, talk)
    assert provider.log.outcomes == {"fault": 1, "refused": 1}
    assert provider.log.totals == {}


def test_a_fault_of_the_whole_server_comes_every_so_often() -> None:
    """At every third request."""

    async def talk(session: aiohttp.ClientSession) -> None:
        assert [(await post(session, CHAT, HI))[0] for _ in range(6)] == [200, 200, 503, 200, 200, 503]

    run(Provider(faults=[Fault("status", 503, every=3)]), talk)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", [MESSAGES, CHAT])
def test_a_cut_answer_breaks_off(path: str, stream: bool) -> None:
    """After two events, or two bytes."""
    provider = Provider()

    async def talk(session: aiohttp.ClientSession) -> None:
        got: list[bytes] = []
        async with session.post(path, json={**HI, "stream": stream}, headers={"x-simulate-cut": "2"}) as response:
            with pytest.raises(aiohttp.ClientError):
                await read_into(got, response)
        assert b"".join(got).count(b"\n\n") == 2 if stream else len(b"".join(got)) == 2

    run(provider, talk)
    assert provider.log.outcomes == {"cut": 1}


def test_a_client_that_leaves_a_stalled_stream_is_noticed() -> None:
    """The exchange is written down as left."""
    provider = Provider()

    async def talk(session: aiohttp.ClientSession) -> None:
        headers = {"x-simulate-stall": "1", "x-simulate-delay": "0.01", "x-simulate-gap": "0.01"}
        async with session.post(MESSAGES, json={**HI, "stream": True}, headers=headers) as response:
            assert (await response.content.readuntil(b"\n\n")).startswith(b"event: message_start")
        for _ in range(500):
            await asyncio.sleep(0 if provider.log.requests else 0.01)
        assert provider.log.requests == 1

    run(provider, talk)
    assert provider.log.outcomes == {"left": 1}


def test_bodies_are_kept_where_that_is_wanted() -> None:
    """And never shown in the log over HTTP."""
    provider = Provider(keep_bodies=True)

    async def talk(session: aiohttp.ClientSession) -> None:
        await post(session, MESSAGES, HI, x_of_mine="1")
        async with session.get("/simulate/log") as response:
            assert "body" not in (await response.json())["exchanges"][0]

    run(provider, talk)
    kept = provider.log.exchanges[0]
    assert json.loads(kept.body) == HI
    assert dict(kept.headers)["x-of-mine"] == "1"


def test_faults_are_read_and_wrong_ones_named() -> None:
    """The message says what would be right."""
    assert fault("status=529:every=5") == Fault("status", 529, 5)
    assert fault("delay=0.5") == Fault("delay", 0.5)
    for wrong, why in (
        ("stats=1", "did you mean 'status'"),
        ("status=200", "from 400 to 599"),
        ("delay=-1", "a number from 0 on"),
        ("cut=1:each=2", "every=N"),
    ):
        with pytest.raises(FoldpointError, match=why):
            fault(wrong)
