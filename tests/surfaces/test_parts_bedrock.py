"""Converse messages read back as parts."""

import pytest

from foldpoint.surfaces.parts import parts


def test_converse_messages() -> None:
    """Texts, thinking, calls, results with their tool's name, images in and out of results, unknown blocks."""
    read = parts(
        "bedrock",
        b"""{"messages": [
        {"role": "user", "content": [{"text": "go"}, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": "xx"}},
            {"citationsContent": {"content": [{"text": "I "}, {"text": "look."}]}},
            {"toolUse": {"toolUseId": "t1", "name": "query", "input": {"n": 1.50}}}]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "t1", "status": "error", "content": [
                {"text": "one"}, {"json": {"a":  1}}, {"image": {"format": "png", "source": {"bytes": "AAAA"}}}]}},
            {"image": {"format": "jpeg", "source": {"s3Location": {"uri": "s3://b/k"}}}},
            {"document": {}}]}]}""",
    )
    assert read == [
        {"role": "user", "parts": [{"type": "text", "text": "go"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "text": "hm", "redacted": False},
                {"type": "thinking", "text": "", "redacted": True},
                {"type": "text", "text": "I look."},
                {"type": "tool_call", "id": "t1", "name": "query", "arguments": '{"n": 1.50}'},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"type": "tool_result", "id": "t1", "name": "query", "text": 'one\n{"a":  1}', "error": True},
                {"type": "image", "media_type": "image/png", "url": "", "result": "t1"},
                {"type": "image", "media_type": "image/jpeg", "url": "s3://b/k"},
                {"type": "other", "kind": "document"},
            ],
        },
    ]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"messages": 5}', b'{"messages": [5, {"content": "a"}]}'])
def test_whatever_a_body_holds(body: bytes) -> None:
    """Nothing is raised, and nothing is made up."""
    assert [part for message in parts("bedrock", body) for part in message["parts"]] == []
