"""A request that would cross the window, or a price band, is folded whether the gate likes it or not."""

import json

from foldpoint import Receipt, fold
from foldpoint.core.policy import Trajectory
from foldpoint.pricing.catalog import rates_of
from foldpoint.pricing.gate import Gate
from foldpoint.skills.epoch import replayed, start
from transcripts import Turn, body, ledger, messages, policy

NEVER = Gate(1, 10**9)
LONG = Turn(result="x" * 3_000)


def sealed(turns: int, edge: int | None, **parameters: object) -> list[int]:
    """Where the fold stands after each turn, at a gate that refuses everything."""
    read = ledger("anthropic", messages("anthropic", turns, usual=LONG))
    gate = Gate(NEVER.read, NEVER.write, edge=edge)
    wanted = Trajectory(**{"token_watermark": 0, **parameters})  # type: ignore[arg-type]
    return [replayed(read, wanted, gate, start(read), turn).sealed for turn in range(1, turns + 1)]


def test_without_an_edge_the_gate_decides() -> None:
    """It refuses, so nothing is sealed."""
    assert sealed(12, None) == [0] * 12


def test_over_the_edge_the_fold_goes_to_the_newest_grid_point() -> None:
    """7,000 tokens are crossed at turn 7; a grid point has to be there to fold to."""
    assert sealed(12, 7_000) == [0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 9, 9]


def test_over_the_watermark_it_goes_as_far_as_it_may() -> None:
    """Off the grid, too."""
    assert sealed(9, 7_000, token_watermark=5_000)[6:] == [5, 5, 5]


def test_a_forced_fold_is_no_refused_chance() -> None:
    """What was held before stays counted, and the move is a move."""
    read = ledger("anthropic", messages("anthropic", 7, usual=LONG))
    state = replayed(read, Trajectory(token_watermark=0), Gate(1, 10**9, edge=7_000), start(read), 7)
    assert (state.held, state.sealed, state.moved) == (1, 4, True)


def receipt(model: str, **parameters: object) -> Receipt:
    asked = json.loads(body("anthropic", 14, usual=Turn(result="x" * 30_000)))
    raw = json.dumps({**asked, "model": model}).encode()
    return fold(
        raw, "anthropic", policy(token_watermark=0, expected_task_steps=1, payback_turns=None, **parameters)
    ).receipt


def test_a_price_band_is_an_edge() -> None:
    """Haiku 5.5 costs five times as much over 100k tokens; Sonnet 5 has room for a million."""
    assert [rates_of(model).edge for model in ("claude-haiku-5-5", "claude-sonnet-5", "gpt-6-sol")] == [
        100_000,
        1_000_000,
        272_000,
    ]
    assert [receipt(model).sealed for model in ("claude-haiku-5-5", "claude-sonnet-5")] == [9, 0]


def test_without_pricing_no_edge_is_known() -> None:
    """The model's row is not read at all."""
    assert receipt("claude-haiku-5-5", pricing=False).sealed == 0


def test_a_loop_that_would_cross_the_window_is_served_folded() -> None:
    """Refused all the same; one that fits, or crosses a price band alone, is served as it came."""
    asked = json.loads(body("anthropic", 22, usual=Turn(result="x" * 30_000)))
    for message in asked["messages"][1::2]:
        message["content"][-1]["input"] = {}
    receipts = [
        fold(
            json.dumps({**asked, "model": model}).encode(), "anthropic", policy(token_watermark=0, max_tool_repeats=3)
        ).receipt
        for model in ("claude-sonnet-4", "claude-haiku-5-5", "claude-sonnet-5")
    ]
    assert [(each.verdict, each.reason, each.sealed) for each in receipts] == [
        ("refused", "tool_loop", 19),
        ("refused", "tool_loop", 0),
        ("refused", "tool_loop", 0),
    ]
