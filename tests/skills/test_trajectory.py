"""What becomes of one transcript."""

from typing import Any

import pytest

from foldpoint.core.edit import Layout
from foldpoint.core.policy import Trajectory
from foldpoint.core.transcript import Shape, View
from foldpoint.pricing.gate import Gate
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.trajectory import Plan, planned
from foldpoint.surfaces import SURFACES
from transcripts import SAID, USUAL, Turn, compact, ledger, messages

SURFACE = SURFACES["anthropic"]
ALWAYS = Gate(100, 1_250, payback_turns=1_000)


def plan(written: list[Any], gate: Gate = ALWAYS, **parameters: Any) -> Plan:
    """The plan of the messages."""
    items = [compact(message) for message in written]
    return planned(SURFACE, items, ledger("anthropic", written), Trajectory(**parameters), gate)


def said(written: list[Any], gate: Gate = ALWAYS, **parameters: Any) -> tuple[str, str, int, bool]:
    """Verdict, reason, turns sealed, and whether anything is to be changed."""
    found = plan(written, gate, **parameters)
    return found.verdict, found.reason, found.state.sealed, found.layout is not None


@pytest.mark.parametrize(
    "written",
    [
        [],
        [{"role": "user", "content": "go"}],
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": "ok"}],
        messages("anthropic", 1)[:-1],
        messages("anthropic", 1)[1:],
    ],
)
def test_without_an_answered_action_it_is_no_trajectory(written: list[Any]) -> None:
    """Nothing to fold, and nothing that could become so at once."""
    assert said(written) == ("skipped", "not_a_trajectory", 0, False)


def test_a_chat_without_tools_is_a_trajectory() -> None:
    """Plain messages answer as well."""
    assert said(messages("anthropic", 6, usual=SAID)) == ("compacted", "fold_moved", 4, True)


def test_a_chat_without_tools_is_none_where_the_policy_says_so() -> None:
    """Then it is passed over."""
    written = messages("anthropic", 6, usual=SAID)
    assert said(written, fold_text_trajectories=False) == ("skipped", "not_a_trajectory", 0, False)


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_before_the_first_grid_point_nothing_is_done(turns: int) -> None:
    """No chance was offered yet."""
    assert said(messages("anthropic", turns)) == ("no_op", "first_epoch", 0, False)


def test_a_refused_chance_is_not_worth_it() -> None:
    """From then on the reason is another."""
    now = plan(messages("anthropic", 7), Gate(100, 1_250, expected_task_steps=1))
    assert (now.verdict, now.reason, now.state.held) == ("no_op", "not_worth_it", 1)


@pytest.mark.parametrize(
    ("turns", "reason", "sealed"),
    [(6, "fold_moved", 4), (7, "checkpoint", 4), (10, "checkpoint", 4), (11, "fold_moved", 9), (12, "checkpoint", 9)],
)
def test_a_fold_moves_and_then_stands(turns: int, reason: str, sealed: int) -> None:
    """At a grid point it moves, between two it is served from the earlier fold."""
    assert said(messages("anthropic", turns)) == ("compacted", reason, sealed, True)


def test_the_bytes_of_a_plan_are_those_sent() -> None:
    """Head, block, and two turns."""
    assert plan(messages("anthropic", 6)).size == 55 + 1_658 + 2 * 2_104


def test_a_loop_is_refused() -> None:
    """And served unfolded."""
    looping = [each for _ in range(8) for each in messages("anthropic", 1)[1:]]
    written = [*messages("anthropic", 0), *looping]
    assert said(written, max_tool_repeats=3) == ("refused", "tool_loop", 0, False)


def test_a_loop_is_folded_without_the_guard() -> None:
    """The guard is off by default."""
    looping = [each for _ in range(6) for each in messages("anthropic", 1)[1:]]
    assert said([*messages("anthropic", 0), *looping])[:2] == ("compacted", "fold_moved")


def test_a_window_slides_without_a_grid() -> None:
    """Verdict and reason are those of a fold that moved."""
    written = messages("anthropic", 5)
    assert said(written, strategy="sliding_window", window_turns=3) == ("compacted", "fold_moved", 2, True)


def test_a_window_that_saves_nothing_changes_nothing() -> None:
    """Short turns have lines as long as themselves."""
    written = messages("anthropic", 4, usual=Turn(result=""))
    assert said(written, strategy="sliding_window", window_turns=3)[:2] == ("no_op", "not_smaller")


def test_a_replay_is_settled_three_turns_back() -> None:
    """The next request goes on from there."""
    assert plan(messages("anthropic", 9)).settled.turn == 6


@pytest.mark.parametrize("turns", [7, 9, 12])
def test_a_plan_from_a_settled_state_is_the_same(turns: int) -> None:
    """What was settled at an earlier request changes nothing."""
    written = messages("anthropic", turns)
    before, items = plan(written[:-2]), [compact(message) for message in written]
    base = ledger("anthropic", written[:-2])
    grown = Ledger(ledger("anthropic", written).views, SURFACE.shape, base, len(written) - 2)
    assert grown.known == turns - 1
    assert planned(SURFACE, items, grown, Trajectory(), ALWAYS, before) == plan(written)


# A fold that fails its checks


def broken(*systems: int, turns: int = 11) -> Plan:
    """The plan of a surface of which we believe a system message may stand anywhere, though it checks that none does.

    Turns with a system message carry it; two of them behind one block stand side by side, which the check refuses.
    """
    views = [View("user", 100)]
    for turn in range(1, turns + 1):
        views += [View("assistant", 2_000, b"x" * 9, own=0), View("user", 2_000, line=b"y", own=1_000)]
        if turn in systems:
            views.append(View("system", 50, own=50))
    read = Ledger(views, Shape(strict_turns=True))
    return planned(SURFACE, [], read, Trajectory(token_watermark=0), ALWAYS)


def test_a_fold_that_passes_is_sent() -> None:
    """One system message behind the block stands in front of the tail."""
    assert broken(2).verdict == "compacted"


def test_a_fold_that_fails_is_never_sent() -> None:
    """Without an earlier one the request goes unfolded."""
    now = broken(2, 3)
    assert (now.verdict, now.reason, now.layout, now.size) == ("failed", "check:roles", None, 100 + 11 * 4_000 + 100)


def test_an_earlier_fold_is_sent_instead() -> None:
    """The last state of the replay that passes."""
    now = broken(2, 7)
    assert (now.verdict, now.reason, now.state.sealed, isinstance(now.layout, Layout)) == (
        "failed",
        "check:roles",
        4,
        True,
    )


def test_the_usual_turn_is_sound() -> None:
    """The transcripts of these tests are folded, not merely passed on."""
    assert said(messages("anthropic", 6, usual=USUAL))[0] == "compacted"
