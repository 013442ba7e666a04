"""Our rows against genai-prices, where that package has the model: prices, windows and price bands as of one day."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from foldpoint.pricing.catalog import ROWS
from foldpoint.pricing.rates import UNIT, Rates, normal_id

DAY = date(2026, 11, 30)
"""When the table was read."""
PROVIDERS = {"claude": "anthropic", "gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai"} | {
    "deepseek": "deepseek",
    "gemini": "google",
    "nova": "aws",
}
ENDINGS = ("", "-0", "-latest", "-preview", "-v1:0")
"""What an id may have behind the name of a row that is the same model."""


NOT_PUBLISHED = {"claude-3", "deepseek-v4-1-flash", "gpt-6-2-sol"}
"""Rows with a price that the package lacks: a family's, and two models that it does not have yet."""


class Published(NamedTuple):
    """What the package says of a model; None where it says nothing."""

    input_usd: float
    read_units: int | None
    write_units: int | None
    band: int | None
    window: int | None


def published() -> Iterator[tuple[str, Published]]:
    """(name of our row, what the package says), for each row that it has."""
    data = pytest.importorskip("genai_prices.data", reason="genai-prices is not installed: prices are not compared")
    models = {
        provider.id: {normal_id(model.id): model for model in reversed(provider.models)} for provider in data.providers
    }
    for name in ROWS:
        known = models[PROVIDERS[name.split("-")[0]]]
        found = next((known[name + ending] for ending in ENDINGS if name + ending in known), None)
        if found is not None and (price := price_of(found)).input_mtok is not None:
            yield name, said(found, price)


def price_of(model: Any) -> Any:
    """The price on that day, at any hour that has none of its own."""
    if not isinstance(model.prices, list):
        return model.prices
    begun = [
        each.prices
        for each in model.prices
        if each.constraint is None or getattr(each.constraint, "start_date", date.max) <= DAY
    ]
    return begun[-1]


def said(model: Any, price: Any) -> Published:
    given = price.input_mtok
    tiers = getattr(given, "tiers", ())
    return Published(
        float(base(given)),
        share(price.cache_read_mtok, given),
        share(price.cache_write_mtok, given),
        tiers[0].start if tiers else None,
        model.context_window,
    )


def base(price: Any) -> Decimal:
    """A price, that of the lowest band where there are several."""
    return Decimal(getattr(price, "base", price))


def share(price: Any, of: Any) -> int | None:
    """A price in thousandths of another one."""
    return None if price is None else round(base(price) * UNIT / base(of))


def as_row(row: Rates, said: Published) -> Published:
    """Our row as far as the package says anything: a price of its own for writing, and a window (it rounds some)."""
    write = row.write_units if said.write_units is not None or row.write_units != UNIT else None
    near = said.window is None or abs((row.window or 0) - said.window) * 20 <= said.window
    return Published(row.input_usd or 0.0, row.read_units, write, row.band, said.window if near else row.window)


def test_rows_say_what_is_published() -> None:
    """Input price, what reading and writing the cache cost beside it, the price band and the window."""
    found = dict(published())
    assert {name: as_row(ROWS[name], said) for name, said in found.items()} == found


def test_most_rows_are_compared() -> None:
    """Only families without a price of their own, and models that the package does not have yet, are not."""
    named = {name for name, row in ROWS.items() if row.input_usd is not None}
    assert named - dict(published()).keys() <= NOT_PUBLISHED
