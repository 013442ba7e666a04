"""The simulated provider as Bedrock: what it refuses, and in whose words; its streams; its bill."""

import asyncio
import json
from base64 import b64decode, b64encode
from typing import Any

import aiohttp
import pytest
from botocore.eventstream import EventStreamBuffer

from foldpoint.lab.cache import segments
from foldpoint.lab.provider import Call, Provider, Script, Step
from foldpoint.lab.provider.refusal import Refused
from foldpoint.lab.provider.validate_bedrock import VERSION, check, check_invoked

Body = dict[str, Any]
POINT = {"cachePoint": {"type": "default"}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "EqFo"}}}
TOOLS = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]}


def use(name: str) -> Body:
    return {"toolUse": {"toolUseId": name, "name": "f", "input": {}}}


def result(name: str, *content: Body, **members: Any) -> Body:
    return {"toolResult": {"toolUseId": name, "content": list(content), **members}}


def said(*content: Body | str, role: str = "user") -> Body:
    return {"role": role, "content": [{"text": block} if isinstance(block, str) else block for block in content]}


def action(*content: Body | str) -> Body:
    return said(*content, role="assistant")


def body(*messages: Body, **members: Any) -> Body:
    return {"model": "us.anthropic.claude-x", "messages": list(messages), "toolConfig": TOOLS, **members}


HI = said("hi")
LOOP = [HI, action("a", use("t.1"), use("t:2")), said(result("t:2", {"text": "r"}), result("t.1", {"json": {}}))]
ACCEPTED = {
    "one message": {"model": "m", "messages": [HI]},
    "calls answered in any order": body(*LOOP),
    "a text behind results": body(*LOOP[:2], said(*LOOP[2]["content"], "and")),
    "cache points": body(
        said("a", POINT), system=[{"text": "s"}, POINT], toolConfig={"tools": [*TOOLS["tools"], POINT]}
    ),
    "thinking": body(HI, action(THOUGHT, use("t1")), said(result("t1"))),
    "an image and a document": body(
        said("see", {"image": {"format": "png", "source": {"bytes": "QUFB"}}},
             {"document": {"format": "txt", "name": "d", "source": {"text": "t"}}})
    ),
    "a system message behind a user's": body(HI, said("s", role="system"), action("a"), said("b")),
    "results alone, Llama": {**body(*LOOP), "model": "us.meta.llama4-maverick-17b-instruct-v1:0"},
}  # fmt: skip
REFUSED = {
    "Malformed input request: Missing required parameter": {"model": "m", "messages": [{"role": "user"}]},
    "Malformed input request: Unknown parameter": body(HI, max_tokens=4),
    "Malformed input request: Invalid type for parameter": body({"role": "user", "content": "hi"}),
    "A conversation must start with a user message": body(action("a"), HI),
    "A conversation must alternate": body(HI, HI),
    "The content field in the Message object at messages.0 is empty": body(said()),
    "The text field in the ContentBlock object at messages.0.content.1 is blank": body(said("a", " ")),
    "The text field in the ToolResultContentBlock object at messages.2.content.0": body(
        *LOOP[:2], said(result("t.1", {"text": ""}), result("t:2"))
    ),
    "The content field at messages.2.content.0.toolResult cannot be empty": body(
        *LOOP[:2], said(result("t.1", status="error"), result("t:2"))
    ),
    "The number of toolResult blocks at messages.0.content exceeds": body(said(result("t1"))),
    "The toolConfig field must be defined": {"model": "m", "messages": LOOP},
    "Cache point cannot be inserted after reasoning block": body(HI, action(THOUGHT, POINT), said("b")),
    "The cachePoint at messages.0.content.0": body(said(POINT, "a")),
    "A text block must be included when using documents": body(
        said({"document": {"format": "txt", "name": "d", "source": {"text": "t"}}})
    ),
    "The model returned the following errors: A maximum of 4 blocks with cache_control": body(
        said("a", POINT, "b", POINT, "c", POINT), system=[{"text": "s"}, POINT, {"text": "t"}, POINT]
    ),
    "The model returned the following errors: messages.1: `tool_use` ids were found without": body(
        HI, action(use("t1"), use("t2")), said(result("t1", {"text": "r"}))
    ),
}
LLAMA = {**body(*LOOP[:2], said(*LOOP[2]["content"], "and")), "model": "us.meta.llama4-maverick-17b-instruct-v1:0"}
REFUSED["messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn"] = LLAMA


def refusal(of: Any, given: Body) -> str:
    """The refusal's message, "" where the body is accepted."""
    try:
        of(given)
    except Refused as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted(name: str) -> None:
    """Whatever clients send."""
    assert refusal(check, ACCEPTED[name]) == ""


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str) -> None:
    """In the words of the real one, and the first fault alone."""
    assert refusal(check, REFUSED[message]).startswith(message)


def test_what_invoke_model_refuses() -> None:
    """Bodies of Anthropic's say for whom they are, and leave the stream to the path."""
    assert refusal(check_invoked, {"anthropic_version": VERSION}) == ""
    assert "anthropic_version" in refusal(check_invoked, {})
    assert "[stream]" in refusal(check_invoked, {"anthropic_version": VERSION, "stream": True})


def test_a_cache_point_is_a_breakpoint_on_the_block_in_front() -> None:
    """Tools first, then system, then messages, with the lifetime that it asks for."""
    given = body(
        said("a", {"cachePoint": {"type": "default", "ttl": "1h"}}, "b"),
        system=[{"text": "s"}, POINT],
        toolConfig={"tools": [*TOOLS["tools"], POINT]},
    )
    found = segments("bedrock", json.dumps(given).encode())
    assert [segment.mark for segment in found] == ["5m", "5m", "1h", None]


def test_a_cache_point_is_not_given_to_the_model() -> None:
    """The prompt is the same with it and without."""
    plain, marked = (segments("bedrock", json.dumps(body(said("a", *point))).encode()) for point in ((), (POINT,)))
    assert [one.content for one in plain] == [one.content for one in marked]


STEP = Step("I look.", (Call("f", {"path": "a" * 40}),), thinking="hm")


def asked(path: str, given: Body, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and bytes of an answer."""

    async def main() -> tuple[int, dict[str, str], bytes]:
        async with (
            Provider(answers=Script([STEP])) as provider,
            aiohttp.ClientSession() as client,
            client.post(f"{provider.url}{path}", json=given, headers=headers) as answer,
        ):
            named = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, named, await answer.read()

    return asyncio.run(main())


def read(stream: bytes) -> list[tuple[str, Any]]:
    """(kind, event) of every frame of a stream, as botocore reads them."""
    buffer = EventStreamBuffer()
    buffer.add_data(stream)
    return [(message.headers[":event-type"], json.loads(message.payload)) for message in buffer]


SENT = {"messages": [HI], "toolConfig": TOOLS}
INVOKED = {"anthropic_version": VERSION, "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]}


def test_a_stream_of_converse_says_what_the_plain_answer_says() -> None:
    """Its events put together are the message; the last one is the bill."""
    plain = json.loads(asked("/model/m/converse", SENT)[2])
    status, headers, stream = asked("/model/m/converse-stream", SENT)
    events = read(stream)
    told = [value["delta"] for kind, value in events if kind == "contentBlockDelta"]
    thought, text, call = plain["output"]["message"]["content"]
    assert (status, headers["content-type"]) == (200, "application/vnd.amazon.eventstream")
    reasoning = [delta["reasoningContent"] for delta in told if "reasoningContent" in delta]
    assert "".join(one.get("text", "") for one in reasoning) == thought["reasoningContent"]["reasoningText"]["text"]
    assert reasoning[-1]["signature"] == thought["reasoningContent"]["reasoningText"]["signature"]
    assert "".join(delta.get("text", "") for delta in told) == text["text"]
    arguments = "".join(delta["toolUse"]["input"] for delta in told if "toolUse" in delta)
    assert json.loads(arguments) == call["toolUse"]["input"]
    assert events[0] == ("messageStart", {"role": "assistant"})
    assert events[-2] == ("messageStop", {"stopReason": "tool_use"})
    assert events[-1] == ("metadata", {"usage": plain["usage"], "metrics": plain["metrics"]})


def test_a_stream_of_invoke_model_wraps_anthropics_events() -> None:
    """One event a chunk."""
    events = read(asked("/model/m/invoke-with-response-stream", INVOKED)[2])
    inner = [json.loads(b64decode(value["bytes"])) for kind, value in events if kind == "chunk"]
    assert (len(inner), inner[0]["type"], inner[-1]["type"]) == (len(events), "message_start", "message_stop")


@pytest.mark.parametrize(
    ("path", "given"),
    [("converse", {"messages": []}), ("invoke", {**INVOKED, "messages": []}), ("converse-stream", {"messages": []})],
)
def test_refusals_have_the_shape_of_aws(path: str, given: Body) -> None:
    """A message, its type in a header."""
    status, headers, answer = asked(f"/model/m/{path}", given)
    assert (status, headers["x-amzn-errortype"], list(json.loads(answer))) == (400, "ValidationException", ["message"])


@pytest.mark.parametrize(
    "given", [{"converse": SENT}, {"invokeModel": {"body": b64encode(json.dumps(INVOKED).encode()).decode()}}]
)
def test_tokens_are_counted(given: Body) -> None:
    """Of a Converse body and of one for InvokeModel."""
    status, _, answer = asked("/model/m/count-tokens", {"input": given})
    assert (status, json.loads(answer)["inputTokens"] > 0) == (200, True)


def test_a_customer_keeps_its_cache_whatever_the_signature() -> None:
    """The key's id names it; a signature is another one each time."""

    async def main() -> list[int]:
        async with Provider() as provider, aiohttp.ClientSession() as client:
            given = {"messages": [said("a" * 9_000, POINT)]}
            for signature in ("11", "22"):
                authorization = (
                    f"AWS4-HMAC-SHA256 Credential=AKID/20260101/r/bedrock/aws4_request, Signature={signature}"
                )
                headers = {"authorization": authorization}
                async with client.post(f"{provider.url}/model/m/converse", json=given, headers=headers) as answer:
                    await answer.read()
            return [one.charge.usage.cache_read > 0 for one in provider.log.exchanges if one.charge]

    assert asyncio.run(main()) == [False, True]
