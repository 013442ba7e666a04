"""Which cache a model has."""

from foldpoint.pricing.catalog import known_rates
from foldpoint.pricing.rates import DEFAULT, Rates

from .breakpoints import BreakpointRules
from .prefixes import PrefixRules

Rules = BreakpointRules | PrefixRules
MARKED = ("anthropic", "bedrock")
"""Surfaces whose caches follow the client's marks."""
OPENAI = ("openai-chat", "openai-responses")


def rules_of(surface: str, model: str, rates: Rates | None = None) -> Rules:
    """The cache rules of a model, with its row of the price table or with the rates given.

    On OpenAI's surfaces a price for writing tells the models whose cache works at breakpoints (GPT-5.6 on) from those
    that match prefixes in steps of 128 tokens; a model that isn't in the table is taken for one of these. Other
    surfaces match prefixes to the token; Google charges nothing for writing, whatever the model.
    """
    known = rates or known_rates(model)
    row = known or DEFAULT
    if surface in MARKED:
        return BreakpointRules(row.min_prefix, read=row.read, write=row.write)
    if surface in OPENAI and known and row.write > 1:
        return BreakpointRules(row.min_prefix, None, "30m", row.read, row.write, row.write)
    if surface in OPENAI:
        return PrefixRules(row.min_prefix, read=row.read)
    write = 1.0 if surface == "gemini" else row.write
    return PrefixRules(row.min_prefix, step=1, read=row.read, write=write)
