"""The prompt of a Responses request, as its cache sees it."""

import json
from itertools import accumulate
from typing import Any

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.core.usage import Usage
from foldpoint.lab.cache import Cache, bill, rules_of, segments

LONG = "the quick brown fox jumps over the lazy dog; " * 100
CALL = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"n": 1}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": LONG}


def prompt(*items: Any, **members: Any) -> bytes:
    """All that the model is given."""
    return b"".join(segment.content for segment in read(*items, **members))


def read(*items: Any, **members: Any) -> list[Any]:
    """The segments of a request."""
    return segments("openai-responses", json.dumps({"model": "gpt-5.1", "input": list(items), **members}).encode())


def user(content: Any) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": content}


def text(said: str, **members: Any) -> dict[str, Any]:
    """A text part."""
    return {"type": "input_text", "text": said, **members}


def test_the_order_is_that_of_the_prompt() -> None:
    """Schema, tools, instructions, items, wherever they stand in the body."""
    form = {"format": {"type": "json_schema", "name": "FORM", "schema": {}}}
    found = prompt(user("ITEM"), text=form, instructions="RULES", tools=[{"type": "custom", "name": "TOOL"}])
    places = [found.index(word) for word in (b"FORM", b"TOOL", b"RULES", b"ITEM")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (user("hi"), {"type": "message", "id": "msg_1", "status": "completed", **user([text("hi")])}),
        (user("hi"), user([text("hi", prompt_cache_breakpoint={"mode": "explicit"})])),
        (OUTPUT, {**OUTPUT, "id": "fco_1", "output": [text(LONG)]}),
        (CALL, {**CALL, "id": "fc_1", "status": "completed"}),
    ],
)
def test_spellings_of_one_prompt_are_the_same(one: Any, other: Any) -> None:
    """Ids, states and breakpoints are not given to the model; a string is one text part."""
    assert prompt(one) == prompt(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CALL, {**CALL, "arguments": '{"n":1}'}),
        (OUTPUT, {**OUTPUT, "call_id": "c2"}),
        (user("hi"), {"role": "developer", "content": "hi"}),
        ({"type": "reasoning", "encrypted_content": "a"}, {"type": "reasoning", "encrypted_content": "b"}),
        (user([{"type": "input_image", "image_url": "a"}]), user([{"type": "input_image", "image_url": "b"}])),
    ],
)
def test_other_prompts_are_others(one: Any, other: Any) -> None:
    """Arguments as written, ids of calls, roles, what is encrypted, images."""
    assert prompt(one) != prompt(other)


def test_a_part_behind_the_last_one_changes_nothing_in_front() -> None:
    """What a fold adds to the opening message leaves the prompt up to there as it was."""
    before, after = prompt(user("task")), prompt(user([text("task"), text("[trajectory summary]")]))
    assert after.startswith(before)


def test_an_image_counts_what_an_image_counts() -> None:
    """Whatever its payload."""
    shot = {
        "type": "computer_call_output",
        "call_id": "c",
        "output": {"type": "computer_screenshot", "image_url": LONG},
    }
    seen = user([{"type": "input_image", "image_url": LONG}])
    assert [4800 <= len(prompt(item)) < 4900 for item in (shot, seen)] == [True, True]


def test_a_breakpoint_ends_a_segment() -> None:
    """On a part in the middle of an item."""
    found = read(user([text("a", prompt_cache_breakpoint={"mode": "explicit"}), text("b")]))
    assert [segment.mark for segment in found] == ["30m", None]


def test_a_step_reads_what_the_one_before_wrote() -> None:
    """Models that charge for writes bill it as written once; the others read in steps of 128 tokens."""
    steps = list(accumulate(([user(LONG)], [CALL, OUTPUT], [{**CALL, "call_id": "c2"}, {**OUTPUT, "call_id": "c2"}])))
    for model, written in (("gpt-6-sol", True), ("gpt-5.1", False)):
        cache = Cache(rules_of("openai-responses", model))
        usages = [bill(read(*items, model=model), cache, 0.0) for items in steps]
        assert [bool(usage.cache_read) for usage in usages] == [False, True, True]
        assert all(bool(usage.cache_write) == written for usage in usages)


def test_an_input_may_be_a_string() -> None:
    """The same as a message of the user."""
    body = json.dumps({"model": "gpt-5.1", "input": "hi"}).encode()
    assert [segment.content for segment in segments("openai-responses", body)] == [
        segment.content for segment in read(user("hi"))
    ]


def test_another_shape_is_unreadable() -> None:
    """By the name of the surface."""
    with pytest.raises(Unreadable, match="openai-responses"):
        segments("openai-responses", b'{"model":"m","input":[5]}')


def test_an_empty_prompt_costs_nothing() -> None:
    """No items, no instructions."""
    assert bill(read(), Cache(rules_of("openai-responses", "gpt-5.1")), 0.0) == Usage()
