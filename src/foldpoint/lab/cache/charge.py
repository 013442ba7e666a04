"""What a request is billed."""

import msgspec

from foldpoint.core.usage import Usage


class Charge(msgspec.Struct, frozen=True):
    """The usage, and of its `cache_write` the part written for one hour, where that has a price of its own."""

    usage: Usage
    write_1h: int = 0

    @property
    def write_5m(self) -> int:
        """The part written for the provider's usual time."""
        return self.usage.cache_write - self.write_1h

    def cost(self, read: float, write: float, write_1h: float | None = None) -> float:
        """The prompt's cost in uncached input tokens, from prices in units of the uncached input price."""
        dear = write if write_1h is None else write_1h
        return self.usage.input + self.usage.cache_read * read + self.write_5m * write + self.write_1h * dear
