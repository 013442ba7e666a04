"""The window that slides at every turn."""

import pytest

from foldpoint.core.policy import Trajectory
from foldpoint.skills.epoch import State
from foldpoint.skills.sliding_window import windowed
from transcripts import SAID, USUAL, Turn, ledger, messages, said


def state(turns: int, odd: dict[int, Turn] | None = None, usual: Turn = USUAL, **parameters: object) -> State:
    """Where the window stands after the last turn."""
    policy = Trajectory(strategy="sliding_window", **{"window_turns": 3, **parameters})  # type: ignore[arg-type]
    return windowed(ledger("anthropic", messages("anthropic", turns, odd, usual)), policy, turns)


@pytest.mark.parametrize(("turns", "sealed"), [(3, 0), (4, 1), (5, 2), (9, 6)])
def test_everything_before_the_newest_turns_is_sealed(turns: int, sealed: int) -> None:
    """At every turn anew, without a gate."""
    assert state(turns).sealed == sealed


def test_it_moves_at_every_turn() -> None:
    """There is one block, and it is always a new one."""
    assert [(len(state(turns).folds), state(turns).moved) for turns in (4, 5, 6)] == [(1, True)] * 3


def test_its_lines_are_those_of_any_fold() -> None:
    """The marker, the sentence, a line for each turn."""
    lines = said(state(5).folds[0].block.json).split("\n")
    assert [line[:9] for line in lines] == ["[trajecto", "Earlier t", "turn 1 | ", "turn 2 | "]


def test_recent_turns_are_kept_beyond_the_window() -> None:
    """`keep_recent_turns` holds there as well."""
    assert state(9, keep_recent_turns=5).sealed == 4


def test_what_it_rewrites_is_everything_behind_the_block() -> None:
    """16 + 70 + 2 · 393 of lines, and turns 3 and 4."""
    assert state(5).folds[0].rewritten == 16 + 70 + 2 * 393 + 2 * 2_104


def test_the_newest_image_survives() -> None:
    """As with any fold."""
    assert [kept.item for kept in state(5, {1: Turn(images=("A",)), 2: Turn(images=("B",))}).images.kept] == [4]


def test_texts_are_left_alone_where_the_policy_says_so() -> None:
    """A chat without tools does not slide then."""
    assert state(9, usual=SAID, fold_text_trajectories=False).sealed == 0


def test_texts_slide_by_default() -> None:
    """Its turns are sealed as texts."""
    assert [fold.texts for fold in state(9, usual=SAID).folds] == [True]
