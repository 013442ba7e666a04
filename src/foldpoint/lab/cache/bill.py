"""The cache of one customer at one provider, and the bill of a request."""

from collections.abc import Sequence

from foldpoint.core.usage import Usage

from .charge import Charge
from .entries import Entries
from .rules import Rules
from .segment import Segment

LIMIT = 1 << 18


class Cache:
    """The prefixes that earlier requests wrote, under one provider's rules.

    One cache is one model's in one organisation: keep one for each. At most `limit` prefixes are kept.
    """

    def __init__(self, rules: Rules, limit: int = LIMIT) -> None:
        self.rules = rules
        self.entries = Entries(limit)

    def cost(self, charge: Charge) -> float:
        """What a charge costs at these rules' prices, in uncached input tokens."""
        return charge.cost(self.rules.read, self.rules.write, self.rules.write_1h)


def charge(segments: Sequence[Segment], cache: Cache, now: float) -> Charge:
    """Bill one request that arrives at `now` (seconds, any origin, never going back) and remember what it wrote."""
    return cache.rules.charge(segments, cache.entries, now)


def bill(segments: Sequence[Segment], cache: Cache, now: float) -> Usage:
    """Bill one request as `charge` does, without the split of what was written by lifetime."""
    return charge(segments, cache, now).usage
