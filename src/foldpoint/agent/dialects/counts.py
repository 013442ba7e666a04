"""Tokens as each provider counts them, as core.usage has them."""

from collections.abc import Mapping
from typing import Any

from foldpoint.core.usage import MOST, Usage

Counts = Mapping[str, Any]


def merged(before: Counts, later: object) -> Counts:
    """Counts of a later event over those before: they only grow, and a missing one is no news."""
    if not isinstance(later, dict):
        return before
    news = {key: value for key, value in later.items() if value is not None and not _smaller(value, before.get(key))}
    return {**before, **news}


def of_anthropic(counts: Counts) -> Usage | None:
    """`input_tokens` leaves out what was read from and written to the cache."""
    if not counts:
        return None
    return Usage(
        input=_count(counts, "input_tokens"),
        cache_read=_count(counts, "cache_read_input_tokens"),
        cache_write=_count(counts, "cache_creation_input_tokens"),
        output=_count(counts, "output_tokens"),
    )


def of_openai(counts: Counts, prompt: str, output: str) -> Usage | None:
    """The count of the whole prompt, whose details say what of it was read from and written to the cache."""
    if not counts:
        return None
    details = counts.get(f"{prompt}_details")
    given = details if isinstance(details, dict) else {}
    read, write = _count(given, "cached_tokens"), _count(given, "cache_write_tokens")
    return Usage(max(0, _count(counts, prompt) - read - write), read, write, _count(counts, output))


def _smaller(value: object, before: object) -> bool:
    return isinstance(value, int) and isinstance(before, int) and value < before


def _count(counts: Counts, name: str) -> int:
    value = counts.get(name)
    return min(value, MOST) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
