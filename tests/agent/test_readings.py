"""Answers read from streams: wherever they are cut into pieces, and whatever stands in them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import httpx2
import msgspec
import pytest
from asking import MODELS, SURFACES
from hypothesis import given, settings
from hypothesis import strategies as st

from foldpoint.agent.asker import read
from foldpoint.agent.dialects import dialect_of, reading_of
from foldpoint.agent.errors import AskError
from foldpoint.agent.ports import Answer, Row, ToolCall
from foldpoint.core.usage import Usage
from foldpoint.lab.cache import Charge
from foldpoint.lab.provider.anthropic import Anthropic
from foldpoint.lab.provider.dialect import Answered
from foldpoint.lab.provider.openai_chat import OpenAIChat
from foldpoint.lab.provider.openai_responses import OpenAIResponses
from foldpoint.lab.provider.reply import Called, Reply

PROVIDERS = {"anthropic": Anthropic(), "openai-chat": OpenAIChat(), "openai-responses": OpenAIResponses()}
USAGE = Usage(5, 7, 9)


def events_of(surface: str, reply: Reply) -> bytes:
    """The stream of a reply as the simulated provider sends it."""
    rows = [Row(1, "user", "Go.")]
    body = msgspec.json.decode(dialect_of(surface, MODELS[surface]).body(rows, "", (), 100))
    return b"".join(PROVIDERS[surface].events(Answered("0" * 24, body, reply, Charge(USAGE))))


def answer_of(surface: str, pieces: Sequence[bytes], said: list[str] | None = None) -> Answer:
    """What is read from a stream that comes in these pieces."""

    async def coming() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def answered() -> Answer:
        request, headers = httpx2.Request("POST", "http://a.example"), {"content-type": "text/event-stream"}
        response = httpx2.Response(200, headers=headers, content=coming(), request=request)
        return await read(response, reading_of(surface), [].append if said is None else said.append)

    return asyncio.run(answered())


def events(*members: object) -> bytes:
    """A stream of these events."""
    return b"".join(
        b"data: " + (each if isinstance(each, bytes) else msgspec.json.encode(each)) + b"\n\n" for each in members
    )


def pieces_of(stream: bytes, cuts: Sequence[int]) -> list[bytes]:
    """The stream, cut at these places."""
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    return [stream[start:end] for start, end in pairwise(places)]


ARGUMENTS = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(-99, 99), max_size=3)
CALLS = st.builds(
    lambda number, name, given: Called(f"s{number:04d}{'0' * 18}", name, msgspec.json.encode(given).decode()),
    st.integers(0, 9999),
    st.sampled_from(["ls", "cat"]),
    ARGUMENTS,
)
REPLIES = st.builds(
    lambda text, calls, thinking: Reply(text, tuple(calls), thinking, "calls" if calls else "end"),
    st.text(max_size=60),
    st.lists(CALLS, max_size=3, unique_by=lambda call: call.id),
    st.text(max_size=40),
)


@pytest.mark.parametrize("surface", SURFACES)
@given(reply=REPLIES, cuts=st.lists(st.integers(0, 4000), max_size=12), crlf=st.booleans(), comments=st.booleans())
def test_a_stream_says_the_same_wherever_it_is_cut(
    surface: str, reply: Reply, cuts: list[int], crlf: bool, comments: bool
) -> None:
    """With either kind of line ends, and comments that keep the connection alive."""
    stream = events_of(surface, reply)
    if comments:
        stream = b": alive\n\n" + stream.replace(b"\n\n", b"\n\n: alive\n\n")
    stream = stream.replace(b"\n", b"\r\n") if crlf else stream
    said: list[str] = []
    answer = answer_of(surface, pieces_of(stream, cuts), said)
    assert answer == answer_of(surface, [events_of(surface, reply)])
    assert (answer.text, "".join(said)) == (reply.text, reply.text)
    assert [(call.name, call.arguments) for call in answer.calls] == [(c.name, c.arguments) for c in reply.calls]
    assert answer.usage == msgspec.structs.replace(USAGE, output=reply.output_tokens)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_stream_may_be_cut_at_any_byte(surface: str) -> None:
    """Each of them, inside a letter too; what has not ended there is no answer."""
    stream = events_of(surface, Reply("Größe: ½ 🎉", (Called("s0000" + "0" * 18, "ls", '{"ü":1}'),), "Hm 🎉", "calls"))
    whole = answer_of(surface, [stream])
    assert {answer_of(surface, [stream[:at], stream[at:]]) == whole for at in range(0, len(stream), 11)} == {True}
    for at in range(0, len(stream) - 600, 97):
        with pytest.raises(AskError):
            answer_of(surface, [stream[:at]])


@pytest.mark.parametrize("surface", SURFACES)
def test_an_answer_may_say_nothing(surface: str) -> None:
    """Then nothing is sent back for it."""
    answer = answer_of(surface, [events_of(surface, Reply())])
    assert (answer.text, answer.calls, answer.stop) == ("", (), "end")
    rows = [Row(1, "user", "Go."), Row(2, "assistant", "", surface=surface, native=answer.native)]
    dialect = dialect_of(surface, MODELS[surface])
    assert dialect.body(rows, "", (), 9) == dialect.body(rows[:1], "", (), 9)


@pytest.mark.parametrize("surface", SURFACES)
def test_an_answer_may_be_thinking_alone(surface: str) -> None:
    """Nothing follows it, so it is not sent back."""
    answer = answer_of(surface, [events_of(surface, Reply(thinking="Only this."))])
    assert (answer.text, answer.calls, answer.stop, answer.native) == ("", (), "end", b"")


OPEN = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}
CLOSE = {"type": "message_stop"}


def stopped(reason: str) -> dict[str, object]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}}


def block(index: int, begun: object, *deltas: object) -> bytes:
    """The events of a block of Anthropic's."""
    started = {"type": "content_block_start", "index": index, "content_block": begun}
    grown = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return events(started, *grown, {"type": "content_block_stop", "index": index})


TEXT = block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"})
CUT_CALL = block(
    1, {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}, {"type": "input_json_delta", "partial_json": '{"pa'}
)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("refusal", "refused"),
        ("tool_use", "end"),
        ("something_new", "end"),
    ],
)
def test_anthropic_says_why_it_stops(reason: str, stop: str) -> None:
    """A reason that is not known is an end; calls are awaited only where there are some."""
    answer = answer_of("anthropic", [events(OPEN) + TEXT + events(stopped(reason), CLOSE)])
    assert (answer.stop, answer.text, answer.usage) == (stop, "Hi", Usage(3, 0, 0, 2))


@pytest.mark.parametrize(
    ("reason", "stop", "arguments"),
    [("max_tokens", "length", []), ("tool_use", "calls", ['{"pa']), ("refusal", "refused", [])],
)
def test_a_call_that_was_cut_is_none(reason: str, stop: str, arguments: list[str]) -> None:
    """Arguments that the model itself wrote badly are told as they are; the message that goes back is sound."""
    answer = answer_of("anthropic", [events(OPEN) + TEXT + CUT_CALL + events(stopped(reason), CLOSE)])
    assert (answer.stop, [call.arguments for call in answer.calls]) == (stop, arguments)
    inputs = [each["input"] for each in msgspec.json.decode(answer.native)["content"] if each["type"] == "tool_use"]
    assert inputs == [{"malformed_arguments": '{"pa'}] * len(arguments)


def test_anthropic_keeps_what_it_does_not_know() -> None:
    """Unknown events and deltas are passed over, unknown blocks and citations go back; thinking without its signature
    does not."""
    odd = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    found = answer_of(
        "anthropic",
        [
            events({"type": "news"}, {"type": "ping"}, OPEN)
            + block(
                0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "Hm"}
            )
            + block(1, odd, {"type": "input_json_delta", "partial_json": '{"q": 1}'}, {"type": "news_delta"})
            + block(2, {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []})
            + block(
                3,
                {"type": "text", "text": "", "citations": []},
                {"type": "text_delta", "text": "Hi"},
                {"type": "citations_delta", "citation": {"url": "u"}},
            )
            + block(4, {"type": "text", "text": ""})
            + events(stopped("end_turn"), CLOSE)
        ],
    )
    assert msgspec.json.decode(found.native) == {
        "role": "assistant",
        "content": [
            {**odd, "input": {"q": 1}},
            {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
            {"type": "text", "text": "Hi", "citations": [{"url": "u"}]},
        ],
    }


def chunk(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"id": "chat-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(arguments: str, **members: object) -> dict[str, object]:
    return {"function": {"arguments": arguments, **({"name": "ls"} if "id" in members else {})}, **members}


@pytest.mark.parametrize(
    ("finish", "stop"), [("stop", "end"), ("length", "length"), ("content_filter", "refused"), ("odd", "end")]
)
def test_chat_says_why_it_stops(finish: str, stop: str) -> None:
    """And is whole without usage and without its last word, which not every provider sends."""
    answer = answer_of("openai-chat", [events(chunk(content="Hi"), chunk(finish))])
    assert (answer.stop, answer.text, answer.usage) == (stop, "Hi", None)


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        ([piece('{"a', index=0, id="c1"), piece('":1}', index=0)], [("c1", '{"a":1}')]),
        ([piece("{}", index=0, id="c1"), piece("{}", index=0, id="c2")], [("c1", "{}"), ("c2", "{}")]),
        ([piece('{"a', id="c1"), piece('":1}'), piece("", id="c2")], [("c1", '{"a":1}'), ("c2", "{}")]),
        ([piece('{"a', index=0, id="c1"), piece('":1}', index=0, id="c1")], [("c1", '{"a":1}')]),
        ([piece("{}", index=0), piece("{}", index=1)], [("call_chat-1_0", "{}"), ("call_chat-1_1", "{}")]),
    ],
)
def test_chat_pieces_of_calls_are_put_together(deltas: list[object], calls: list[tuple[str, str]]) -> None:
    """By index, by id, or in a row, as providers have it; a call without an id gets one."""
    answer = answer_of(
        "openai-chat", [events(*(chunk(tool_calls=[delta]) for delta in deltas), chunk("stop"), b"[DONE]")]
    )
    assert (answer.stop, [(call.id, call.arguments) for call in answer.calls]) == ("calls", calls)
    native = msgspec.json.decode(answer.native)["tool_calls"]
    assert [(call["id"], call["function"]["arguments"]) for call in native] == calls


def test_chat_gives_back_what_a_provider_adds() -> None:
    """Its thoughts, and members of a call that it signs them with."""
    call = piece("{}", index=0, id="c1", extra_content={"google": {"thought_signature": "x"}})
    answer = answer_of(
        "openai-chat",
        [events(chunk(reasoning_content="Hm"), chunk(reasoning_content="."), chunk("tool_calls", tool_calls=[call]))],
    )
    assert msgspec.json.decode(answer.native) == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Hm.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "ls", "arguments": "{}"},
                "extra_content": {"google": {"thought_signature": "x"}},
            }
        ],
    }


def test_a_refusal_is_said_and_is_none_of_an_answer() -> None:
    """On either of OpenAI's APIs."""
    part = {"type": "refusal", "refusal": "No."}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "content": [part]}
    response = {"status": "completed", "output": [item]}
    found = [
        answer_of("openai-chat", [events(chunk(refusal="No."), chunk("stop"))]),
        answer_of("openai-responses", [events({"type": "response.completed", "response": response})]),
    ]
    assert [(answer.text, answer.stop) for answer in found] == [("No.", "refused")] * 2


def done(at: int, **item: object) -> dict[str, object]:
    return {"type": "response.output_item.done", "output_index": at, "item": item}


def message(at: int, text: str) -> dict[str, object]:
    part = {"type": "output_text", "text": text}
    return done(at, id=f"msg_{at}", type="message", role="assistant", content=[part])


CALL = done(1, id="fc_1", type="function_call", call_id="c1", name="ls", arguments='{"a', status="incomplete")


def ended(status: str, reason: str = "") -> dict[str, object]:
    return {"type": f"response.{status}", "response": {"status": status, "incomplete_details": {"reason": reason}}}


@pytest.mark.parametrize(
    ("reason", "stop"), [("max_output_tokens", "length"), ("content_filter", "refused"), ("odd", "length")]
)
def test_responses_says_why_it_is_incomplete(reason: str, stop: str) -> None:
    """A call that was cut is none, and the reasoning for it alone does not go back."""
    thought = done(0, id="rs_1", type="reasoning", summary=[], encrypted_content="x")
    answer = answer_of("openai-responses", [events(thought, CALL, ended("incomplete", reason))])
    assert (answer.stop, answer.calls, answer.native) == (stop, (), b"")


def test_responses_messages_stand_apart() -> None:
    """Two messages of one answer, streamed or not, have a blank line between them."""
    said: list[str] = []
    delta = {"type": "response.output_text.delta", "output_index": 0, "delta": "One."}
    stream = events({"type": "response.news"}, delta, message(0, "One."), message(1, "Two."), ended("completed"))
    answer = answer_of("openai-responses", [stream], said)
    assert (answer.text, said) == ("One.\n\nTwo.", ["One.", "\n\nTwo."])


@pytest.mark.parametrize("surface", SURFACES)
def test_broken_text_is_mended(surface: str) -> None:
    """Bytes that are no UTF-8, and halves of a letter that come one after the other."""
    said: list[str] = []
    halves = {
        "anthropic": events(OPEN)
        + b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
        + b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\xff\\ud83c"}}\n\n'
        + b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\udf89"}}\n\n'
        + events(stopped("end_turn"), CLOSE),
        "openai-chat": b'data: {"choices":[{"delta":{"content":"\xff\\ud83c"}}]}\n\n'
        + b'data: {"choices":[{"delta":{"content":"\\udf89"},"finish_reason":"stop"}]}\n\n',
        "openai-responses": b'data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message",'
        + b'"role":"assistant","content":[{"type":"output_text","text":"\xff\\ud83c\\udf89"}]}}\n\n'
        + events(ended("completed")),
    }
    answer = answer_of(surface, [halves[surface]], said)
    assert answer.text == "�🎉"
    assert "🎉" in answer.native.decode()
    assert "".join(said).encode()


NAMED = """
type index delta content content_block text id name input partial_json choices message tool_calls function arguments
finish_reason usage error output_index item response output status role refusal reasoning_details
"""
KNOWN = """
content_block_start content_block_delta message_delta message_start message_stop text_delta tool_use text
response.output_item.done response.output_text.delta response.completed response.incomplete function_call
"""
NAMES, KINDS = st.sampled_from(NAMED.split()), st.sampled_from(KNOWN.split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("surface", SURFACES)
@settings(max_examples=40)
@given(odd=st.lists(st.tuples(st.dictionaries(NAMES, JSON, max_size=6), KINDS), max_size=6))
def test_whatever_a_stream_holds_it_is_an_answer_or_an_error(
    surface: str, odd: list[tuple[dict[str, object], str]]
) -> None:
    """Never a fault; and a strict provider takes back whatever was answered."""
    try:
        answer = answer_of(surface, [events(*({**members, "type": kind} for members, kind in odd))])
    except AskError:
        return
    row = Row(2, "assistant", answer.text, answer.calls, surface=surface, native=answer.native)
    body = dialect_of(surface, MODELS[surface]).body([Row(1, "user", "Go."), row], "", (), 100)
    PROVIDERS[surface].check(msgspec.json.decode(body))


def test_a_call_without_arguments_has_none() -> None:
    """An empty object, as a tool is run with."""
    call = block(0, {"type": "tool_use", "id": "t1", "name": "ls", "input": {}})
    answer = answer_of("anthropic", [events(OPEN) + call + events(stopped("tool_use"), CLOSE)])
    assert answer.calls == (ToolCall("t1", "ls", "{}"),)
