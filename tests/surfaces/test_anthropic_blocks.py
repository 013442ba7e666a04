"""Blocks of server tools, documents and betas: what a line says of them, what they weigh, and which have to stay."""

from typing import Any

import pytest

from foldpoint.core.transcript import Limits, View
from foldpoint.surfaces import SURFACES
from transcripts import compact, said, text

SURFACE = SURFACES["anthropic"]
FRAME = 24 + 16
"""What a message and a block count."""
FOUND = {"type": "tool_search_tool_search_result", "tool_references": [{"type": "tool_reference", "tool_name": "grep"}]}


def view(role: str, *blocks: Any) -> View:
    return SURFACE.view(compact({"role": role, "content": blocks}), Limits())


def served(name: str, content: Any) -> View:
    """The view of a server tool's call and result."""
    use = {"type": "server_tool_use", "id": "s", "name": name, "input": {}}
    return view("assistant", use, {"type": f"{name}_tool_result", "tool_use_id": "s", "content": content})


def document(**source: Any) -> dict[str, Any]:
    return {"type": "document", "title": "Q3", "citations": {"enabled": True}, "source": source}


def search_result(*texts: str) -> dict[str, Any]:
    blocks = [text(each) for each in texts]
    return {"type": "search_result", "title": "Totals", "source": "https://a.example", "content": blocks}


@pytest.mark.parametrize(
    ("name", "content", "line", "size"),
    [
        (
            "web_fetch",
            {"type": "web_fetch_result", "url": "https://a.example/x", "content": document(type="text", data="page")},
            "https://a.example/x [document]",
            len("https://a.example/x") + len("page"),
        ),
        (
            "web_fetch",
            {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"},
            "url_not_accessible",
            len("url_not_accessible"),
        ),
        (
            "bash_code_execution",
            {"type": "bash_code_execution_result", "stdout": "1\n2", "stderr": "", "return_code": 0, "content": []},
            "1 2",
            3,
        ),
        (
            "code_execution",
            {
                "type": "code_execution_result",
                "stdout": "",
                "stderr": "no",
                "content": [{"type": "code_execution_output", "file_id": "f"}],
            },
            "no [code_execution_output]",
            2 + 16,
        ),
        (
            "text_editor_code_execution",
            {"type": "text_editor_code_execution_view_result", "file_type": "text", "content": "line one"},
            "line one",
            8,
        ),
        (
            "text_editor_code_execution",
            {"type": "text_editor_code_execution_str_replace_result", "lines": ["-a", "+é"]},
            "-a +é",
            5,
        ),
        ("advisor", {"type": "advisor_result", "text": "think again"}, "think again", 11),
        ("advisor", {"type": "advisor_redacted_result", "encrypted_content": "E" * 90}, "(empty)", 0),
        ("tool_search_tool_regex", FOUND, "[tool_reference: grep]", 16),
    ],
)
def test_what_a_server_tool_gave_back(name: str, content: Any, line: str, size: int) -> None:
    """Its texts are the head and are counted; what is encrypted is neither."""
    read, call = served(name, content), f"tool_use[s] {name} {{}}"
    assert said(read.line) == f"{call} | tool_result[s] {name}: {line}"
    assert (read.answered, read.size) == (("s",), FRAME + len("s" + name + "{}") + 16 + len("s") + size)


def test_a_search_result_is_its_title_and_its_texts() -> None:
    """Inside a result of a tool of the client's own."""
    given = {"type": "tool_result", "tool_use_id": "t", "content": [search_result("one", "two")]}
    read = view("user", given)
    assert (said(read.results[0].head), read.size) == ("[search_result: Totals] one two", FRAME + 1 + 16 + 6)


@pytest.mark.parametrize(
    ("block", "size"),
    [
        (document(type="text", media_type="text/plain", data="été"), 5),
        (document(type="base64", media_type="application/pdf", data="QUJD"), 4),
        (document(type="content", content=[text("a"), text("bc")]), 3),
        (document(type="content", content="abcd"), 4),
        (document(type="url", url="https://a.example/q3.pdf"), 0),
        (document(type="file", file_id="file_1"), 0),
        (search_result("one", "two"), 6),
        ({"type": "container_upload", "file_id": "file_1"}, 0),
    ],
)
def test_what_the_caller_attaches_is_carried(block: Any, size: int) -> None:
    """A document or an upload beside results is the message's own, at its payload."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    assert view("user", result, block).own == 16 + size


@pytest.mark.parametrize(
    ("role", "block", "stays"),
    [
        (
            "user",
            {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_reference", "tool_name": "g"}]},
            True,
        ),
        ("assistant", {"type": "tool_search_tool_result", "tool_use_id": "t", "content": FOUND}, True),
        ("user", {"type": "tool_result", "tool_use_id": "t", "content": [text("tool_reference")]}, False),
        ("assistant", {"type": "web_search_tool_result", "tool_use_id": "t", "content": []}, False),
    ],
)
def test_a_loaded_tool_has_to_stay(role: str, block: Any, stays: bool) -> None:
    """The model knows a deferred tool by the reference alone; sealed, it would be gone."""
    assert view(role, block).marked is stays


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ({"type": "mcp_tool_listing", "mcp_server_name": "m", "tools": []}, "[mcp_tool_listing]"),
        ({"type": "fallback", "from": {}, "to": {}}, "[fallback]"),
        ({"type": "some_future_block", "content": {"deep": [1, {"er": None}]}}, "[some_future_block]"),
        ({**text("As it says."), "citations": [{"type": "char_location", "cited_text": "x" * 99}]}, "As it says."),
    ],
)
def test_other_blocks_of_an_answer(block: Any, line: str) -> None:
    """Their kind; a text without its citations."""
    assert said(view("assistant", block).line) == line


def test_a_connectors_call_is_answered_where_it_stands() -> None:
    """MCP through the provider."""
    use = {"type": "mcp_tool_use", "id": "m", "name": "list", "server_name": "s", "input": {}}
    read = view(
        "assistant", use, {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": True, "content": [text("x")]}
    )
    assert (said(read.line), read.answered) == ("tool_use[m] list {} | tool_result[m] list: (error) x", ("m",))
