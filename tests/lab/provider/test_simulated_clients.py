"""The real SDKs against the simulated provider, unchanged but for the base URL."""

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any

import anthropic
import openai
import pytest

from foldpoint.lab.provider import Call, Provider, Script, Step

TURNS = 5
PLAY = Script(
    [
        *[Step(f"Step {n}.", (Call("read", {"path": f"{n}.py"}), Call("grep", {"word": "é"}))) for n in range(TURNS)],
        Step("All done.", thinking="Nothing is left."),
    ]
)
ANTHROPIC_TOOLS: Any = [{"name": "read", "input_schema": {"type": "object"}}]
OPENAI_TOOLS: Any = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]


def run(talk: Coroutine[Any, Any, None]) -> None:
    """Let it talk, not for ever."""
    asyncio.run(asyncio.wait_for(talk, 30))


@pytest.mark.parametrize("stream", [True, False])
def test_the_anthropic_sdk_runs_a_tool_loop(stream: bool) -> None:
    """To the end, with what was written read at the next turn."""

    async def talk() -> None:
        async with Provider(answers=PLAY) as provider:
            client = anthropic.AsyncAnthropic(base_url=provider.url, api_key="k", max_retries=0)
            messages: list[Any] = [{"role": "user", "content": "word " * 2000}]
            read: list[int | None] = []
            for _ in range(TURNS + 1):
                ask: Any = {
                    "model": "claude-sonnet-5",
                    "max_tokens": 500,
                    "messages": messages,
                    "tools": ANTHROPIC_TOOLS,
                    "cache_control": {"type": "ephemeral"},
                }
                if stream:
                    async with client.messages.stream(**ask) as events:
                        answer: Any = await events.get_final_message()
                else:
                    answer = await client.messages.create(**ask)
                read.append(answer.usage.cache_read_input_tokens)
                results = [
                    {"type": "tool_result", "tool_use_id": block.id, "content": f"{block.name}: {block.input}"}
                    for block in answer.content
                    if block.type == "tool_use"
                ]
                messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": results}]
            assert answer.stop_reason == "end_turn"
            assert [block.type for block in answer.content] == ["thinking", "text"]
            assert provider.log.outcomes == {"answered": TURNS + 1}
            assert read[0] == 0
            assert all(now > before for before, now in pairwise(read))

    run(talk())


@pytest.mark.parametrize("stream", [True, False])
def test_the_openai_sdk_runs_a_tool_loop(stream: bool) -> None:
    """To the end, with what was written read at the next turn."""

    async def talk() -> None:
        async with Provider(answers=PLAY) as provider:
            client = openai.AsyncOpenAI(base_url=provider.url + "/v1", api_key="k", max_retries=0)
            messages: list[Any] = [{"role": "user", "content": "word " * 2000}]
            read: list[int] = []
            for _ in range(TURNS + 1):
                ask: Any = {"model": "gpt-5.1", "messages": messages, "tools": OPENAI_TOOLS}
                if stream:
                    options = {"include_usage": True}
                    async with client.chat.completions.stream(**ask, stream_options=options) as events:
                        answer: Any = await events.get_final_completion()
                else:
                    answer = await client.chat.completions.create(**ask)
                read.append(answer.usage.prompt_tokens_details.cached_tokens)
                message = answer.choices[0].message
                messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
                for call in message.tool_calls or ():
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": call.function.arguments})
            assert (answer.choices[0].finish_reason, message.content) == ("stop", "All done.")
            assert provider.log.outcomes == {"answered": TURNS + 1}
            assert read[0] == 0
            assert min(read[1:]) >= 3328

    run(talk())


def test_the_sdks_raise_their_own_errors() -> None:
    """Each refusal and fault as the class that the SDK has for it."""

    async def talk() -> None:
        async with Provider() as provider:
            ours = anthropic.AsyncAnthropic(base_url=provider.url, api_key="k", max_retries=0)
            theirs = openai.AsyncOpenAI(base_url=provider.url + "/v1", api_key="k", max_retries=0)
            hi: Any = [{"role": "user", "content": "hi"}]
            with pytest.raises(anthropic.BadRequestError, match="first message must use"):
                await ours.messages.create(model="m", max_tokens=1, messages=[{"role": "assistant", "content": "x"}])
            call: Any = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            lone: Any = [*hi, {"role": "assistant", "tool_calls": [call]}]
            with pytest.raises(openai.BadRequestError, match="must be followed by tool messages"):
                await theirs.chat.completions.create(model="m", messages=lone)
            with pytest.raises(anthropic.APIStatusError, match="529"):
                await ours.messages.create(
                    model="m", max_tokens=1, messages=hi, extra_headers={"x-simulate-status": "529"}
                )
            with pytest.raises(openai.RateLimitError):
                await theirs.chat.completions.create(model="m", messages=hi, extra_headers={"x-simulate-status": "429"})
            counted = await ours.messages.count_tokens(model="m", messages=hi)
            assert counted.input_tokens == 6
            assert (await ours.models.list()).data[0].type == "model"
            assert (await theirs.models.list()).data[0].object == "model"

    run(talk())
