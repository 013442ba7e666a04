"""Gemini contents read back as parts."""

import pytest

from foldpoint.surfaces.parts import parts


def test_contents_are_read_in_the_shape_of_every_surface() -> None:
    """Roles, texts, thoughts, calls with and without ids, results with their images, code, files, unknown parts."""
    read = parts(
        "gemini",
        b"""{"contents": [
        {"parts": {"text": "go"}},
        {"role": "model", "parts": [
            {"text": "hm", "thought": true}, {"text": "I look."},
            {"functionCall": {"name": "query", "args": {"n": 1.50}}, "thoughtSignature": "c2ln"},
            {"executableCode": {"code": "1+1"}}, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "x"}},
            {"hologram": {}}, {"thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [
            {"function_response": {"id": "c1", "name": "query", "response": {"error": "no"}, "parts": [
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}},
            {"fileData": {"mimeType": "image/jpeg", "fileUri": "gs://b/x"}},
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}}]}]}""",
    )
    failed = {"type": "tool_result", "id": "", "name": "code_execution", "text": "x", "error": True}
    assert read == [
        {"role": "user", "parts": [{"type": "text", "text": "go"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "text": "hm", "redacted": False},
                {"type": "text", "text": "I look."},
                {"type": "tool_call", "id": "", "name": "query", "arguments": '{"n": 1.50}'},
                {"type": "tool_call", "id": "", "name": "code_execution", "arguments": "1+1"},
                failed,
                {"type": "other", "kind": "hologram"},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"type": "tool_result", "id": "c1", "name": "query", "text": "no", "error": True},
                {"type": "image", "media_type": "image/png", "url": "", "result": "c1"},
                {"type": "image", "media_type": "image/jpeg", "url": "gs://b/x"},
                {"type": "other", "kind": "inlineData"},
            ],
        },
    ]


@pytest.mark.parametrize("body", [b"", b"{}", b'{"contents": 5}', b'{"contents": [{"parts": 5}]}', b"\xff"])
def test_a_body_that_cannot_be_read_has_no_messages(body: bytes) -> None:
    """It is not guessed at."""
    assert parts("gemini", body) == []
