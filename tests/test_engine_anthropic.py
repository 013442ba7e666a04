"""Whole Messages requests with what betas and server tools put in them: what is folded, and what stays as it was."""

import json
from typing import Any

from foldpoint import fold
from transcripts import Turn, body, messages, policy

EVERY = policy(token_watermark=0)
AROUND: dict[str, Any] = {
    "model": "claude-sonnet-5",
    "container": {"id": "container_1", "skills": [{"type": "anthropic", "skill_id": "pptx", "version": "latest"}]},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "mcp_servers": [{"type": "url", "name": "m", "url": "https://m.example"}],
    "output_config": {"effort": "low"},
    "diagnostics": {"previous_message_id": "msg_1"},
    "x_unknown": [1.50, None, {"deep": "é"}],
}


def folded(raw: bytes) -> tuple[int, list[dict[str, Any]], bytes]:
    """(sealed turns, messages, the body around the list) of what is sent."""
    done = fold(raw, "anthropic", EVERY)
    head, _, _ = done.body.partition(b'"messages":[')
    return done.receipt.sealed, json.loads(done.body)["messages"], head


def test_what_stands_around_the_messages_is_the_callers() -> None:
    """Containers, context management, connectors, effort, diagnostics and members that nobody knows."""
    raw = body("anthropic", 7, **AROUND)
    sealed, _, head = folded(raw)
    assert (sealed, head) == (4, raw.partition(b'"messages":[')[0])


def test_a_turn_that_loaded_a_tool_stays_whole() -> None:
    """Turn 2 searched for tools; the model uses what it found until the end."""
    listed = messages("anthropic", 7)
    listed[4]["content"][0]["content"] = [{"type": "tool_reference", "tool_name": "grep"}]
    sealed, sent, _ = folded(json.dumps({"messages": listed}).encode())
    assert (sealed, sent[1:3]) == (4, listed[3:5])
    assert "turn 2 | (turn kept below)" in sent[0]["content"][1]["text"]


def test_what_the_caller_attaches_beside_results_is_carried() -> None:
    """A document with citations, an upload to the container and a search result, as they were sent."""
    beside = [
        {"type": "document", "source": {"type": "file", "file_id": "f"}, "citations": {"enabled": True}},
        {"type": "container_upload", "file_id": "g"},
        {"type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": "x"}]},
    ]
    listed = messages("anthropic", 7, {2: Turn()})
    listed[4]["content"] += beside
    sealed, sent, _ = folded(json.dumps({"messages": listed}).encode())
    assert (sealed, [block for block in sent[0]["content"] if block in beside]) == (4, beside)


def test_a_servers_calls_are_sealed_with_their_results() -> None:
    """Code that ran in the container and a page that was read become lines of their own."""
    ran = [
        {"type": "server_tool_use", "id": "s", "name": "bash_code_execution", "input": {"command": "ls"}},
        {"type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": {"type": "x", "stdout": "a.txt"}},
    ]
    listed = messages("anthropic", 7)
    listed[3]["content"] = [*ran, *listed[3]["content"]]
    sealed, sent, _ = folded(json.dumps({"messages": listed}).encode())
    assert (sealed, len(sent)) == (4, 7)
    assert (
        'tool_use[s] bash_code_execution {"command": "ls"} | tool_result[s] bash_code_execution: a.txt'
        in (sent[0]["content"][1]["text"])
    )


def test_a_compaction_of_the_provider_is_part_of_the_head() -> None:
    """Signed and with its tool changes, it stays the first; the fold goes behind it."""
    block = {"type": "compaction", "content": "what was", "signature": "S", "tool_changes": []}
    listed = [{"role": "assistant", "content": [block]}, *messages("anthropic", 7)]
    sealed, sent, _ = folded(json.dumps({"messages": listed}).encode())
    assert (sealed, sent[0], len(sent[1]["content"])) == (4, listed[0], 2)
