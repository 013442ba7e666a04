"""Signatures of the thinking that the provider made: only content it wrote itself is accepted back under its name."""

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from .refusal import Place

PREFIX = "sim1."
KEY = b"the simulated provider's own key"


def signature(thinking: str) -> str:
    """The signature of a thinking text; the same text always has the same."""
    return PREFIX + b64encode(hmac.digest(KEY, thinking.encode("utf-8", "surrogatepass"), "sha256")).decode()


def check(messages: Sequence[Mapping[str, Any]]) -> None:
    """Refuse thinking of the last assistant message that bears our signature and isn't what we signed.

    Signatures of other forms are another provider's: accepted. Raises Refused.
    """
    places = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    if not places or isinstance(content := messages[places[-1]]["content"], str):
        return
    for number, block in enumerate(content):
        given = str(block.get("signature") or "")
        if given.startswith(PREFIX) and given != signature(block.get("thinking", "")):
            place = Place("messages") / places[-1] / "content" / number
            raise place.refused("Invalid `signature` in `thinking` block")
