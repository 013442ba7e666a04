"""Which images survive the sealing of their turns."""

from typing import Any, NamedTuple

import pytest

from foldpoint.core.edit import KeptImage
from foldpoint.core.transcript import View
from foldpoint.skills.images import Images, Picture, chosen, dropped_of, kept_of, label, newest, pictures
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.seal import Fold
from transcripts import SAID, Turn, block, image, image_url, ledger, messages, text

SHOT = Turn(images=("A",))
LABELLED = 2 * 16 + 4_800 + len("[image of tool_result[call_1]]")


class Move(NamedTuple):
    """What a move does with images, all of it."""

    images: Images
    dropped: dict[int, tuple[int, ...]]
    stayed: int
    added: int


def moved(read: Ledger, count: int, turn: int, sealed: int, to: int) -> Move:
    """The move on a transcript that was sealed as one of results so far."""
    found = chosen(read, count, turn, sealed, to, [Fold(6, sealed, False, block(""), (), 0)] if sealed else [])
    dropped = dropped_of(read, found, sealed, to) if found.left_out else {}
    return Move(kept_of(read, found), dropped, found.stayed, found.added)


def choice(odd: dict[int, Turn], count: int = 1, turn: int = 6, sealed: int = 0, to: int = 4) -> Move:
    """The choice at a move on a result trajectory."""
    return moved(ledger("anthropic", messages("anthropic", turn, odd)), count, turn, sealed, to)


def test_every_image_of_a_turn_is_found_in_order() -> None:
    """Those in results first, then those beside them."""
    read = ledger("anthropic", messages("anthropic", 1, {1: Turn(images=("A", "B"), beside=[image("C")])}))
    assert pictures(read, 1) == [
        Picture(1, 2, 0, False),
        Picture(1, 2, 1, False),
        Picture(1, 2, 2, True),
    ]


@pytest.mark.parametrize(
    ("count", "found"), [(0, []), (1, [(3, 0)]), (2, [(3, 0), (1, 1)]), (9, [(3, 0), (1, 1), (1, 0)])]
)
def test_the_newest_come_first(count: int, found: list[tuple[int, int]]) -> None:
    """(turn, number) of the newest so many."""
    read = ledger("anthropic", messages("anthropic", 4, {1: Turn(images=("A", "B")), 3: SHOT}))
    assert [(each.turn, each.number) for each in newest(read, 4, count)] == found


def test_images_of_later_turns_are_not_looked_at() -> None:
    """The choice is made from the turns up to the move."""
    read = ledger("anthropic", messages("anthropic", 4, {1: SHOT, 4: SHOT}))
    assert [each.turn for each in newest(read, 3, 1)] == [1]


def test_the_newest_image_survives() -> None:
    """With its label, as the last of the folded prefix."""
    assert choice({1: SHOT, 2: SHOT}).images.kept == (KeptImage(4, 0, "[image of tool_result[call_2]]"),)


def test_several_images_stay_in_order() -> None:
    """The oldest first."""
    assert [kept.item for kept in choice({1: SHOT, 2: SHOT, 3: SHOT}, 2).images.kept] == [4, 6]


def test_no_image_survives_where_none_is_wanted() -> None:
    """0 keeps none."""
    assert choice({1: SHOT}, 0) == Move(Images(), {}, 0, 0)


def test_an_image_in_a_kept_turn_takes_the_place() -> None:
    """The newest of all stands in turn 5, which is not sealed."""
    assert choice({1: SHOT, 5: SHOT}).images.kept == ()


def test_an_image_in_a_whole_turn_stays_there() -> None:
    """It needs no copy."""
    assert choice({1: Turn(images=("A",), marked=True)}).images.kept == ()


def test_a_kept_image_weighs_its_label_and_itself() -> None:
    """Two blocks, an image, and the label."""
    assert choice({1: SHOT}).added == LABELLED


def test_an_image_that_stays_costs_nothing_more() -> None:
    """At the next move it stood there already."""
    now = choice({1: SHOT}, turn=11, sealed=4, to=9)
    assert (now.images.size, now.stayed, now.added) == (LABELLED, LABELLED, 0)


def test_an_image_that_goes_is_saved() -> None:
    """A newer one takes its place: what stayed is nothing."""
    now = choice({1: SHOT, 6: SHOT}, turn=11, sealed=4, to=9)
    assert ([kept.item for kept in now.images.kept], now.stayed, now.added) == ([12], 0, LABELLED)


def test_an_older_image_of_a_carried_message_is_dropped() -> None:
    """Its number among the message's own images; a word is written in its place."""
    now = choice({1: Turn(images=("A",), beside=[image("B"), image("C")]), 2: SHOT})
    assert (now.dropped, now.added) == ({2: (0, 1)}, LABELLED - 2 * (4_800 - 7))


def test_the_newest_image_of_a_carried_message_stays_in_it() -> None:
    """It is neither dropped nor copied."""
    now = choice({1: Turn(beside=[image("A"), text("See."), image("B")])})
    assert (now.images.kept, now.dropped) == ((), {2: (0,)})


def test_a_message_that_was_carried_before_is_never_touched_again() -> None:
    """Turns in front of the move have been decided."""
    assert choice({1: Turn(beside=[image("A")]), 6: SHOT}, turn=11, sealed=4, to=9).dropped == {}


def test_an_image_of_a_users_message_is_kept_on_a_text_trajectory() -> None:
    """There the message is not carried."""
    said: Any = Turn(calls=0, said="a", beside=[image_url("A"), text("See.")])
    read = ledger("openai-chat", messages("openai-chat", 6, {1: said}, SAID))
    now = moved(read, 1, 6, 0, 4)
    assert (now.images.kept, now.dropped) == ((KeptImage(2, 0, "[image of turn 1]"),), {})


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "[image of tool_result[call_1]]"), (1, "[image of tool_result[call_1]]"), (2, "[image of turn 1]")],
)
def test_a_label_names_the_result(number: int, said: str) -> None:
    """An image in no result is one of the turn."""
    read = ledger("anthropic", messages("anthropic", 1, {1: Turn(images=("A", "B"), beside=[image("C")])}))
    assert label(Picture(1, 2, number, False), read.views[2]) == said


def test_a_label_counts_over_the_results() -> None:
    """The third image is the second result's first."""
    written = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": each, "name": "q", "input": {}} for each in "ab"]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": [image("1"), image("2")]},
            {"type": "tool_result", "tool_use_id": "b", "content": [image("3")]},
        ]},
    ]  # fmt: skip
    assert label(Picture(1, 2, 2, False), ledger("anthropic", written).views[2]) == "[image of tool_result[b]]"


@pytest.mark.parametrize("beside", [False, True])
def test_a_choice_looks_at_no_more_images_than_it_keeps(beside: bool) -> None:
    """However long the transcript is: one that looked at all of them at every turn would be quadratic."""

    class Counted(list[View]):
        looks = 0

        def __getitem__(self, at: Any) -> Any:
            Counted.looks += 1
            return super().__getitem__(at)

    shot = Turn(beside=[image("A")]) if beside else SHOT
    read = ledger("anthropic", messages("anthropic", 200, usual=shot))
    read.views = Counted(read.views)
    chosen(read, 1, 200, 4, 198, [Fold(6, 4, False, block(""), (), 0)])
    assert Counted.looks <= 4
