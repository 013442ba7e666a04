"""The prices that a fold needs of a model: what a cached and a written token cost beside an uncached one."""

import re
from collections.abc import Collection

import msgspec

UNIT = 1_000
"""Prices are whole thousandths of the uncached input price, so that every decision is made in integers."""


class Rates(msgspec.Struct, frozen=True):
    """One model's row.

    read_units, write_units: price of a cached and of a written token in thousandths of the uncached input price;
    input_usd: USD per million uncached input tokens; window: input tokens it takes; min_prefix: tokens of the
    shortest prefix that is cached; band: input tokens above which the whole request costs more. None where it is not
    published. binds_thinking: the model refuses thinking that was made under another prefix. source: where the row was
    read.
    """

    read_units: int
    write_units: int
    input_usd: float | None = None
    window: int | None = None
    min_prefix: int = 1_024
    binds_thinking: bool = False
    band: int | None = None
    source: str = ""

    @property
    def edge(self) -> int | None:
        """Input tokens that a request should not cross: the window, or a price band in front of it."""
        edges = [edge for edge in (self.window, self.band) if edge]
        return min(edges) if edges else None

    @property
    def read(self) -> float:
        """Price of a cached token in uncached ones."""
        return self.read_units / UNIT

    @property
    def write(self) -> float:
        """Price of a written token in uncached ones."""
        return self.write_units / UNIT


DEFAULT = Rates(100, 1_250)
"""Where the model is not known: what the first providers with a paid cache charged."""
CAUTIOUS = Rates(50, 1_250)
"""For the adaptive gate where the model is not known: L = 24, which costs little either way."""

_PREFIX = re.compile(r"^(?:[^/]+/)*(?:(?:[a-z-]+\.)?(?:anthropic|amazon)\.)?")


def normal_id(model: str) -> str:
    """A model's id without provider and region in front, in small letters, dots as dashes."""
    return _PREFIX.sub("", model.lower()).replace(".", "-")


def longest_name(model: str, rows: Collection[str]) -> str | None:
    """The row's name that is the longest beginning of the id and ends at a boundary."""
    name = normal_id(model)
    fits = [key for key in rows if name == key or name.startswith((f"{key}-", f"{key}:", f"{key}@"))]
    return max(fits, key=len) if fits else None


def longest_match(model: str, rows: dict[str, Rates]) -> Rates | None:
    """The row of that name."""
    name = longest_name(model, rows)
    return None if name is None else rows[name]
