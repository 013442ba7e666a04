"""The clairvoyant optimum against brute force, and the proof of the adaptive gate on random transcripts."""

from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from foldpoint.lab.optimum import (
    PATIENCE,
    Chances,
    Ledger,
    Prices,
    Sizes,
    floor,
    moments,
    optimum,
    path_cost,
    proven_factor,
)

PRICES = [
    Prices(Fraction(read), Fraction(write))
    for read, write in (("0.1", "1.25"), ("0.05", "1.25"), ("0.025", "1.25"), ("0.1", "1"), ("0.5", "1"))
]
prices = st.sampled_from(PRICES)


@st.composite
def transcripts(draw: st.DrawFn, longest: int = 7) -> Sizes:
    turns = draw(st.lists(st.integers(1, 9000), min_size=1, max_size=longest))
    lines = [draw(st.integers(0, turn + 40)) for turn in turns]
    head, outside, first_block, block = (draw(st.integers(0, most)) for most in (4000, 4000, 200, 30))
    return Sizes(head, tuple(turns), tuple(lines), outside, first_block, block)


def allowed(sizes: Sizes, chances: Chances, before: int, sealed: int, turn: int) -> bool:
    """Whether a fold may go from one place to the other with a turn: said again, from the design."""
    if sealed == before:
        return True
    on_grid = chances.epoch is None or (turn > 1 and turn % chances.epoch == 1)
    words = sizes.first_block if before else 0
    size = sizes.head + sum(sizes.lines[:before]) + sum(sizes.turns[before:turn]) + words
    chance = on_grid or 0 < chances.watermark < size
    targets = range(1, turn - chances.keep + 1) if chances.epoch is None else [turn - chances.keep]
    return chance and sealed > before and sealed in targets


def naive_cost(sizes: Sizes, price: Prices, path: tuple[int, ...]) -> Fraction:
    """Every request as a list of parts, each read when the request before had it at the same place."""
    head = sizes.head + sizes.outside
    total, before, blocks = price.write * head, [("head", head)], []
    for turn, sealed in enumerate(path, 1):
        if sealed > sum(map(len, blocks)):
            blocks.append(sizes.lines[sum(map(len, blocks)) : sealed])
        opened = [sizes.first_block, *[sizes.block] * len(blocks)]
        parts = [("head", head)]
        parts += [(f"block {at}", opened[at] + sum(block)) for at, block in enumerate(blocks)]
        parts += [(f"turn {at}", sizes.turns[at]) for at in range(sealed, turn)]
        kept = 0
        while kept < min(len(before), len(parts)) and before[kept] == parts[kept]:
            kept += 1
        total += price.read * sum(size for _, size in parts[:kept]) + price.write * sum(
            size for _, size in parts[kept:]
        )
        before = parts
    return total


@given(transcripts(), prices, st.sampled_from([None, 2, 3]), st.integers(1, 3), st.sampled_from([0, 3000, 12000]))
@settings(max_examples=80, deadline=None)
def test_is_the_least_of_all_paths(sizes: Sizes, price: Prices, epoch: int | None, keep: int, watermark: int) -> None:
    """No path that moves at its chances costs less, and the optimum's own path costs what it says."""
    chances = Chances(epoch, keep, watermark)
    count = len(sizes.turns)
    paths = (
        path
        for path in product(*(range(max(0, turn - keep) + 1) for turn in range(1, count + 1)))
        if all(
            allowed(sizes, chances, before, sealed, turn)
            for turn, (before, sealed) in enumerate(zip((0, *path), path, strict=False), 1)
        )
    )
    found = optimum(sizes, price, chances)
    assert min(naive_cost(sizes, price, path) for path in paths) == found.cost
    assert naive_cost(sizes, price, found.path) == found.cost


@given(transcripts(20), prices, st.data())
@settings(max_examples=60, deadline=None)
def test_path_cost_is_the_sum_of_cached_and_new_parts(sizes: Sizes, price: Prices, data: st.DataObject) -> None:
    """Read what the request before held at the same place, write the rest."""
    path = [0]
    for turn in range(2, len(sizes.turns) + 1):
        path.append(data.draw(st.integers(path[-1], max(path[-1], turn - 2))))
    assert path_cost(sizes, price, path) == naive_cost(sizes, price, tuple(path))


def adaptive(sizes: Sizes, price: Prices, chances: Chances) -> list[int]:
    """Rent or buy, replayed from the first turn; said again, from the design."""
    path, sealed, held = [], 0, 0
    patience, long = PATIENCE, (price.write - price.read) / price.read
    for turn in range(1, len(sizes.turns) + 1):
        reach = (turn - 1) // chances.epoch * chances.epoch + 1 - chances.keep if chances.epoch else turn - chances.keep
        words = sizes.block if sealed else sizes.first_block
        lines = sum(sizes.lines[sealed : max(sealed, reach)]) + words
        full = sum(sizes.turns[sealed : max(sealed, reach)])
        saving = max(0, full - lines) if reach > sealed else 0
        held += saving
        if reach > sealed and chances.at(turn):
            moved = sum(sizes.turns[reach : turn - 1])
            ahead = chances.epoch or 1
            if held + ahead * saving >= long * max(Fraction(moved), Fraction(moved + lines, patience)) and lines < full:
                sealed, held = reach, 0
        path.append(sealed)
    return path


@given(transcripts(40), prices, st.sampled_from([(None, 1), (None, 2), (2, 2), (5, 2), (5, 4)]))
@settings(max_examples=150, deadline=None)
def test_the_adaptive_gate_stays_within_its_proven_factor(
    sizes: Sizes, price: Prices, grid: tuple[int | None, int]
) -> None:
    """The floor is below the optimum, and the gate's cost below the factor times the optimum."""
    chances = Chances(*grid)
    best = optimum(sizes, price, chances).cost
    cost = path_cost(sizes, price, adaptive(sizes, price, chances))
    assert floor(sizes, price, chances) <= best <= cost <= best * proven_factor(sizes, price, chances)


def test_moments_are_the_grid_and_the_requests_over_the_watermark() -> None:
    """Turn 6 is the first grid point of 5; turn 9 the first over 800."""
    sizes = Sizes(0, (100,) * 10, (10,) * 10)
    assert moments(sizes, Chances(5, 2, 800)) == [(6, 4), (9, 7), (10, 8)]


def test_a_session_too_short_to_fold_costs_what_sending_everything_costs() -> None:
    """Two turns, both kept: one cold request for the opening, two warm ones."""
    sizes = Sizes(1000, (100, 100), (10, 10))
    found = optimum(sizes, PRICES[0], Chances(5, 2))
    assert (found.path, found.cost) == ((0, 0), Fraction(1250 + 125 + 125) + Fraction(1000 + 1100, 10))
    assert proven_factor(sizes, PRICES[0], Chances(5, 2)) == 1


def test_integers_hold_the_prices_exactly() -> None:
    """A fortieth and five quarters on one scale."""
    assert Prices(Fraction("0.025"), Fraction("1.25")).whole() == (1, 50, 40)
    assert Ledger(Sizes(0, (1,), (1,)), PRICES[2]).one == 40
