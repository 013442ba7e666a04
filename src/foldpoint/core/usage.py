"""Tokens as a provider bills them, normalised once so that no one else has to know who counts what."""

import msgspec

MOST = 10**12
"""More than anything that is counted of a request; millions of them still add up to less than 64 bits."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one request. `input` is the part neither read from nor written to the cache."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the prompt, cached or not."""
        return self.input + self.cache_read + self.cache_write
