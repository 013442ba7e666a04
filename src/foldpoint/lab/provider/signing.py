"""Signatures of the thinking that the provider made: only content it wrote itself is accepted back under its name."""

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from .refusal import Place

PREFIX = "sim1."
KEY = b"the simulated provider's own key"
MAC = 32
"""Bytes of the code at the end of a signature; in front of it stands the digest of what the thinking followed."""


def signature(thinking: str, prefix: bytes = b"") -> str:
    """The signature of a thinking text made behind a prefix of that digest; the same pair always has the same."""
    code = hmac.digest(KEY, prefix + thinking.encode("utf-8", "surrogatepass"), "sha256")
    return PREFIX + b64encode(prefix + code).decode()


def prefix_in(given: str) -> bytes:
    """The digest of the prefix that a signature of ours names; nothing in any other."""
    try:
        return b64decode(given.removeprefix(PREFIX), validate=True)[:-MAC] if given.startswith(PREFIX) else b""
    except binascii.Error:
        return b""


def check(messages: Sequence[Mapping[str, Any]]) -> None:
    """Refuse thinking of the last assistant message that bears our signature and isn't what we signed.

    Signatures of other forms are another provider's: accepted. Raises Refused.
    """
    places = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    if not places or isinstance(content := messages[places[-1]]["content"], str):
        return
    for number, block in enumerate(content):
        given = str(block.get("signature") or "")
        if given.startswith(PREFIX) and given != signature(block.get("thinking", ""), prefix_in(given)):
            place = Place("messages") / places[-1] / "content" / number
            raise place.refused("Invalid `signature` in `thinking` block")
