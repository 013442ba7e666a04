"""One provider's prompt cache, simulated without I/O or clock: request body -> segments -> what it is billed.

>>> cache = Cache(rules_of("anthropic", "claude-sonnet-5"))
>>> usage = bill(segments("anthropic", body), cache, now=0.0)        # the first request writes
>>> usage = bill(segments("anthropic", longer), cache, now=30.0)     # the next one reads what was written
"""

from .bill import Cache, bill, charge
from .breakpoints import BreakpointRules
from .charge import Charge
from .prefixes import PrefixRules
from .reading import decoded, segments, segments_of
from .rules import Rules, rules_of
from .segment import BYTES_PER_TOKEN, Segment, Ttl, tokens

__all__ = [
    "BYTES_PER_TOKEN",
    "BreakpointRules",
    "Cache",
    "Charge",
    "PrefixRules",
    "Rules",
    "Segment",
    "Ttl",
    "bill",
    "charge",
    "decoded",
    "rules_of",
    "segments",
    "segments_of",
    "tokens",
]
