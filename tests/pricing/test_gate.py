"""The gate: does a fold pay for what it rewrites?"""

from typing import Any

import pytest

from foldpoint.pricing.gate import Gate

CLAUDE = {"read": 100, "write": 1_250}
"""Written costs 11.5 times more than read, on top of it: L = 11.5."""


def folds(gate: Gate, **figures: Any) -> bool:
    """The gate's answer where all but the given figures are these: turn 6, 1,000 bytes sealed to 100, 200 moved."""
    usual = {"turn": 6, "full": 1_000, "lines": 100, "moved": 200, "waited": 0, "chances": 5}
    turn, full, lines, moved, waited, chances = {**usual, **figures}.values()
    return gate.terms()(turn, full - lines, lines, moved, waited, chances)


def test_a_first_boundary_of_equal_turns_is_taken() -> None:
    """Turn 6 of 12: four turns become lines of a fifth, one turn is moved."""
    assert folds(Gate(**CLAUDE), full=4_000, lines=800, moved=1_000) is True


def test_a_boundary_behind_the_expected_end_is_held() -> None:
    """No step is left at turn 12."""
    assert folds(Gate(**CLAUDE), turn=12, full=10**9, lines=1, moved=0) is False


def test_at_one_step_nothing_pays() -> None:
    """One step left is held unpriced, however much it would save."""
    assert folds(Gate(**CLAUDE), turn=11, full=10**9, lines=1, moved=0) is False


def test_at_two_steps_it_is_priced() -> None:
    """Two steps left, and next to nothing to rewrite."""
    assert folds(Gate(**CLAUDE), turn=10, full=10**9, lines=1, moved=0) is True


@pytest.mark.parametrize(("moved", "pays"), [(447, True), (448, False)])
def test_the_task_gate_is_exact(moved: int, pays: bool) -> None:
    """Six steps left: 0.1 · 900 · 7 = 630 saved against 1.15 · (moved + 100) written."""
    assert folds(Gate(**CLAUDE), moved=moved) is pays


@pytest.mark.parametrize(("moved", "pays"), [(56, True), (57, False)])
def test_pinned_payback_is_priced_even_at_one_request(moved: int, pays: bool) -> None:
    """One request: 0.1 · 900 · 2 = 180 saved against 1.15 · (moved + 100), past the expected end too."""
    assert folds(Gate(**CLAUDE, payback_turns=1), turn=99, moved=moved) is pays


def test_pinned_payback_wins_over_the_task() -> None:
    """A task far from its end is not looked at."""
    assert folds(Gate(**CLAUDE, expected_task_steps=999, payback_turns=1), moved=57) is False


def test_pinned_payback_wins_over_the_adaptive_horizon() -> None:
    """With it, what was waited counts for nothing."""
    assert folds(Gate(**CLAUDE, horizon="adaptive", payback_turns=1), moved=57, waited=10**9) is False


@pytest.mark.parametrize(("waited", "pays"), [(249, False), (250, True)])
def test_the_adaptive_gate_folds_when_waiting_has_cost_as_much(waited: int, pays: bool) -> None:
    """L = 10, U = 200: 10 · 200 = 2,000 against what was waited and 5 · 350 saved until the next chance."""
    gate = Gate(10, 110, "adaptive")
    assert folds(gate, full=400, lines=50, moved=200, waited=waited) is pays


@pytest.mark.parametrize(("waited", "pays"), [(499, False), (500, True)])
def test_the_adaptive_gate_counts_one_chance_over_the_watermark(waited: int, pays: bool) -> None:
    """With one request to the next chance what was saved counts once: 10 · 100 against waited + 500."""
    assert folds(Gate(10, 110, "adaptive"), full=550, lines=50, moved=100, waited=waited, chances=1) is pays


@pytest.mark.parametrize(("waited", "pays"), [(1_999, False), (2_000, True)])
def test_the_adaptive_gate_is_guarded_against_long_lines(waited: int, pays: bool) -> None:
    """Lines nearly as long as the turns: a third of U + ΔS = 1,500 stands in place of U = 0, 10 · 500 = 5,000."""
    assert folds(Gate(10, 110, "adaptive"), full=2_100, lines=1_500, moved=0, waited=waited) is pays


@pytest.mark.parametrize("terms", [{}, {"payback_turns": 9}, {"horizon": "adaptive"}])
@pytest.mark.parametrize("lines", [1_000, 1_001])
def test_lines_that_are_no_shorter_never_pay(terms: dict[str, Any], lines: int) -> None:
    """Whatever the horizon: where the lines are as long as the turns nothing is folded."""
    assert folds(Gate(**CLAUDE, **terms), lines=lines, moved=0, waited=10**9) is False


def test_a_free_write_always_pays() -> None:
    """Where writing costs what reading does, every saving pays."""
    assert folds(Gate(100, 100), full=1_000, lines=999, moved=10**9) is True


@pytest.mark.parametrize(
    ("terms", "waits"),
    [({}, False), ({"horizon": "adaptive"}, True), ({"horizon": "adaptive", "payback_turns": 3}, False)],
)
def test_only_the_adaptive_gate_waits(terms: dict[str, Any], waits: bool) -> None:
    """What holding has cost is counted for it alone."""
    assert Gate(**CLAUDE, **terms).waits is waits
