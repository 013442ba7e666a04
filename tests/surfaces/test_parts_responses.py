"""Responses items read back as parts."""

from foldpoint.surfaces.parts import parts


def test_items_of_every_kind() -> None:
    """Texts, reasoning, calls as sent, outputs with their tool's name and images, what the provider ran."""
    read = parts(
        "openai-responses",
        b"""{"input": [
        {"type": "additional_tools", "role": "developer", "tools": []},
        {"role": "user", "content": "go"},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "see"},
            {"type": "input_image", "image_url": "https://x/y.png"}, {"type": "input_file", "file_id": "f"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "x"},
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "c1", "name": "query", "arguments": "{\\"n\\": 1.50}"},
        {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
        {"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "one"}, {"type": "input_image", "image_url": "data:image/png;base64,AA"}]},
        {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a", "stderr": "b"}]},
        {"type": "mcp_call", "id": "m1", "name": "look", "arguments": "{}", "output": null, "error": "no"}]}""",
    )
    assert read == [
        {"role": "developer", "parts": [{"type": "other", "kind": "additional_tools"}]},
        {"role": "user", "parts": [text("go")]},
        {
            "role": "user",
            "parts": [
                text("see"),
                {"type": "image", "media_type": "", "url": "https://x/y.png"},
                {"type": "other", "kind": "input_file"},
            ],
        },
        {"role": "assistant", "parts": [{"type": "thinking", "text": "hm", "redacted": False}]},
        {"role": "assistant", "parts": [{"type": "thinking", "text": "", "redacted": True}]},
        {"role": "assistant", "parts": [text("I look.")]},
        {"role": "assistant", "parts": [call("c1", "query", '{"n": 1.50}')]},
        {"role": "assistant", "parts": [call("c2", "shell", '{"commands": ["ls"]}')]},
        {
            "role": "tool",
            "parts": [
                result("c1", "query", "one"),
                {"type": "image", "media_type": "image/png", "url": "", "result": "c1"},
            ],
        },
        {"role": "tool", "parts": [result("c2", "shell", "a\nb")]},
        {"role": "assistant", "parts": [call("m1", "look", "{}"), result("m1", "look", "no", True)]},
    ]


def test_an_input_that_is_a_string() -> None:
    """One message of the user."""
    assert parts("openai-responses", b'{"input":"go"}') == [{"role": "user", "parts": [text("go")]}]


def test_what_cannot_be_read_has_no_parts() -> None:
    """Broken JSON, another shape."""
    assert [parts("openai-responses", body) for body in (b"{", b"[]", b'{"input":[1]}', b'{"input":5}')] == [[]] * 4


def text(said: str) -> dict[str, object]:
    """A text part."""
    return {"type": "text", "text": said}


def call(id: str, name: str, arguments: str) -> dict[str, object]:
    """A call."""
    return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}


def result(id: str, name: str, said: str, error: bool = False) -> dict[str, object]:
    """A result."""
    return {"type": "tool_result", "id": id, "name": name, "text": said, "error": error}
