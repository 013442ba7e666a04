"""The providers' own SDKs run a tool loop through the gateway, unchanged but for `base_url`."""

import json
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from loops import SCHEMA, TASK, Loop, Run, part, ran, through

from foldpoint.gateway.serving import run


async def anthropic_loop(url: str, streamed: bool) -> Loop:
    """The Messages API, with the asynchronous client."""
    messages: list[Any] = [{"role": "user", "content": TASK}]
    headers = []
    async with anthropic.AsyncAnthropic(base_url=f"{url}/anthropic", api_key="any", max_retries=0) as client:
        while True:
            wanted: dict[str, Any] = {
                "model": "claude-sonnet-5",
                "max_tokens": 1000,
                "messages": messages,
                "tools": [{"name": "read_file", "description": "Read a file.", "input_schema": SCHEMA}],
            }
            if streamed:
                async with client.messages.stream(**wanted) as stream:
                    answer = await stream.get_final_message()
                    headers.append(dict(stream.response.headers))
            else:
                raw = await client.messages.with_raw_response.create(**wanted)
                answer = await raw.parse()
                headers.append(dict(raw.headers))
            if answer.stop_reason != "tool_use":
                return "".join(block.text for block in answer.content if block.type == "text"), headers
            messages.append({"role": "assistant", "content": answer.content})
            calls = [block for block in answer.content if block.type == "tool_use"]
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": part(call.input["path"])}  # type: ignore[index]
                for call in calls
            ]
            messages.append({"role": "user", "content": results})


async def openai_loop(url: str, streamed: bool) -> Loop:
    """Chat completions, with the asynchronous client."""
    messages: list[Any] = [{"role": "system", "content": "You read."}, {"role": "user", "content": TASK}]
    headers = []
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0) as client:
        while True:
            function: Any = {"name": "read_file", "description": "Read a file.", "parameters": SCHEMA}
            wanted: dict[str, Any] = {
                "model": "gpt-5.1",
                "messages": messages,
                "tools": [{"type": "function", "function": function}],
            }
            if streamed:
                wanted["stream_options"] = {"include_usage": True}
                async with client.chat.completions.stream(**wanted) as stream:
                    message = (await stream.get_final_completion()).choices[0].message
                    headers.append(dict(stream._response.headers))
            else:
                raw = await client.chat.completions.with_raw_response.create(**wanted)
                message = raw.parse().choices[0].message
                headers.append(dict(raw.headers))
            if not message.tool_calls:
                return message.content or "", headers
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            for call in message.tool_calls:
                path = call.function.arguments.partition('"path":')[2].strip(' "}')  # type: ignore[union-attr]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": part(path)})


async def responses_loop(url: str, streamed: bool) -> Loop:
    """Responses, stateless, with the asynchronous client."""
    given: list[Any] = [{"role": "user", "content": TASK}]
    headers = []
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0) as client:
        while True:
            function: Any = {"type": "function", "name": "read_file", "parameters": SCHEMA, "strict": False}
            wanted: dict[str, Any] = {
                "model": "gpt-5.1",
                "instructions": "You read.",
                "input": given,
                "tools": [function],
                "store": False,
                "include": ["reasoning.encrypted_content"],
            }
            if streamed:
                async with client.responses.stream(**wanted) as stream:
                    answer: Any = await stream.get_final_response()
                    headers.append(dict(stream._response.headers))
            else:
                raw = await client.responses.with_raw_response.create(**wanted)
                answer = raw.parse()
                headers.append(dict(raw.headers))
            calls = [item for item in answer.output if item.type == "function_call"]
            if not calls:
                return answer.output_text, headers
            given += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
            for call in calls:
                path = json.loads(call.arguments)["path"]
                given.append({"type": "function_call_output", "call_id": call.call_id, "output": part(path)})


@pytest.fixture(params=[False, True], ids=["plain", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[anthropic_loop, openai_loop, responses_loop], ids=["anthropic", "openai", "responses"])
def loop(request: pytest.FixtureRequest, streamed: bool, tmp_path: Path) -> Run:
    """One loop from its first request to its last."""

    async def main() -> Run:
        async with through(tmp_path) as (url, provider, app):
            return await ran(request.param(url, streamed), provider, app)

    return run(main())


def test_a_tool_loop_ends_as_it_should_and_is_folded(loop: Run) -> None:
    """Every request is valid to the provider, folds happen, and the records say what was billed."""
    loop.check()
    assert {record.session for record in loop.records} == {loop.records[0].transcript}


def test_the_sdks_read_errors_of_ours(tmp_path: Path) -> None:
    """As the errors of their own provider, with the message that names us."""

    async def main() -> list[tuple[int, str]]:
        async with through(tmp_path) as (url, provider, _):
            await provider.runner.cleanup()
            said: list[tuple[int, str]] = []
            message: Any = {"role": "user", "content": "hi"}
            try:
                await anthropic.AsyncAnthropic(base_url=f"{url}/anthropic", api_key="k", max_retries=0).messages.create(
                    model="claude-sonnet-5", max_tokens=10, messages=[message]
                )
            except anthropic.APIStatusError as error:
                said.append((error.status_code, error.body["error"]["message"]))  # type: ignore[index,call-overload]
            try:
                await openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0).chat.completions.create(
                    model="gpt-5.1", messages=[message]
                )
            except openai.APIStatusError as error:
                said.append((error.status_code, error.body["message"]))  # type: ignore[index,call-overload]
            return [(status, text.partition(" to ")[0]) for status, text in said]

    assert run(main()) == [(502, "foldpoint: cannot connect")] * 2
