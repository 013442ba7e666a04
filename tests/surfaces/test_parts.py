"""Messages read back as parts, the same for every surface, whatever a body holds."""

import msgspec
import pytest

from foldpoint.surfaces.parts import parts


def body(*messages: object) -> bytes:
    """A request body with the messages."""
    return msgspec.json.encode({"model": "m", "messages": messages})


def text(said: str) -> dict[str, object]:
    """A text part."""
    return {"type": "text", "text": said}


def test_anthropic_messages() -> None:
    """Texts, thinking, calls, results with their tool's name, images in and out of results, unknown blocks."""
    read = parts(
        "anthropic",
        b"""{"messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "xx"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "query", "input": {"n": 1.50, "big": 98765432109876543210}},
            {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": [
                {"type": "text", "text": "one"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                {"type": "text", "text": "two"}]},
            {"type": "tool_result", "tool_use_id": "gone"},
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
            {"type": "document", "source": {}}]}]}""",
    )
    assert read == [
        {"role": "user", "parts": [text("go")]},
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "text": "hm", "redacted": False},
                {"type": "thinking", "text": "", "redacted": True},
                text("I look."),
                {
                    "type": "tool_call",
                    "id": "toolu_1",
                    "name": "query",
                    "arguments": '{"n": 1.50, "big": 98765432109876543210}',
                },
                {"type": "tool_call", "id": "srv_1", "name": "web_search", "arguments": "{}"},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"type": "tool_result", "id": "toolu_1", "name": "query", "text": "one\ntwo", "error": True},
                {"type": "image", "media_type": "image/png", "url": "", "result": "toolu_1"},
                {"type": "tool_result", "id": "gone", "name": "", "text": "", "error": False},
                {"type": "image", "media_type": "", "url": "https://x/y.png"},
                {"type": "other", "kind": "document"},
            ],
        },
    ]


def test_openai_chat_messages() -> None:
    """Texts, reasoning, calls of both kinds, results with their tool's name, images, unknown parts."""
    read = parts(
        "openai-chat",
        body(
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
                {"type": "input_audio", "input_audio": {}},
            ]},
            {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "query", "arguments": '{"a": 1}'}},
                {"id": "call_2", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "rows"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "files"}]},
            {"role": "assistant", "function_call": {"name": "old", "arguments": "{}"}},
            {"role": "function", "name": "old", "content": "done"},
        ),
    )  # fmt: skip
    assert read == [
        {"role": "system", "parts": [text("be brief")]},
        {
            "role": "user",
            "parts": [
                text("see"),
                {"type": "image", "media_type": "image/png", "url": ""},
                {"type": "image", "media_type": "", "url": "https://x/y.png"},
                {"type": "other", "kind": "input_audio"},
            ],
        },
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "text": "hm", "redacted": False},
                {"type": "tool_call", "id": "call_1", "name": "query", "arguments": '{"a": 1}'},
                {"type": "tool_call", "id": "call_2", "name": "sh", "arguments": "ls -l"},
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_result", "id": "call_1", "name": "query", "text": "rows", "error": False}],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_result", "id": "call_2", "name": "sh", "text": "files", "error": False}],
        },
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "", "name": "old", "arguments": "{}"}]},
        {
            "role": "function",
            "parts": [{"type": "tool_result", "id": "", "name": "old", "text": "done", "error": False}],
        },
    ]


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("sent", [b"", b"[]", b"null", b"{", b"\xff", b'{"messages": 3}', b"[" * 5000])
def test_a_body_that_cannot_be_read_has_no_messages(surface: str, sent: bytes) -> None:
    """And raises nothing."""
    assert parts(surface, sent) == []


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_odd_messages_are_read_as_far_as_they_go(surface: str) -> None:
    """Members of other types, half a surrogate pair, messages that are none."""
    read = parts(
        surface,
        b'{"messages": [3, {"role": 1, "content": 2}, {"role": "user", "content": [4, {"type": 5}]},'
        b' {"role": "user", "content": "a\\ud800b"}, {"role": "assistant", "tool_calls": {"x": 1}}]}',
    )
    assert read == [
        {"role": "", "parts": []},
        {"role": "", "parts": []},
        {"role": "user", "parts": [{"type": "other", "kind": ""}, {"type": "other", "kind": ""}]},
        {"role": "user", "parts": [text("a\ufffdb")]},
        {"role": "assistant", "parts": []},
    ]


def test_a_surface_that_is_not_read_has_no_messages() -> None:
    """It is not guessed at."""
    assert parts("another", body({"role": "user", "content": "x"})) == []
