"""Caches that match the longest prefix by themselves: OpenAI up to GPT-5.5, Gemini, local engines."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from foldpoint.core.usage import Usage

from .charge import Charge
from .entries import Entries
from .segment import BYTES_PER_TOKEN, Segment, tokens

GRAIN = 128
"""Tokens between two hashes where the match is finer than that."""


class PrefixRules(msgspec.Struct, frozen=True):
    """The match is byte-exact on the prompt as a whole, in steps of `step` tokens, from `minimum` tokens on.

    With `step` 1 it is exact to the token. An entry is dropped `lifetime` seconds after its last use. Where writing
    costs more than plain input (`write` over 1), what was written is reported as such, else as input. Prices are in
    units of the uncached input price.
    """

    minimum: int = 1024
    step: int = 128
    lifetime: float = 600.0
    read: float = 0.1
    write: float = 1.0
    write_1h: float | None = None

    def charge(self, segments: Sequence[Segment], entries: Entries, now: float) -> Charge:
        """Bill one request and remember its prefixes."""
        prompt = b"".join([segment.content for segment in segments])
        seed = b"\0".join([segment.salt for segment in segments if segment.salt])
        keys = list(self.keys(prompt, seed))
        read = self.matched(prompt, keys, entries, now)
        for place, key in enumerate(keys):
            entries.write(key, self.lifetime, now, self.after(prompt, place))
        total = tokens(len(prompt))
        whole = len(prompt) // (self.step * BYTES_PER_TOKEN) * self.step
        written = whole - read if self.write > 1 and whole >= self.minimum else 0
        return Charge(Usage(total - read - written, read, written))

    @property
    def width(self) -> int:
        """Bytes between two hashes."""
        return (self.step if self.step > 1 else GRAIN) * BYTES_PER_TOKEN

    def keys(self, prompt: bytes, seed: bytes) -> Iterator[bytes]:
        """The hash of the first 0, 1, 2 … whole steps of the prompt."""
        key = blake2b(seed, digest_size=16).digest()
        yield key
        for at in range(0, len(prompt) - self.width + 1, self.width):
            key = blake2b(key + prompt[at : at + self.width], digest_size=16).digest()
            yield key

    def matched(self, prompt: bytes, keys: Sequence[bytes], entries: Entries, now: float) -> int:
        """Tokens of the longest prefix that an earlier prompt had, 0 where it is too short to be kept."""
        for place in range(len(keys) - 1, -1, -1):
            if entry := entries.live(keys[place], now):
                rest = self.after(prompt, place)
                finer = max([common(rest, after) for after in entry.after], default=0)
                read = place * self.width // BYTES_PER_TOKEN + finer // BYTES_PER_TOKEN
                return read if read >= self.minimum else 0
        return 0

    def after(self, prompt: bytes, place: int) -> bytes:
        """What follows the step within one step's length; nothing where whole steps are matched."""
        return prompt[place * self.width : (place + 1) * self.width] if self.step == 1 else b""


def common(one: bytes, other: bytes) -> int:
    """Bytes that the two begin with alike."""
    short = min(len(one), len(other))
    return next((at for at in range(short) if one[at] != other[at]), short)
