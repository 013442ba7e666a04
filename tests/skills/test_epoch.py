"""The fold grid, replayed by the gate."""

from typing import Any

import pytest

from foldpoint.core.policy import Trajectory
from foldpoint.pricing.gate import Gate
from foldpoint.skills.epoch import State, replayed, start
from foldpoint.skills.ledger import Ledger
from transcripts import HEAD, SAID, Turn, image, ledger, messages, said

ALWAYS = Gate(100, 1_250, payback_turns=1_000)
"""A gate to which nearly every saving is worth it."""
TASK = Gate(100, 1_250)


def usual(turns: int, odd: dict[int, Turn] | None = None, surface: str = "anthropic") -> Ledger:
    """The ledger of so many turns of 2,104 bytes, but for the odd ones."""
    return ledger(surface, messages(surface, turns, odd))


def state(read: Ledger, gate: Gate = ALWAYS, **parameters: Any) -> State:
    """Where the fold stands after the last turn; without a watermark where none is given."""
    policy = Trajectory(**{"token_watermark": 0, **parameters})
    return replayed(read, policy, gate, start(read), read.count)


def moves(read: Ledger, gate: Gate = ALWAYS, **parameters: Any) -> list[tuple[int, int]]:
    """(turn, turns sealed) of every move."""
    return [(fold.turn, fold.sealed) for fold in state(read, gate, **parameters).folds]


# The grid


def test_the_fold_moves_at_turns_6_11_and_16_and_nowhere_else() -> None:
    """Grid points E·k + 1, two turns kept."""
    assert moves(usual(20)) == [(6, 4), (11, 9), (16, 14)]


@pytest.mark.parametrize(
    ("epoch_size", "keep", "expected"),
    [
        (2, 1, [(3, 2), (5, 4), (7, 6)]),
        (3, 2, [(4, 2), (7, 5)]),
        (5, 1, [(6, 5)]),
        (5, 3, [(6, 3)]),
        (5, 6, []),
        (3, 5, [(7, 2)]),
        (7, 2, []),
    ],
)
def test_the_grid_follows_its_parameters(epoch_size: int, keep: int, expected: list[tuple[int, int]]) -> None:
    """E turns apart, R turns kept; a grid point that seals nothing is none."""
    assert moves(usual(7), epoch_size=epoch_size, keep_recent_turns=keep) == expected


def test_no_chance_before_the_first_grid_point() -> None:
    """Five turns are no fold point."""
    assert state(usual(5)) == State(turn=5)


def test_the_fold_stands_still_between_two_grid_points() -> None:
    """Turns 6 to 10 have one and the same fold."""
    folds = [state(usual(turns)).folds for turns in range(6, 11)]
    assert folds == [folds[0]] * 5


def test_the_fold_has_moved_only_at_its_turn() -> None:
    """At turn 6 it moved, at turn 7 it stands."""
    assert [state(usual(turns)).moved for turns in (5, 6, 7)] == [False, True, False]


def test_a_decision_never_looks_ahead() -> None:
    """What comes later changes no earlier move."""
    assert moves(usual(20, {17: Turn(result="x" * 90_000)}), token_watermark=20_000)[:3] == [(6, 4), (11, 9), (16, 14)]


def test_a_replay_may_be_taken_up_anywhere() -> None:
    """From a state in between the same state is reached."""
    read, policy = usual(20), Trajectory()
    gate = Gate(1, 20, "adaptive")
    whole = replayed(read, policy, gate, start(read), 20)
    middle = [replayed(read, policy, gate, start(read), turn) for turn in range(21)]
    assert [replayed(read, policy, gate, each, 20) for each in middle] == [whole] * 21


# The blocks


def test_a_block_has_a_line_for_each_turn() -> None:
    """The marker, the sentence, then turn by turn."""
    lines = "\n".join(
        f'turn {n} | tool_use[call_{n}] query {{"n":{n}}} | tool_result[call_{n}] query: {HEAD}' for n in (1, 2, 3, 4)
    )
    assert said(state(usual(6)).folds[0].block.json) == (
        f"[trajectory summary]\nEarlier turns, one line each; later ones in full:\n{lines}"
    )


def test_a_later_fold_appends() -> None:
    """The first fold is what it was; the second has the turns since."""
    folds = state(usual(11)).folds
    first, *lines = said(folds[1].block.json).split("\n")
    assert (folds[0], first, [line[:8] for line in lines]) == (
        state(usual(6)).folds[0],
        "[trajectory summary]",
        ["turn 5 |", "turn 6 |", "turn 7 |", "turn 8 |", "turn 9 |"],
    )


# The task gate


def test_the_task_gate_takes_the_first_boundary_and_holds_after_turn_12() -> None:
    """Turn 6 has six steps left; turns 11, 16 and 21 have none."""
    now = state(usual(21), TASK)
    assert ([(fold.turn, fold.sealed) for fold in now.folds], now.held) == ([(6, 4)], 3)


def test_a_longer_task_takes_more_boundaries() -> None:
    """Of 20 steps nine are left at turn 11, four at turn 16."""
    assert moves(usual(21), Gate(100, 1_250, expected_task_steps=20)) == [(6, 4), (11, 9)]


def test_what_was_held_goes_with_the_next_fold() -> None:
    """A boundary that was refused is made up for at the next one."""
    assert moves(usual(11, {5: Turn(result="x" * 90_000)}), Gate(100, 1_250, expected_task_steps=40)) == [(11, 9)]


def test_what_a_move_rewrites_is_its_lines_and_what_stood_behind_them() -> None:
    """Lines 16 + 70 + 4 · 393, and turn 5."""
    assert state(usual(6)).folds[0].rewritten == 1_658 + 2_104


def test_a_pinned_payback_folds_beyond_the_task() -> None:
    """Every boundary is priced by it."""
    assert moves(usual(16), Gate(100, 1_250, payback_turns=7)) == [(6, 4), (11, 9), (16, 14)]


def test_a_pinned_payback_may_be_too_short() -> None:
    """Within two requests no fold of these turns pays."""
    now = state(usual(16), Gate(100, 1_250, payback_turns=2))
    assert (now.sealed, now.held) == (0, 3)


# The watermark


def test_over_the_watermark_a_fold_is_offered_off_the_grid() -> None:
    """55 + 5 · 2,104 bytes are over 3,000 tokens: at turn 5 all but two turns are sealed."""
    assert moves(usual(6), token_watermark=3_000) == [(5, 3), (6, 4)]


def test_the_watermark_is_in_tokens_of_the_policy() -> None:
    """With 3.6 bytes a token 3,000 tokens are 10,800 bytes: not over at turn 5."""
    assert moves(usual(5), token_watermark=3_000, bytes_per_token=3.6) == []


@pytest.mark.parametrize(("watermark", "expected"), [(2_789, [(4, 2)]), (2_790, [])])
def test_the_watermark_must_be_crossed(watermark: int, expected: list[tuple[int, int]]) -> None:
    """8,370 bytes are over 2,789 tokens, and exactly 2,790: that is not over."""
    small = usual(4, {1: Turn(result="x" * 1_899)})
    assert (small.size, moves(small, token_watermark=watermark)) == (8_370, expected)


def test_over_the_watermark_the_gate_is_asked() -> None:
    """It is priced like any boundary, and every refusal is held."""
    huge = usual(4, {turn: Turn(result="x" * 90_000) for turn in (2, 3)})
    now = state(huge, TASK, token_watermark=20_000)
    assert (now.sealed, now.held) == (0, 2)


def test_on_the_grid_and_over_the_watermark_the_gate_is_asked_once() -> None:
    """One refusal a turn."""
    huge = usual(6, {turn: Turn(result="x" * 90_000) for turn in (4, 5)})
    assert state(huge, Gate(100, 1_250, expected_task_steps=2), token_watermark=50_000).held == 2


def test_a_fold_brings_the_size_under_the_watermark() -> None:
    """The next chance is the next grid point."""
    first = usual(9, {1: Turn(result="x" * 60_000)})
    assert moves(first, token_watermark=20_000, keep_recent_turns=1) == [(2, 1), (6, 5)]


def test_no_watermark_no_early_fold() -> None:
    """0 switches it off."""
    assert moves(usual(5, {1: Turn(result="x" * 900_000)}), token_watermark=0) == []


# Rent or buy


def test_the_adaptive_gate_holds_until_holding_has_cost_as_much() -> None:
    """L = 45: at turn 11 d = 15,349 five times alone is under 45 · 2,107; with five turns waited it is over."""
    now = state(usual(15), Gate(1, 46, "adaptive"))
    assert ([(fold.turn, fold.sealed) for fold in now.folds], now.held) == ([(11, 9)], 1)


def test_the_adaptive_gate_forgets_what_it_waited_when_it_folds() -> None:
    """After the move the count begins anew."""
    assert state(usual(11), Gate(1, 46, "adaptive")).waited == 0


def test_the_adaptive_gate_counts_every_turn_since_the_first_chance() -> None:
    """Turns 6 to 9 could each have been sent without 8,416 − 1,658 bytes."""
    assert state(usual(9), Gate(1, 999, "adaptive")).waited == 4 * (8_416 - 1_658)


def test_the_adaptive_gate_needs_no_task_length() -> None:
    """It folds far beyond the expected end."""
    assert moves(usual(31), Gate(1, 11, "adaptive"))[-1] == (31, 29)


# Texts


def test_a_text_trajectory_folds() -> None:
    """Plain messages are sealed like results."""
    folds = state(usual(6, dict.fromkeys(range(1, 7), SAID), "openai-chat")).folds
    assert [(fold.texts, said(fold.block.json).split("\n")[2]) for fold in folds] == [
        (True, f"turn 1 | I go on. | user: {HEAD}")
    ]


def test_a_text_trajectory_is_not_folded_where_the_policy_says_so() -> None:
    """Nor is a chance of it counted as held."""
    now = state(usual(6, dict.fromkeys(range(1, 7), SAID)), fold_text_trajectories=False)
    assert (now.sealed, now.held) == (0, 0)


def test_an_earlier_fold_keeps_the_kind_it_was_made_with() -> None:
    """A tool result at turn 7 makes the next fold one of results, and leaves the first as it was."""
    read = usual(11, dict.fromkeys(range(1, 7), SAID), "openai-chat")
    assert [fold.texts for fold in state(read).folds] == [True, False]


# Bytes of the state


def test_the_prefix_is_what_was_written() -> None:
    """The block, and what it carries."""
    assert state(usual(6, {2: Turn(beside="Hurry.")})).prefix == 1_658 + len(" | (message kept below)") + 16 + 6


def test_a_whole_turn_stands_behind_the_place_of_the_next_block() -> None:
    """On Anthropic the next block goes in front of it, so that a later fold displaces it."""
    assert state(usual(6, {2: Turn(marked=True)})).behind == 2_104


def test_a_whole_turn_takes_the_next_block_where_it_ends_in_a_plain_message() -> None:
    """On chat nothing is displaced."""
    assert state(usual(6, {2: Turn(marked=True)}, "openai-chat")).behind == 0


def test_images_that_stay_are_part_of_the_state() -> None:
    """The newest image of a sealed result stands last."""
    now = state(usual(6, {2: Turn(images=("A",)), 3: Turn(images=("B",))}))
    assert [(image.item, image.number, image.label) for image in now.images.kept] == [
        (6, 0, "[image of tool_result[call_3]]")
    ]


def test_an_old_image_of_a_carried_message_is_left_out_for_good() -> None:
    """The fold that carries the message decides."""
    read = usual(6, {2: Turn(beside=[image("A")]), 3: Turn(images=("B",))})
    assert [getattr(kept, "dropped", None) for kept in state(read).folds[0].kept] == [(0,)]
