"""Cutting one request body into the bodies of its session's steps."""

import json

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.lab.detect import surface_of
from foldpoint.lab.steps import caching, steps, with_member

CALL = '{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"ls","input":{}}]}'
RESULT = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"caf\\u00e9 %d"}]}'
ODD = (
    '{ "max_tokens" : 1e3, "messages": [ {"role":"user","content":"go"} ,\n'
    + " , ".join(f"{CALL % turn} ,\t{RESULT % (turn, turn)}" for turn in (1, 2, 3))
    + ' ] , "model":"claude-sonnet-5", "x":{"messages":[]} }'
).encode()


def test_every_step_is_a_beginning_of_the_list_with_the_same_frame() -> None:
    """Blanks, escapes and number spellings stay; the list ends behind the head, then behind each turn."""
    found = list(steps(ODD, "anthropic"))
    assert [len(json.loads(step)["messages"]) for step in found] == [1, 3, 5, 7]
    assert found[-1] is ODD
    for step in found:
        end = next(at for at in range(len(step) + 1) if ODD[:at] != step[:at]) - 1 if step != ODD else len(ODD)
        assert ODD.endswith(step[end:])
        assert b'"max_tokens" : 1e3' in step


def test_a_run_of_assistant_messages_is_one_action() -> None:
    """Two calls in two messages, then their results: one turn."""
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "first"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "done"},
    ]
    body = json.dumps({"model": "gpt-5", "messages": messages}).encode()
    assert [len(json.loads(step)["messages"]) for step in steps(body, "openai-chat")] == [2, 6, 7]


def test_items_are_cut_behind_each_turn() -> None:
    """Responses: reasoning and calls in a row are one action, what answers them ends the turn."""
    items: list[object] = [{"role": "user", "content": "go"}]
    for turn in (1, 2):
        items += [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": f"c{turn}", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{turn}", "output": "r"},
        ]
    body = json.dumps({"model": "gpt-5.1", "input": items}).encode()
    found = list(steps(body, surface_of(body)))
    assert [len(json.loads(step)["input"]) for step in found] == [1, 4, 7]
    assert found[-1] is body


def test_a_body_without_turns_is_its_only_step() -> None:
    """An opening is all there is."""
    body = b'{"messages":[{"role":"user","content":"go"}],"max_tokens":1}'
    assert list(steps(body, "anthropic")) == [body]


def test_what_is_no_body_is_unreadable() -> None:
    """Not JSON, and no messages."""
    with pytest.raises(Unreadable):
        list(steps(b"{", "anthropic"))
    with pytest.raises(Unreadable):
        surface_of(b'{"prompt":"x"}')


def test_a_member_is_set_in_front_and_replaced() -> None:
    """Everything else keeps its bytes."""
    assert with_member(b'{ "a":1.0 }', "b", b"2") == b'{"b":2, "a":1.0 }'
    assert json.loads(with_member(b'{"a":1,"b":3}', "b", b"2")) == {"a": 1, "b": 2}
    assert with_member(b"{}", "b", b"2") == b'{"b":2}'


def test_caching_is_turned_on_where_the_newest_message_bears_no_mark() -> None:
    """Other surfaces, marked newest messages and four marks are left alone."""
    turned = caching(ODD, "anthropic")
    assert turned == b'{"cache_control":{"type":"ephemeral"},' + ODD[1:]
    assert caching(turned, "anthropic") is turned
    assert caching(ODD, "openai-chat") is ODD


@pytest.mark.parametrize(
    ("body", "surface"),
    [
        ('{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}', "anthropic"),
        ('{"model":"m","messages":[{"role":"user","content":"x"}]}', "openai-chat"),
        ('{"model":"m","max_tokens":9,"messages":[{"role":"system","content":"s"}]}', "openai-chat"),
        ('{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}', "openai-chat"),
        ('{"model":"m","system":"s","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}', "anthropic"),
        ('{"messages":[{"role":"user","content":[{"text":"x"}]}]}', "bedrock"),
        ('{"model":"m","input":"x"}', "openai-responses"),
        ('{"contents":[]}', "gemini"),
    ],
)
def test_the_surface_is_told_from_the_body(body: str, surface: str) -> None:
    """By its list, its roles and its blocks."""
    assert surface_of(body.encode()) == surface
