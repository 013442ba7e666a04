"""A breakpoint of ours: where one is free, never a fifth, in the order of lifetimes."""

from typing import Any

import pytest

from foldpoint.core.edit import Carried, KeptImage, Layout, Slot
from foldpoint.surfaces import SURFACES
from foldpoint.surfaces.marks import with_breakpoint
from transcripts import MARK, block, compact, text, views

PLAIN = b'{"type":"ephemeral"}'
HOUR = b'{"type":"ephemeral","ttl":"1h"}'
LAID_OUT = Layout((Slot(0, (block("s"),)),), 3)


def marked(value: bytes) -> Layout:
    """The layout with that breakpoint on its block."""
    return Layout((Slot(0, (block("s", value),)),), 3)


def item(role: str, mark: Any = None) -> dict[str, Any]:
    """A message of one block."""
    return {"role": role, "content": [{**text("x"), **({"cache_control": mark} if mark else {})}]}


def placed(marks: dict[int, Any], layout: Layout = LAID_OUT, always: bool = False, **members: Any) -> Layout:
    """The layout of a request of five messages with marks on some of them."""
    roles = ["user", "assistant", "user", "assistant", "user"]
    written = [item(role, marks.get(at)) for at, role in enumerate(roles)]
    request = SURFACES["anthropic"].read(compact({**members, "messages": written}))
    return with_breakpoint(request, views("anthropic", written), layout, always)


def test_no_mark_where_the_client_marks_nothing() -> None:
    """Left to itself the layout stays as it is."""
    assert placed({}) is LAID_OUT


def test_a_mark_where_it_is_asked_for() -> None:
    """Asked to, we mark a request that has no mark at all."""
    assert placed({}, always=True) == marked(PLAIN)


def test_a_mark_where_the_client_marks_its_tail() -> None:
    """The usual client: one mark on the newest message."""
    assert placed({4: MARK}) == marked(PLAIN)


@pytest.mark.parametrize(
    "members", [{"system": [{**text("s"), "cache_control": MARK}]}, {"tools": [{"cache_control": MARK}]}]
)
def test_a_mark_where_the_client_marks_in_front(members: dict[str, Any]) -> None:
    """Marks on the system field or on tools count as the client's."""
    assert placed({}, **members) == marked(PLAIN)


def test_never_a_fifth() -> None:
    """Four of the caller's, none of ours."""
    system = [{**text("s"), "cache_control": MARK}] * 2
    assert placed({3: MARK, 4: MARK}, system=system) is LAID_OUT


def test_a_fourth() -> None:
    """Three of the caller's, one of ours."""
    system = [{**text("s"), "cache_control": MARK}]
    assert placed({3: MARK, 4: MARK}, system=system) == marked(PLAIN)


def test_marks_of_sealed_turns_are_free_again() -> None:
    """What leaves the request takes no place."""
    system = [{**text("s"), "cache_control": MARK}] * 2
    assert placed({1: MARK, 4: MARK}, system=system) == marked(PLAIN)


def test_a_provider_moved_mark_counts() -> None:
    """A breakpoint that the provider moves along the newest message takes one of the four."""
    system = [{**text("s"), "cache_control": MARK}] * 2
    assert placed({4: MARK}, system=system, cache_control=MARK) is LAID_OUT


def test_a_provider_moved_mark_is_a_mark_of_the_client() -> None:
    """A client that sets it alone marks, and its lifetime is that of the next one behind."""
    assert placed({}, cache_control={"type": "ephemeral", "ttl": "1h"}) == marked(HOUR)


def test_the_lifetime_is_that_of_the_next_one_behind() -> None:
    """Lifetimes may not grow from front to back: ours is as long as the next one's."""
    assert placed({0: {"type": "ephemeral", "ttl": "1h"}, 3: {"type": "ephemeral", "ttl": "1h"}, 4: MARK}) == marked(
        HOUR
    )


def test_the_lifetime_is_that_of_the_last_in_front_where_none_is_behind() -> None:
    """With marks in front alone ours is as long as the last of these."""
    system = [{**text("s"), "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    assert placed({0: MARK}, system=system) == marked(PLAIN)


def test_none_where_the_callers_own_stands_between_block_and_tail() -> None:
    """A kept turn behind the block that is marked already writes the cache entry."""
    layout = Layout((Slot(0, (block("s"),)), Slot(1), Slot(2)), 3)
    assert placed({2: MARK, 4: MARK}, layout) is layout


def test_a_mark_in_front_of_the_block_takes_nothing_away() -> None:
    """A marked kept turn of an earlier fold stands in front of the newest block: ours is needed."""
    layout = Layout((Slot(0, (block("s"),)), Slot(1), Slot(2, (block("t"),))), 3)
    assert placed({1: MARK}, layout).slots == (Slot(0, (block("s"),)), Slot(1), Slot(2, (block("t", PLAIN),)))


def test_only_the_newest_block_is_marked() -> None:
    """Of several blocks in one message the last one, whatever is carried behind it."""
    added = (block("s"), Carried(2, 1), block("t"), Carried(2, 2), KeptImage(2, 0, "i"))
    assert placed({4: MARK}, Layout((Slot(0, added),), 3)).slots[0].added == (
        block("s"),
        Carried(2, 1),
        block("t", PLAIN),
        Carried(2, 2),
        KeptImage(2, 0, "i"),
    )


def test_a_text_that_speaks_of_marks_is_no_mark() -> None:
    """A result that holds the words inside a text marks nothing."""
    written = [item("user"), {"role": "assistant", "content": '"cache_control":{"type":"ephemeral"}'}]
    request = SURFACES["anthropic"].read(compact({"messages": written}))
    layout = Layout((Slot(0, (block("s"),)),), 1)
    assert with_breakpoint(request, views("anthropic", written), layout, False) is layout


def test_chat_completions_get_no_mark() -> None:
    """Their caches are automatic."""
    written = [{"role": "user", "content": "a"}] * 2
    request, read = SURFACES["openai-chat"].read(compact({"messages": written})), views("openai-chat", written)
    assert SURFACES["openai-chat"].with_breakpoint(request, read, LAID_OUT, True) is LAID_OUT


def test_a_turn_that_is_kept_for_another_reason_is_no_mark() -> None:
    """One that loads a tool stays whole behind the block, and bears no breakpoint of the caller's."""
    loaded = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_reference", "tool_name": "q"}]}
    use = {"type": "tool_use", "id": "t", "name": "find", "input": {}}
    written = [
        item("user"),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [loaded]},
        item("assistant"),
        item("user", MARK),
    ]
    request, read = SURFACES["anthropic"].read(compact({"messages": written})), views("anthropic", written)
    layout = Layout((Slot(0, (block("s"),)), Slot(1), Slot(2)), 3)
    assert read[2].marked
    assert with_breakpoint(request, read, layout, False).slots[0] == Slot(0, (block("s", PLAIN),))
