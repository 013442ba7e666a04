"""The simulated provider's Responses API: what it refuses, streams, holds and compacts."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

import openai
import pytest
from openai.types.responses import response_create_params

from foldpoint.lab.provider import Call, Provider, Script, Step, signing, validate_openai_responses
from foldpoint.lab.provider.refusal import Refused

Body = dict[str, Any]
TURNS = 5
PLAY = Script(
    [
        *[
            Step(f"Step {n}.", (Call("read", {"path": f"{n}.py"}), Call("exec", {"input": f"run {n} é"})))
            for n in range(TURNS)
        ],
        Step("All done.", thinking="Nothing is left."),
    ]
)
TOOLS: Any = [
    {"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": False},
    {"type": "custom", "name": "exec"},
]
HI: Body = {"role": "user", "content": "hi"}
ANSWER: Body = {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}
CALL: Body = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
OUTPUT: Body = {"type": "function_call_output", "call_id": "c1", "output": "r"}
THOUGHT: Body = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
MADE = "0" * 24


def refused(body: Body) -> str:
    """The refusal's message, "" where the body is accepted."""
    try:
        validate_openai_responses.check(body)
    except Refused as why:
        return str(why)
    return ""


def asked(*items: Body, **members: Any) -> Body:
    """A request body."""
    return {"model": "gpt-5.1", "input": list(items), **members}


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "input": "hi"},
        asked(HI, CALL, OUTPUT),
        asked(HI, THOUGHT, ANSWER, CALL, {**CALL, "call_id": "c2"}, OUTPUT, {**OUTPUT, "call_id": "c2"}),
        asked(HI, HI, {"role": "developer", "content": "d"}, ANSWER),
        asked(HI, THOUGHT, CALL, HI, OUTPUT),
        asked(
            HI,
            {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "r"}]},
        ),
        asked(
            HI,
            {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {}},
            {"type": "local_shell_call_output", "id": "c", "output": "r"},
        ),
        asked(HI, {"type": "web_search_call", "id": "ws_1", "action": {}, "status": "completed"}, ANSWER),
        asked(HI, {"type": "compaction", "encrypted_content": "x"}, {"type": "compaction_trigger"}),
        asked(
            HI,
            {"type": "program", "call_id": "p", "code": "f()"},
            {**CALL, "caller": {"type": "program", "caller_id": "p"}},
            OUTPUT,
        ),
    ],
)
def test_what_the_api_takes_is_accepted(body: Body) -> None:
    """Calls and outputs by id in any order, messages of one role in a row, items of every kind."""
    assert refused(body) == ""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"input": "hi"}, "Missing required parameter: 'model'."),
        ({"model": "m", "messages": []}, "Unknown parameter: 'messages'."),
        ({"model": "m"}, 'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.'),
        (
            asked(HI, max_output_tokens=9),
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16",
        ),
        (asked({"type": "hologram"}), "Invalid value: 'hologram'. Supported values are: 'message', "),
        (asked({"role": "critic", "content": "a"}), "Invalid value: 'critic'. Supported values are: 'assistant', "),
        (asked({"role": "user"}), "Missing required parameter: 'input[0].content'."),
        (asked({"role": "user", "content": []}), "Invalid 'input[0].content': empty array."),
        (
            asked({"role": "user", "content": [{"type": "output_text", "text": "a"}]}),
            "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file'.",
        ),
        (
            asked(HI, {"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}),
            "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
        ),
        (
            asked(HI, {**CALL, "id": "msg_1"}, OUTPUT),
            "Invalid 'input[1].id': 'msg_1'. Expected an ID that begins with 'fc'.",
        ),
        (
            asked(HI, {"type": "function_call", "call_id": "c1", "name": "f"}),
            "Missing required parameter: 'input[1].arguments'.",
        ),
        (asked(HI, CALL), "No tool output found for function call c1."),
        (asked(HI, OUTPUT), "No tool call found for function call output with call_id c1."),
        (asked(HI, OUTPUT, CALL), "No tool call found for function call output with call_id c1."),
        (
            asked(HI, CALL, {**OUTPUT, "type": "custom_tool_call_output"}),
            "No tool call found for custom tool call output with call_id c1.",
        ),
        (asked(HI, THOUGHT), "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
        (asked(HI, THOUGHT, HI), "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
        (
            asked(HI, {**ANSWER, "id": f"msg_r{MADE}0", "type": "message"}),
            f"Item 'msg_r{MADE}0' of type 'message' was provided without its required 'reasoning' item: 'rs_{MADE}'.",
        ),
        (
            asked(HI, {**THOUGHT, "encrypted_content": signing.signature("x")}, ANSWER),
            "The encrypted content for item rs_1 could not be verified.",
        ),
        (asked({"type": "compaction_trigger"}, HI), "Compaction trigger must be the final input item."),
    ],
)
def test_what_the_api_refuses(body: Body, why: str) -> None:
    """In its own words: fields, roles, parts, ids, pairs, reasoning apart from what it was made for."""
    assert refused(body)[: len(why)] == why


def test_every_parameter_of_the_api_is_known() -> None:
    """All that the SDK can send."""
    hints = get_type_hints(response_create_params.ResponseCreateParamsNonStreaming)
    assert set(hints) <= validate_openai_responses.FIELDS


@pytest.mark.shared
def test_real_requests_are_accepted(shared: Path) -> None:
    """Every request of the corpus, and every recorded one that holds its own history."""
    bodies = [json.loads(path.read_bytes()) for path in sorted((shared / "corpus/requests/openai-responses").iterdir())]
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        requests = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        bodies += [each["body"] for each in requests if each["method"] == "POST" and each["path"] == "/v1/responses"]
    whole = [body for body in bodies if not body.get("previous_response_id")]
    assert len(whole) > 100
    assert {refused(body) for body in whole} == {""}


def run(talk: Callable[[openai.AsyncOpenAI, Provider], Awaitable[None]], play: Script = PLAY) -> None:
    """Talk to a provider that listens meanwhile, not for ever."""

    async def talking() -> None:
        async with Provider(answers=play) as provider:
            client = openai.AsyncOpenAI(base_url=provider.url + "/v1", api_key="k", max_retries=0)
            await asyncio.wait_for(talk(client, provider), 30)

    asyncio.run(talking())


def outputs(answer: Any) -> list[Any]:
    """The outputs of an answer's calls."""
    calls = [item for item in answer.output if item.type in ("function_call", "custom_tool_call")]
    return [{"type": f"{call.type}_output", "call_id": call.call_id, "output": str(call)} for call in calls]


@pytest.mark.parametrize("stream", [True, False])
def test_the_sdk_runs_a_tool_loop(stream: bool) -> None:
    """To the end, with functions and custom tools, and what was sent read from the cache at the next turn."""

    async def talk(client: openai.AsyncOpenAI, provider: Provider) -> None:
        given: list[Any] = [{"role": "user", "content": "word " * 2000}]
        read: list[int] = []
        for _ in range(TURNS + 1):
            ask: Any = {"model": "gpt-5.1", "input": given, "tools": TOOLS, "store": False}
            if stream:
                async with client.responses.stream(**ask) as events:
                    answer: Any = await events.get_final_response()
            else:
                answer = await client.responses.create(**ask)
            read.append(answer.usage.input_tokens_details.cached_tokens)
            dumped = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
            given += dumped + outputs(answer)
        assert (answer.status, answer.output_text) == ("completed", "All done.")
        assert [item.type for item in answer.output] == ["reasoning", "message"]
        assert [item["input"] for item in given if item.get("type") == "custom_tool_call"] == [
            f"run {n} é" for n in range(TURNS)
        ]
        assert provider.log.outcomes == {"answered": TURNS + 1}
        assert read[0] == 0
        assert all(now > before for before, now in pairwise(read))

    run(talk)


def test_the_provider_holds_what_was_said() -> None:
    """A client sends what is new alone, asks for a response again, and deletes it."""

    async def talk(client: openai.AsyncOpenAI, provider: Provider) -> None:
        answer = await client.responses.create(model="gpt-5.1", input="go", tools=TOOLS)
        for _ in range(TURNS):
            answer = await client.responses.create(
                model="gpt-5.1", input=outputs(answer), tools=TOOLS, previous_response_id=answer.id
            )
        assert answer.output_text == "All done."
        assert (await client.responses.retrieve(answer.id)).id == answer.id
        items = await client.responses.input_items.list(answer.id)
        assert len(items.data) == 1 + TURNS * 5
        await client.responses.delete(answer.id)
        for ask in (client.responses.retrieve(answer.id), client.responses.delete(answer.id)):
            with pytest.raises(openai.NotFoundError):
                await ask
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(model="gpt-5.1", input="x", previous_response_id="resp_gone")
        assert refused.value.code == "previous_response_not_found"

    run(talk)


def test_a_compaction_says_how_far_a_script_had_come() -> None:
    """Asked for by the last item, or at a path of its own; the script goes on behind it."""

    async def talk(client: openai.AsyncOpenAI, provider: Provider) -> None:
        given: list[Any] = [HI]
        for _ in range(2):
            answer = await client.responses.create(model="gpt-5.1", input=given, tools=TOOLS, store=False)
            given += [*answer.output, *outputs(answer)]
        trigger: Any = {"type": "compaction_trigger"}
        inline = await client.responses.create(model="gpt-5.1", input=[*given, trigger])
        assert [item.type for item in inline.output] == ["compaction"]
        apart = await client.responses.compact(model="gpt-5.1", input=given)
        assert [item.type for item in apart.output] == ["message", "compaction"]
        for compaction in (inline.output[0], apart.output[1]):
            shorter: Any = [HI, compaction]
            answer = await client.responses.create(model="gpt-5.1", input=shorter, tools=TOOLS)
            assert answer.output_text == "Step 2."

    run(talk)


def test_input_tokens_are_those_that_are_billed() -> None:
    """Counted without an answer."""

    async def talk(client: openai.AsyncOpenAI, provider: Provider) -> None:
        counted = await client.responses.input_tokens.count(model="gpt-5.1", input="word " * 200, tools=TOOLS)
        answer = await client.responses.create(model="gpt-5.1", input="word " * 200, tools=TOOLS)
        assert answer.usage is not None
        assert counted.input_tokens == answer.usage.input_tokens

    run(talk)


def test_an_answer_that_is_cut_is_incomplete() -> None:
    """At the limit of its tokens."""

    async def talk(client: openai.AsyncOpenAI, provider: Provider) -> None:
        answer = await client.responses.create(model="gpt-5.1", input="go", max_output_tokens=16)
        assert (answer.status, answer.output_text) == ("incomplete", "w" * 48)
        assert answer.incomplete_details is not None
        assert answer.incomplete_details.reason == "max_output_tokens"

    run(talk, Script([Step("w" * 900)]))
