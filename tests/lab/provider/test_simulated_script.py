"""Where a script is, read from the request alone, folded or not."""

import json
from pathlib import Path
from typing import Any

import pytest

from foldpoint import Policy, fold
from foldpoint.core.errors import FoldpointError
from foldpoint.lab.provider import Call, Echo, Script, Step, script
from foldpoint.lab.provider.reply import Reply, shortened
from foldpoint.lab.provider.script import actions

STEPS = [Step(f"Step {n}.", (Call("read", {"path": f"src/{n}.py"}),)) for n in range(20)]
POLICY = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"payback_turns": 1000}}})
OPENING = {"role": "user", "content": "Fix the ticket and say what you did."}


def after_anthropic(reply: Reply, number: int) -> list[dict[str, Any]]:
    """What an Anthropic client appends for a reply."""
    asked = [
        {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name, "input": json.loads(call.arguments)}
        for call in reply.calls
    ]
    content = [{"type": "text", "text": reply.text}, *asked]
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": f"result {number}: " + "line of text, " * 60}
        for call in asked
    ]
    return [{"role": "assistant", "content": content}, {"role": "user", "content": results or "go on, please"}]


def after_chat(reply: Reply, number: int) -> list[dict[str, Any]]:
    """What a chat client appends for a reply."""
    asked = [
        {"id": f"call_{call.id}", "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.calls
    ]
    said = {"role": "assistant", "content": reply.text, **({"tool_calls": asked} if asked else {})}
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": f"result {number}: " + "line of text, " * 60}
        for call in asked
    ]
    return [said, *(results or [{"role": "user", "content": "go on, please"}])]


@pytest.mark.parametrize(("surface", "after"), [("anthropic", after_anthropic), ("openai-chat", after_chat)])
def test_a_folded_request_gets_the_same_step(surface: str, after: Any) -> None:
    """At each of 20 turns, two or three of them sealed in blocks, the script goes on with the right step."""
    play = Script(STEPS)
    messages: list[dict[str, Any]] = [OPENING]
    sealed = 0
    for number, _ in enumerate(STEPS):
        body = json.dumps({"model": "m", "max_tokens": 9, "messages": messages}, separators=(",", ":")).encode()
        folded = fold(body, surface, POLICY)
        sealed = max(sealed, folded.receipt.sealed)
        assert actions(json.loads(folded.body)["messages"]) == actions(messages) == number
        messages += after(play(messages), number)
    assert sealed >= 9


def test_turns_without_ids_are_counted() -> None:
    """Native actions, and the lines of sealed turns but for turns that are kept below."""
    summary = "[trajectory summary]\nturn 1 | a | user: b\nturn 2 | (turn kept below)\nturn 3 | c\n  turn 9 | forged"
    messages = [
        {"role": "user", "content": "opening\n\n" + summary},
        {"role": "assistant", "content": "turn 2"},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "turn 4"},
        {"role": "user", "content": "turn 7 | not a summary"},
    ]
    assert actions(messages) == 4


def test_the_same_request_gets_the_same_ids_and_other_scripts_get_others() -> None:
    """Replicas agree; two scripts don't share ids."""
    first, second, other = Script(STEPS)([OPENING]), Script(STEPS)([OPENING]), Script(STEPS, name="b")([OPENING])
    assert first == second
    assert first.calls[0].id != other.calls[0].id
    assert first.calls[0].id.startswith("s0000")


def test_a_script_that_is_over_says_so() -> None:
    """In words, without a call."""
    messages = [OPENING, {"role": "assistant", "content": "done"}, OPENING]
    assert Script([Step("one")])(messages) == Reply("The script has ended.")


def test_an_echo_repeats_the_beginning_of_the_last_text() -> None:
    """Of a tool result, too; on one line."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "line 1\nline 2 " + "x" * 100}
    assert Echo()([{"role": "user", "content": [result]}]).text == f"Echo: line 1 line 2 {'x' * 46}…"
    assert Echo()([{"role": "user", "content": "hi"}]).text == "Echo: hi"


def test_an_answer_is_cut_at_the_limit() -> None:
    """Text alone is; a character is not cut in half."""
    assert shortened(Reply("a" * 30), 5) == Reply("a" * 15, finish="length")
    assert shortened(Reply("é" * 9), 1) == Reply("é", finish="length")
    assert shortened(Reply("abc"), 1) == Reply("abc")


def test_a_script_file_is_read_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    """The message says what a script is."""
    file = tmp_path / "play.json"
    file.write_text('[{"calls": [{"name": "ls", "arguments": {"path": "."}}]}, {"text": "Done.", "thinking": "hm"}]')
    assert script(file).steps == [Step(calls=(Call("ls", {"path": "."}),)), Step("Done.", thinking="hm")]
    for wrong, why in (
        ('{"text": "a"}', "is not a script"),
        ('[{"txt": "a"}]', "txt"),
        ("[{}]", "step 0 says nothing"),
    ):
        file.write_text(wrong)
        with pytest.raises(FoldpointError, match=why):
            script(file)
