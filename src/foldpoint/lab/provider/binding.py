"""Thinking bound to its prefix: what stood before it must stand there still, cache marks apart.

Source: platform.claude.com/docs, "Preserved thinking"; the texts of its errors as reported.
"""

from collections.abc import Collection, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from foldpoint.lab.cache import Segment, anthropic
from foldpoint.pricing.catalog import rates_of

from .refusal import Place
from .signing import prefix_in

BETA = "thinking-binding-controls-2026-08-01"
DIGEST = 16
BEHAVIOURS = ("error", "drop_block")
WHY = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)

Body = Mapping[str, Any]
Spot = tuple[int, int]
"""(number of the message, of the block in it)"""


def prefix_of(body: Body) -> bytes:
    """The digest of all that an answer to the request follows."""
    return rolled(Prefix(), [*front(body), *anthropic.messages(body["messages"])]).digest()


def checked(body: dict[str, Any], betas: Collection[str]) -> tuple[dict[str, Any], list[dict[str, str]] | None]:
    """The request without the thinking that is to be dropped, and what was dropped (None where nobody asks for that).

    Raises:
        Refused: for thinking that was made behind another prefix, and for the setting without its beta.
    """
    behaviour = asked(body, betas)
    wrong = list(mismatches(body)) if rates_of(body["model"]).binds_thinking else []
    if wrong and behaviour == "error":
        raise at(wrong[0]).refused(WHY)
    reason = {"type": "thinking_dropped", "reason": "prefix_binding_mismatch"}
    dropped = [{**reason, "path": str(at(spot))} for spot in wrong]
    return without(body, set(wrong)), dropped if BETA in betas else None


def asked(body: Body, betas: Collection[str]) -> str:
    """What is to be done with thinking that does not fit. Raises Refused."""
    thinking = body.get("thinking") or {}
    if "block_binding" not in thinking:
        return "error"
    place = Place("thinking") / str(thinking.get("type")) / "block_binding"
    if BETA not in betas or thinking.get("type") not in ("adaptive", "enabled"):
        raise place.refused("Extra inputs are not permitted")
    behaviour = (thinking["block_binding"] or {}).get("prefix_mismatch_behavior") or "error"
    if behaviour not in BEHAVIOURS:
        raise (place / "prefix_mismatch_behavior").refused("Input should be 'error' or 'drop_block'")
    return str(behaviour)


def mismatches(body: Body) -> Iterator[Spot]:
    """Where thinking of ours stands behind another prefix than it was made; with it what the same message thinks on.

    What does not fit is no part of the prefix of what follows: the model was not given it.
    """
    prefix = rolled(Prefix(), front(body))
    for number, message in enumerate(body["messages"]):
        wrong = False
        blocks = anthropic.blocks(message["content"])
        for place, (block, segment) in enumerate(zip(blocks, anthropic.messages([message]), strict=True)):
            made = prefix_in(str(block.get("signature") or ""))
            wrong = wrong or (made != b"" and made != prefix.digest())
            if wrong and block["type"] in anthropic.UNMARKABLE:
                yield number, place
            else:
                prefix = rolled(prefix, [segment])


class Prefix:
    """The digest of the segments so far."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=DIGEST)

    def add(self, content: bytes) -> None:
        """Take one more."""
        self._hash.update(len(content).to_bytes(8) + content)

    def digest(self) -> bytes:
        """Of all there were."""
        return self._hash.digest()


def rolled(prefix: Prefix, segments: list[Segment]) -> Prefix:
    """The prefix with segments more."""
    for segment in segments:
        prefix.add(segment.content)
    return prefix


def front(body: Body) -> list[Segment]:
    """What stands in front of the messages."""
    return [*anthropic.tools(body.get("tools") or ()), *anthropic.system(body.get("system") or ())]


def without(body: dict[str, Any], spots: set[Spot]) -> dict[str, Any]:
    """The request without these blocks."""
    if not spots:
        return body
    messages = list(body["messages"])
    for number in {number for number, _ in spots}:
        kept = [block for place, block in enumerate(messages[number]["content"]) if (number, place) not in spots]
        messages[number] = {**messages[number], "content": kept}
    return {**body, "messages": messages}


def at(spot: Spot) -> Place:
    """The spot as the provider prints it."""
    return Place("messages") / spot[0] / "content" / spot[1]
