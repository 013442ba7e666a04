"""Content as the conventions write it, within bounds."""

import json

import pytest

from foldpoint.surfaces.parts import parts
from foldpoint.telemetry.content import LONGEST, LONGEST_TEXT, is_wanted, messages

BODY = {
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "x"},
                {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}},
            ],
        },
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "a b"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
            {"type": "document"},
        ]},
    ]
}  # fmt: skip


def test_every_kind_of_part() -> None:
    """By the schema of input messages; what is in an image stays out."""
    assert json.loads(messages(parts, "anthropic", json.dumps(BODY).encode())) == [
        {"role": "user", "parts": [{"type": "text", "content": "go"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "tool_call", "id": "t1", "name": "ls", "arguments": '{"path": "."}'},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"type": "tool_call_response", "id": "t1", "response": "a b"},
                {"type": "image", "mime_type": "image/png"},
                {"type": "document"},
            ],
        },
    ]


def test_the_newest_are_kept() -> None:
    """All of it is bounded, and each text in it."""
    body = {"messages": [{"role": "user", "content": f"{number} " + "x" * 20_000} for number in range(50)]}
    said = messages(parts, "anthropic", json.dumps(body).encode())
    kept = json.loads(said)
    assert len(said.encode()) <= LONGEST
    assert [int(message["parts"][0]["content"].split()[0]) for message in kept] == list(range(50 - len(kept), 50))
    assert {len(message["parts"][0]["content"]) for message in kept} == {LONGEST_TEXT + 1}


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b'{"messages": 1}', b"\xff\xfe"])
def test_a_body_that_can_not_be_read(body: bytes) -> None:
    """Nothing is said of it."""
    assert messages(parts, "anthropic", body) == ""


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("true", True), ("TRUE", True), ("span_only", True), ("SPAN_AND_EVENT", True), ("event_only", False),
     ("false", False), ("1", False), ("", False), (None, False)],
)  # fmt: skip
def test_who_asks_for_content(value: str | None, is_on: bool) -> None:
    """The variable that all instrumentations share, and only that."""
    name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
    assert is_wanted({} if value is None else {name: value}) == is_on
