"""Tools in plain text: any text is read without a fault, and what was written is read back."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.agent.ports import Answer, Outcome, Row, ToolCall, ToolSpec
from foldpoint.agent.text_mode import TextMode, called, texted
from foldpoint.agent.text_mode_calls import BrokenCall, described, read_calls, written

SPEC = ToolSpec("shell", "Run it.", {"type": "object"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab`~\n", max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
PIECES = st.sampled_from(
    ["```tool\n", "```", "\n", "~~~tool", '{"name": "a"', "}", "[", '"arguments": ', "NaN", " ", "é"]
)


def block(text: str) -> str:
    """A text as a model writes a call."""
    return f"Now.\n```tool\n{text}\n```\n"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("no call", []),
        ("```python\nprint()\n```", []),
        ("a ```tool {} ``` in a line", []),
        (block('{"name": "ls", "arguments": {"a": 1}}'), [("ls", {"a": 1})]),
        (block('{"name": "ls"}'), [("ls", {})]),
        (block('{"name": "ls", "arguments": "{\\"a\\": 1}"}'), [("ls", {"a": 1})]),
        (block('{"name": "ls", "arguments": {"a": "x\n```\ny"}}'), [("ls", {"a": "x\n```\ny"})]),
        (block('{"name": "a"}\n{"name": "b"}'), [("a", {}), ("b", {})]),
        (block('[{"name": "a"}, {"name": "b"}]'), [("a", {}), ("b", {})]),
        (block('{"name": "a"}') + block('{"name": "b"}'), [("a", {}), ("b", {})]),
        ('```tool_call\n{"name": "a"}', [("a", {})]),
        ('~~~~ tool\n{"name": "a"}\n~~~~', [("a", {})]),
        (block("ls -l"), [("tool", {"problem": "the block holds no JSON object"})]),
        (block('{"arguments": {}}'), [("tool", {"problem": 'it has no "name"'})]),
        (block('{"name": "a", "arguments": [1]}'), [("tool", {"problem": 'its "arguments" are no object'})]),
        (
            block('{"name": "a", "arguments": {"a": NaN}}'),
            [("tool", {"problem": "its JSON is broken: NaN is no JSON"})],
        ),
        (
            block('{"name": "a"') + block('{"name": "b"}'),
            [
                ("tool", {"problem": "its JSON is broken: Expecting ',' delimiter: line 4 column 1 (char 26)"}),
                ("b", {}),
            ],
        ),
    ],
)
def test_calls_are_read(text: str, calls: list[tuple[str, Any]]) -> None:
    """In order, with ids by row and place; a broken one becomes a call that says what is wrong."""
    found = read_calls(text, 7)
    assert [(call.name, json.loads(call.arguments)) for call in found] == calls
    assert [call.id for call in found] == [f"text_7_{n + 1}" for n in range(len(calls))]


@given(st.lists(st.tuples(NAMES, st.dictionaries(st.text(max_size=5), JSON, max_size=3)), min_size=1, max_size=3))
def test_what_was_written_is_read(given: list[tuple[str, dict[str, Any]]]) -> None:
    """Whatever the arguments hold, fences and line breaks too."""
    calls = [ToolCall(f"text_1_{n + 1}", name, json.dumps(args)) for n, (name, args) in enumerate(given)]
    found = read_calls("So:\n\n" + "\n\n".join(written(call) for call in calls), 1)
    assert [(c.id, c.name, json.loads(c.arguments)) for c in found] == [
        (c.id, c.name, json.loads(c.arguments)) for c in calls
    ]


@given(st.text() | st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read(text: str) -> None:
    """Without a fault, and each call's arguments are a JSON object."""
    assert all(isinstance(json.loads(call.arguments), dict) for call in read_calls(text, 1))


@given(st.text(), st.text())
def test_any_call_is_written(name: str, arguments: str) -> None:
    """Also one whose arguments are no JSON."""
    assert written(ToolCall("a", name, arguments)).startswith("```tool\n")


def test_deep_and_long_blocks_are_broken_calls() -> None:
    """Nesting and numbers that Python does not take."""
    deep = block('{"name": "a", "arguments": ' + "[" * 100_000)
    long = block('{"name": "a", "arguments": {"n": ' + "9" * 5000 + "}}")
    assert [read_calls(text, 1)[0].name for text in (deep, long)] == ["tool", "tool"]


def test_broken_call_is_answered() -> None:
    """With the problem and the form."""
    assert asyncio.run(BrokenCall().run({"problem": 'it has no "name"'})) == Outcome(
        '[that call was not carried out: it has no "name". Write it as\n'
        '```tool\n{"name": "<name>", "arguments": {…}}\n```\n]',
        failed=True,
    )


def test_results_become_messages_of_the_user() -> None:
    """With the prefix that the folds know them by, one for each result; native calls are written out."""
    rows = (
        Row(1, "user", "go"),
        Row(2, "assistant", "Yes.", (ToolCall("c1", "ls", '{"a": 1}'),), surface="anthropic", native=b"{}"),
        Row(3, "tool", "a\nb", tool_call_id="c1", name="ls"),
        Row(4, "assistant", block('{"name": "ls"}'), (ToolCall("text_4_1", "ls", "{}"),)),
        Row(5, "tool", "no", tool_call_id="text_4_1", name="ls", failed=True),
        Row(6, "assistant", "Done.", surface="anthropic", native=b"{}"),
    )
    assert texted(rows) == (
        Row(1, "user", "go"),
        Row(2, "assistant", 'Yes.\n\n```tool\n{"name": "ls", "arguments": {"a": 1}}\n```'),
        Row(3, "user", "Tool Output (ls): a\nb"),
        Row(4, "assistant", block('{"name": "ls"}')),
        Row(5, "user", "Tool Output (ls): [failed] no"),
        Row(6, "assistant", "Done.", surface="anthropic", native=b"{}"),
    )


def test_answer_gets_the_calls_of_its_text() -> None:
    """And stops for them; one without calls stays as it is."""
    text = block('{"name": "ls"}')
    assert called(Answer(text, (), "end", b"{}"), 4) == Answer(text, (ToolCall("text_4_1", "ls", "{}"),), "calls", b"")
    assert called(Answer("Done.", (), "end", b"{}"), 4) == Answer("Done.", (), "end", b"{}")


class Plain:
    """A dialect that shows what it is given."""

    surface = "plain"

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """All of it as text."""
        return repr(([row.content for row in rows], system, tools, max_tokens)).encode()


def test_dialect_inside_gets_text_alone() -> None:
    """Rows as text, the tools in the system prompt, none native."""
    rows = [Row(1, "tool", "x", name="shell")]
    text = TextMode(Plain())
    told = f"Be brief.\n\n{described([SPEC])}"
    assert text.body(rows, "Be brief.", [SPEC], 9) == repr((["Tool Output (shell): x"], told, (), 9)).encode()
    assert text.body(rows, "Be brief.", [], 9) == repr((["Tool Output (shell): x"], "Be brief.", (), 9)).encode()
    assert (text.surface, "## shell\nRun it.\n" in told) == ("plain", True)
