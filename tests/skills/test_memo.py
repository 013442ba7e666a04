"""What is remembered of transcripts."""

from collections.abc import Sequence
from typing import Any

import pytest

from foldpoint.core.span import Spans
from foldpoint.core.transcript import Limits, View
from foldpoint.skills.epoch import State
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.memo import RECENT, Copy, Known, Memo, key_of, viewed
from foldpoint.skills.trajectory import Plan
from foldpoint.surfaces import SURFACES
from transcripts import MARK, Turn, body, compact, messages, text

SURFACE = SURFACES["anthropic"]
NOTHING = Plan("skipped", "not_a_trajectory", State(), State(), None, 0)


def items(written: Sequence[Any]) -> Spans:
    """The items of a request of the messages."""
    return SURFACE.read(compact({"model": "m", "messages": written})).items


def known(copy: Copy) -> Known:
    """A transcript of which nothing but the items matters."""
    return Known(copy, Ledger([], SURFACE.shape), NOTHING, "", "")


def seen(written: list[Any]) -> Known:
    """A transcript as it was last seen."""
    spans = items(written)
    views = [SURFACE.view(item, Limits()) for item in spans]
    return Known(Copy(spans, None, 0), Ledger(views, SURFACE.shape), NOTHING, "", "")


@pytest.mark.parametrize("turns", [1, 5, 20, 40])
def test_a_copy_holds_the_items(turns: int) -> None:
    """Early ones and recent ones alike."""
    spans = items(messages("anthropic", turns))
    copy = Copy(spans, None, 0)
    assert (list(copy), len(copy), copy[1:3]) == (list(spans), len(spans), spans[1:3])


def test_a_copy_goes_on_from_the_one_before() -> None:
    """It holds the new items, and shares the early bytes."""
    before = Copy(items(messages("anthropic", 20)), None, 0)
    spans = items(messages("anthropic", 21))
    after = Copy(spans, before, before.leading(spans))
    assert (list(after), after.early is before.early) == (list(spans), True)


def test_a_copy_is_made_anew_when_too_much_is_recent() -> None:
    """Twice as many recent items as are compared one by one are too many."""
    before = Copy(items(messages("anthropic", 20)), None, 0)
    spans = items(messages("anthropic", 20 + RECENT))
    after = Copy(spans, before, before.leading(spans))
    assert (list(after), len(after.recent)) == (list(spans), RECENT)


def test_a_copy_of_a_rewritten_history_is_made_anew() -> None:
    """Early bytes that changed are not shared."""
    before = Copy(items(messages("anthropic", 20)), None, 0)
    spans = items(messages("anthropic", 20, {1: Turn(result="rewritten")}))
    assert list(Copy(spans, before, before.leading(spans))) == list(spans)


def test_a_copy_of_nothing_is_empty() -> None:
    """A request without messages has one too."""
    assert list(Copy(items([]), None, 0)) == []


@pytest.mark.parametrize(
    ("odd", "same"),
    [({}, 41), ({20: Turn(result="x")}, 40), ({10: Turn(result="x")}, 20), ({1: Turn(result="x")}, 2)],
)
def test_the_same_leading_items_are_counted(odd: dict[int, Turn], same: int) -> None:
    """Up to the first that has other bytes, early or recent."""
    before = Copy(items(messages("anthropic", 20)), None, 0)
    assert before.leading(items(messages("anthropic", 21, odd))) == same


def test_a_shorter_request_is_the_same_as_far_as_it_goes() -> None:
    """A client that takes steps back."""
    before = Copy(items(messages("anthropic", 20)), None, 0)
    assert before.leading(items(messages("anthropic", 3))) == 7


def test_a_copy_holds_nothing_of_the_body() -> None:
    """Its weight is that of its items, not of the tools in front of them."""
    light, heavy = (SURFACE.read(body("anthropic", 9, tools=["x" * size])).items for size in (1, 100_000))
    assert Copy(light, None, 0).weight == Copy(heavy, None, 0).weight


# The memo


def test_what_was_put_is_got() -> None:
    """By its key alone."""
    memo, one = Memo(), known(Copy(items(messages("anthropic", 1)), None, 0))
    memo.put(("a",), one)
    assert (memo.get(("a",)) is one, memo.get(("b",))) == (True, None)


def test_the_oldest_go_when_the_room_is_used_up() -> None:
    """The least recently put one first."""
    one = known(Copy(items(messages("anthropic", 1)), None, 0))
    memo = Memo(capacity=2 * one.weight)
    for key in "abac":
        memo.put((key,), one)
    assert [key for key in "abc" if memo.get((key,))] == ["a", "c"]


def test_a_transcript_that_is_put_again_takes_its_room_once() -> None:
    """The new one stands in place of the old."""
    one = known(Copy(items(messages("anthropic", 1)), None, 0))
    memo = Memo(capacity=2 * one.weight)
    for key in "abbbb":
        memo.put((key,), one)
    assert [key for key in "ab" if memo.get((key,))] == ["a", "b"]


def test_what_is_too_large_is_not_remembered() -> None:
    """Nor does it drive out what is."""
    small, large = (known(Copy(items(messages("anthropic", turns)), None, 0)) for turns in (1, 20))
    memo = Memo(capacity=small.weight)
    memo.put(("a",), small)
    memo.put(("b",), large)
    assert (memo.get(("a",)) is small, memo.get(("b",))) == (True, None)


def test_a_key_is_of_the_first_items() -> None:
    """A transcript has one name as it grows, and another owner has another."""
    grown = [key_of(("t", "anthropic", "m"), items(messages("anthropic", turns))) for turns in (1, 2, 20)]
    other = key_of(("u", "anthropic", "m"), items(messages("anthropic", 1)))
    assert (len(set(grown)), other in grown) == (1, False)


# Views


def fresh(spans: Spans) -> list[View]:
    """The views of a request that was never seen."""
    return [SURFACE.view(item, Limits()) for item in spans]


def test_a_first_request_is_viewed_whole() -> None:
    """Nothing is known of it."""
    spans = items(messages("anthropic", 3))
    assert viewed(SURFACE, spans, Limits(), None) == (fresh(spans), 0, 0)


def test_a_next_request_is_viewed_from_where_it_is_new() -> None:
    """The leading items are the same bytes, and their views are taken over."""
    spans = items(messages("anthropic", 4))
    assert viewed(SURFACE, spans, Limits(), seen(messages("anthropic", 3))) == (fresh(spans), 7, 7)


def test_a_mark_that_moved_makes_other_bytes() -> None:
    """And another view: that of a marked message."""
    written = messages("anthropic", 3)
    marked = [*written[:-1], {"role": "user", "content": [{**written[-1]["content"][0], "cache_control": MARK}]}]
    spans = items([*written, *messages("anthropic", 1)[1:]])
    assert viewed(SURFACE, spans, Limits(), seen(marked)) == (fresh(spans), 6, 6)


def test_another_spelling_is_the_same_view() -> None:
    """A string that becomes a list of one text: other bytes from there on, equal views throughout."""
    written = messages("anthropic", 3)
    spans = items([{"role": "user", "content": [text(written[0]["content"])]}, *written[1:]])
    assert viewed(SURFACE, spans, Limits(), seen(written)) == (fresh(spans), 0, 7)


def test_views_behind_a_change_are_new() -> None:
    """A rewritten turn ends what is the same, even where later items are."""
    spans = items(messages("anthropic", 4, {2: Turn(result="rewritten")}))
    assert viewed(SURFACE, spans, Limits(), seen(messages("anthropic", 4))) == (fresh(spans), 4, 4)
