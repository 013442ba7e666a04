"""Digests that stay the same as long as what they stand for does."""

from typing import Any

from foldpoint.core.edit import Carried
from foldpoint.skills.digest import CHECKPOINT_HEX, checkpoint_of, opening_of
from foldpoint.skills.seal import Fold, Kept
from foldpoint.surfaces import SURFACES
from transcripts import MARK, block, compact, text

SURFACE = SURFACES["anthropic"]
ITEMS: list[Any] = [{"role": "user", "content": said} for said in ("a", "b", "c", "d")]


def opening(*messages: Any) -> str:
    """The digest of opening messages."""
    return opening_of(SURFACE, [compact(message) for message in messages])


def checkpoint(*folds: Fold, items: list[Any] = ITEMS) -> str:
    """The digest of folds, as a receipt names it."""
    return checkpoint_of(SURFACE, [compact(item) for item in items], folds)[:CHECKPOINT_HEX]


def fold(text: str = "s", *kept: Carried | Kept, turn: int = 6) -> Fold:
    """A fold of a block of that text."""
    return Fold(turn, 4, False, block(text), kept, 0)


def test_an_opening_is_16_hex() -> None:
    """The name of a transcript."""
    assert opening(ITEMS[0]) == "929a66a988ac3025"


def test_an_opening_is_the_same_in_another_spelling() -> None:
    """Cache marks, order of members and the form of a text make no other transcript."""
    listed = {"content": [{**text("a"), "cache_control": MARK}], "role": "user"}
    assert opening(listed) == opening(ITEMS[0])


def test_another_opening_is_another_name() -> None:
    """What is said counts, and where a message ends."""
    assert len({opening(*each) for each in ([ITEMS[0]], [ITEMS[1]], ITEMS[:2], [ITEMS[1], ITEMS[0]])}) == 4


def test_no_fold_no_checkpoint() -> None:
    """Nothing folded has no digest."""
    assert checkpoint() == ""


def test_a_checkpoint_is_12_hex() -> None:
    """Of the blocks' text."""
    assert checkpoint(fold()) == "b46c04da6a50"


def test_a_checkpoint_changes_with_a_further_fold() -> None:
    """The folded prefix is another one."""
    assert checkpoint(fold(), fold("t")) != checkpoint(fold())


def test_a_checkpoint_changes_with_what_is_carried() -> None:
    """Carried messages, and turns kept whole, are part of the prefix."""
    found = {checkpoint(fold("s", *kept)) for kept in ((), (Carried(1, 1),), (Carried(2, 1),), (Kept(1, 3),))}
    assert len(found) == 4


def test_a_checkpoint_stays_where_a_client_moves_its_marks() -> None:
    """A mark on a carried message is no other prefix."""
    moved: list[Any] = [ITEMS[0], {"role": "user", "content": [{**text("b"), "cache_control": MARK}]}, *ITEMS[2:]]
    assert checkpoint(fold("s", Kept(1, 2)), items=moved) == checkpoint(fold("s", Kept(1, 2)))


def test_a_checkpoint_says_nothing_of_when_it_was_made() -> None:
    """The turn and the figures of a fold are not in the prefix."""
    assert checkpoint(fold(turn=6)) == checkpoint(fold(turn=7))


def test_a_checkpoint_goes_on_from_that_of_earlier_folds() -> None:
    """It is the one that is made of all of them."""
    folds, items = [fold(), fold("t", Kept(1, 2)), fold("u", Carried(3, 1))], [compact(item) for item in ITEMS]
    whole = checkpoint_of(SURFACE, items, folds)
    made = [(checkpoint_of(SURFACE, items, folds[:count]), count) for count in range(4)]
    assert [checkpoint_of(SURFACE, items, folds, before) for before in made] == [whole] * 4
