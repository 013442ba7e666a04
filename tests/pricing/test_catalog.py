"""Prices of models, by id."""

import pytest

from foldpoint.pricing.catalog import ROWS, gate_rates, known_name, known_rates, rates_of
from foldpoint.pricing.rates import CAUTIOUS, DEFAULT, Rates


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("claude-opus-4-5", "claude-opus-4-5"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4.5", "claude-opus-4-5"),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("anthropic/claude-opus-4.5:beta", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("GPT-5.4-mini", "gpt-5-4-mini"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("us.amazon.nova-pro-v1:0", "nova-pro"),
        ("amazon.nova-2-lite-v1:0", "nova-2-lite"),
        ("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("models/gemini-2.5-pro", "gemini-2-5-pro"),
        ("gemini-2.5-flash-lite-preview-09-2025", "gemini-2-5-flash-lite"),
        ("gemini-3-pro-preview", "gemini-3-pro"),
        ("gemini-3.9-flash", "gemini-3"),
        ("gemini-4-argon", "gemini-4-argon"),
    ],
)
def test_a_model_has_the_row_of_the_longest_name(model: str, row: str) -> None:
    """Provider, region, date and version behind a boundary are looked past."""
    assert (known_name(model), known_rates(model)) == (row, ROWS[row])


@pytest.mark.parametrize("model", ["", "claude", "gpt-4oo", "llama-3", "my-gpt-5", "gpt"])
def test_another_model_is_not_known(model: str) -> None:
    """A name that only looks alike has no row."""
    assert (known_name(model), known_rates(model)) == (None, None)


def test_a_model_that_is_not_known_has_the_default() -> None:
    """A tenth to read, a quarter more to write."""
    assert rates_of("llama-3") == Rates(read_units=100, write_units=1_250)


def test_prices_are_shares_of_the_input_price() -> None:
    """Read and write as numbers, for figures."""
    assert (DEFAULT.read, DEFAULT.write) == (0.1, 1.25)


@pytest.mark.parametrize(
    ("model", "pricing", "adaptive", "rates"),
    [
        ("gpt-4o", True, False, ROWS["gpt-4o"]),
        ("gpt-4o", True, True, ROWS["gpt-4o"]),
        ("gpt-4o", False, False, DEFAULT),
        ("gpt-4o", False, True, CAUTIOUS),
        ("llama-3", True, False, DEFAULT),
        ("llama-3", True, True, CAUTIOUS),
    ],
)
def test_the_gate_reads_the_table_where_it_may(model: str, pricing: bool, adaptive: bool, rates: Rates) -> None:
    """Without a row, or with pricing off: the default for a task, a careful one for rent or buy."""
    assert gate_rates(model, pricing, adaptive) == rates


def test_the_careful_ratio_is_24() -> None:
    """L = (w − r) / r of a model that is not known."""
    assert (CAUTIOUS.write_units - CAUTIOUS.read_units) / CAUTIOUS.read_units == 24


def test_every_row_reads_cheaper_than_it_writes() -> None:
    """A cache that costs as much to read would make every fold free."""
    assert [name for name, row in ROWS.items() if not 0 < row.read_units < 1_000 <= row.write_units] == []


def test_every_row_says_where_it_was_read() -> None:
    """A provider and a page of its own."""
    assert [name for name, row in ROWS.items() if ": " not in row.source or "." not in row.source] == []
