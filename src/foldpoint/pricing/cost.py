"""What a prompt cost, and what it would have cost had nothing been folded: for the record, never for a decision."""

from foldpoint.core.usage import Usage

from .rates import Rates

PER = 1_000_000


def billed(rates: Rates, usage: Usage) -> float | None:
    """The prompt's price in USD; None where the model's input price is not published.

    Output tokens are left out: they cost the same folded or not, and the table has no price of theirs.
    """
    if rates.input_usd is None:
        return None
    units = usage.input + rates.read * usage.cache_read + rates.write * usage.cache_write
    return units * rates.input_usd / PER


def without_fold(rates: Rates, usage: Usage, tokens_before: int, tokens_after: int, rewritten: int = 0) -> float | None:
    """The price in USD that the same request would have had unfolded; None where `billed` is None.

    An estimate: what the fold took out (`tokens_before - tokens_after`, counted as receipts count) would have been
    cached before and is charged at the read price, the least that it can have cost. What the fold had written anew with
    this request (`rewritten`) would have been read too, so a request with which the fold moved may show a loss.
    """
    cost = billed(rates, usage)
    if cost is None or rates.input_usd is None:
        return None
    units = rates.read * (tokens_before - tokens_after) - _rewriting(rates, usage, rewritten)
    return cost + units * rates.input_usd / PER


def _rewriting(rates: Rates, usage: Usage, rewritten: int) -> float:
    """What writing instead of reading cost, in input tokens: at most what was billed, nothing without a cache."""
    if usage.cache_write:
        return (rates.write - rates.read) * min(rewritten, usage.cache_write)
    return (1 - rates.read) * min(rewritten, usage.input) if usage.cache_read else 0.0
