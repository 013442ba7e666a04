"""A piece of a prompt as a cache sees it, and the tokens of a length."""

from typing import Literal

import msgspec

BYTES_PER_TOKEN = 3
"""Measured on agent traffic; the engine's default, too."""
IMAGE_BYTES = 4800
"""What an image or a page counts, whatever its payload."""

Ttl = Literal["5m", "30m", "1h"]
"""How long what a breakpoint writes is kept without being read."""


class Segment(msgspec.Struct, frozen=True, gc=False):
    """A tool, a system block, a block of a message, or (chat) a whole message.

    `content` is what the model is given, canonical: cache marks dropped, a string the same as one text block. Its
    length is what is billed. `mark` is the breakpoint that stands on it. `salt` is hashed in front of it but not
    billed: a setting that decides whether this and what follows may be read (the model, the tool choice).
    """

    content: bytes
    mark: Ttl | None = None
    salt: bytes = b""


def tokens(size: int) -> int:
    """Tokens of a prefix of so many bytes, rounded up. The tokens of a part are the difference of two prefixes."""
    return -(-size // BYTES_PER_TOKEN)
