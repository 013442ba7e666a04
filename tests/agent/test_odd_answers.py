"""Answers that no provider should give, and logs with odd texts: what goes back is a request that can be sent."""

import httpx2
import msgspec
import pytest
from asking import MODELS, SURFACES

from foldpoint.agent.dialects import dialect_of, reading_of
from foldpoint.agent.dialects.texts import decoded
from foldpoint.agent.ports import Answer, Row, ToolCall
from foldpoint.agent.refusals import refusal, seconds
from foldpoint.lab.provider import validate_anthropic, validate_openai_chat, validate_openai_responses

CHECKS = {
    "anthropic": validate_anthropic.check,
    "openai-chat": validate_openai_chat.check,
    "openai-responses": validate_openai_responses.check,
}
CALL = {"type": "tool_use", "name": "ls", "input": {}}
UNNAMED = {
    "anthropic": {"type": "message", "id": "msg_1", "content": [CALL, CALL], "stop_reason": "tool_use"},
    "openai-chat": {"choices": [{"message": {"tool_calls": [{"function": {"name": "ls"}}] * 2}}]},
    "openai-responses": {"output": [{"type": "function_call", "name": "ls", "arguments": "{}"}] * 2},
}


def answer_in(surface: str, *events: dict[str, object]) -> Answer:
    """What these events say."""
    reading = reading_of(surface)
    for event in events:
        reading.take(event)
    return reading.answer()


def asked_again(surface: str, answer: Answer) -> dict[str, object]:
    """The request behind an answer and the results of its calls, as a strict provider took it."""
    said = Row(2, "assistant", answer.text, answer.calls, surface=surface, native=answer.native)
    results = [Row(3, "tool", "done", tool_call_id=call.id, name=call.name) for call in answer.calls]
    body = dialect_of(surface, MODELS[surface]).body([Row(1, "user", "Go."), said, *results], "", (), 100)
    found: dict[str, object] = msgspec.json.decode(body)
    CHECKS[surface](found)
    return found


@pytest.mark.parametrize("surface", SURFACES)
def test_calls_without_ids_get_some(surface: str) -> None:
    """Each its own, and the message that goes back has them too."""
    reading = reading_of(surface)
    reading.whole(UNNAMED[surface])
    answer = reading.answer()
    ids = [call.id for call in answer.calls]
    assert (len(set(ids)), all(ids)) == (2, True)
    assert [answer.native.decode().count(f'"{name}"') for name in ids] == [1, 1]
    asked_again(surface, answer)


def test_a_block_that_has_no_type_stays_behind() -> None:
    """It would be refused; the citation alone makes none."""
    delta = {"type": "citations_delta", "citation": {"url": "u"}}
    answer = answer_in("anthropic", {"type": "content_block_delta", "index": 0, "delta": delta})
    assert answer.native == b""


def test_citations_that_are_no_list_are_none() -> None:
    """The text is kept, with those that come."""
    begun = {"type": "text", "text": "Hi", "citations": 5}
    delta = {"type": "citations_delta", "citation": {"url": "u"}}
    answer = answer_in(
        "anthropic",
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    )
    assert msgspec.json.decode(answer.native)["content"] == [{**begun, "citations": [{"url": "u"}]}]


def test_text_that_was_said_is_in_the_answer() -> None:
    """Even where its block was never begun."""
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    reading = reading_of("anthropic")
    assert (reading.take(event), reading.answer().text) == ("Hi", "Hi")


@pytest.mark.parametrize("surface", SURFACES)
def test_half_a_letter_in_a_log_is_mended(surface: str) -> None:
    """In any text of it; the request is one that can be sent."""
    call = ToolCall("c1", "ls", '{"a":"\ud83d"}')
    rows = [Row(1, "user", "a\udc80"), Row(2, "assistant", "", (call,)), Row(3, "tool", "b\ud83d", tool_call_id="c1")]
    body = dialect_of(surface, MODELS[surface]).body(rows, "s\ud83d", (), 100)
    CHECKS[surface](msgspec.json.decode(body))
    assert [f"{letter}�".encode() in body for letter in "abs"] == [True] * 3


@pytest.mark.parametrize(
    ("text", "failed", "told"),
    [("boom", True, "[the tool failed]\nboom"), (" ", True, "[the tool failed]"), ("fine", False, "fine")],
)
@pytest.mark.parametrize(
    ("surface", "list_name", "member"),
    [("openai-chat", "messages", "content"), ("openai-responses", "input", "output")],
)
def test_the_text_says_that_a_tool_failed(
    surface: str, list_name: str, member: str, text: str, failed: bool, told: str
) -> None:
    """Where the surface has no field for it."""
    rows = [
        Row(1, "user", "Go."),
        Row(2, "assistant", "", (ToolCall("c1", "ls", "{}"),)),
        Row(3, "tool", text, tool_call_id="c1", failed=failed),
    ]
    body = msgspec.json.decode(dialect_of(surface, "m").body(rows, "", (), 100))
    assert body[list_name][-1][member] == told


def test_nesting_too_deep_is_no_json() -> None:
    """Behind half a letter too, where the lenient reader takes over."""
    with pytest.raises(ValueError, match="nested too deep"):
        decoded('{"a":"\\ud83d","b":' + "[" * 200_000)


@pytest.mark.parametrize("given", ["inf", "1e999", "nan"])
def test_a_wait_without_end_is_none(given: str) -> None:
    """Nobody sleeps for ever because a provider says so."""
    headers = [{"retry-after": given}, {"retry-after-ms": given}]
    assert [seconds(httpx2.Headers(each)) for each in headers] == [None, None]


@pytest.mark.parametrize(("code", "retryable"), [("insufficient_quota", False), ("rate_limit_exceeded", True)])
def test_a_quota_that_is_used_up_is_not_asked_again(code: str, retryable: bool) -> None:
    """It has the status of a limit that passes."""
    response = httpx2.Response(429, json={"error": {"message": "No more.", "code": code}})
    assert refusal(response, response.content).retryable == retryable
