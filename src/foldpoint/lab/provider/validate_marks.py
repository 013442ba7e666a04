"""Where cache breakpoints may stand in a Messages request: at most four, the long-lived ones first."""

from collections.abc import Iterator, Mapping
from typing import Any

from .refusal import Place, Refused

MOST = 4
UNMARKABLE = ("thinking", "redacted_thinking")

Block = Mapping[str, Any]


def check_marks(body: Mapping[str, Any]) -> None:
    """Raise Refused for too many marks, marks on what can't bear one, or a one-hour mark behind a five-minute one."""
    marks = list(marked(body))
    automatic = body.get("cache_control")
    count = len(marks) + (automatic is not None)
    if count > MOST:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {count}.")
    short = False
    for place, block in marks:
        check_mark(block, place)
        hour = block["cache_control"].get("ttl") == "1h"
        if hour and short:
            raise (place / "cache_control.ttl").refused(
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks "
                "are processed in the following order: `tools`, `system`, `messages`."
            )
        short = short or not hour
    if isinstance(automatic, Mapping) and short and automatic.get("ttl") == "1h":
        raise Refused("cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' one.")


def check_mark(block: Block, place: Place) -> None:
    """One mark: its form, and whether the block can bear it."""
    mark = block["cache_control"]
    if not isinstance(mark, Mapping) or mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
        raise (place / "cache_control").refused("Input should be {'type': 'ephemeral'}, with `ttl` '5m' or '1h'")
    if block.get("type") in UNMARKABLE:
        raise (place / "cache_control").refused("Extra inputs are not permitted")
    if block.get("type") == "text" and not block.get("text"):
        raise (place / "text").refused("cache_control cannot be set for empty text blocks")


def marked(body: Mapping[str, Any]) -> Iterator[tuple[Place, Block]]:
    """The marked blocks in the order the provider reads them: tools, system, messages."""
    yield from among(body.get("tools"), Place("tools"))
    yield from among(body.get("system"), Place("system"))
    for number, message in enumerate(body["messages"]):
        place = Place("messages") / number / "content"
        for position, block in enumerate(message["content"]) if isinstance(message["content"], list) else ():
            yield from among(block.get("content"), place / position / "content")
            if block.get("cache_control") is not None:
                yield place / position, block


def among(content: object, place: Place) -> Iterator[tuple[Place, Block]]:
    """The marked ones of a list of blocks."""
    for position, block in enumerate(content) if isinstance(content, list) else ():
        if isinstance(block, Mapping) and block.get("cache_control") is not None:
            yield place / position, block
