"""What a prompt cost, and what it would have cost unfolded."""

import pytest

from foldpoint.core.usage import Usage
from foldpoint.pricing.cost import billed, without_fold
from foldpoint.pricing.rates import Rates

PAID = Rates(100, 1_250, 2.0)
"""A read costs 0.1, a write 1.25; 2 USD a million."""
FREE = Rates(100, 1_000, 2.0)
USAGE = Usage(input=1_000, cache_read=50_000, cache_write=4_000, output=9_999)


def test_a_prompt_is_priced_by_what_was_read_and_written() -> None:
    """1,000 + 5,000 + 5,000 tokens at 2 USD a million; what came out is not in it."""
    assert billed(PAID, USAGE) == pytest.approx(0.022)


def test_without_a_price_there_is_no_cost() -> None:
    """The provider publishes none."""
    rates = Rates(100, 1_250)
    assert (billed(rates, USAGE), without_fold(rates, USAGE, 10, 5)) == (None, None)


def test_what_was_taken_out_would_have_been_read() -> None:
    """30,000 tokens at the read price are 3,000 more."""
    assert without_fold(PAID, USAGE, 40_000, 10_000) == pytest.approx(0.028)


def test_an_unfolded_request_costs_what_it_cost() -> None:
    """Nothing was taken out."""
    assert without_fold(PAID, USAGE, 40_000, 40_000) == billed(PAID, USAGE)


@pytest.mark.parametrize(
    ("rates", "usage", "rewritten", "cost"),
    [
        (PAID, USAGE, 2_000, 0.028 - 0.0046),  # 2,000 written at 1.25 that would have been read at 0.1
        (PAID, USAGE, 9_000, 0.028 - 0.0092),  # no more than the 4,000 that were billed
        (FREE, Usage(5_000, 50_000), 2_000, 0.026 - 0.0036),  # a free write is billed as plain input
        (FREE, Usage(5_000), 2_000, 0.016),  # nothing is cached: it would not have been read either
    ],
)
def test_what_a_fold_wrote_anew_would_have_been_read(rates: Rates, usage: Usage, rewritten: int, cost: float) -> None:
    """The request with which the fold moves pays for it, and the record says so."""
    assert without_fold(rates, usage, 40_000, 10_000, rewritten) == pytest.approx(cost)
