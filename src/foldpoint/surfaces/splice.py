"""Write a folded body: the caller's bytes, with the message list spliced, or a member cut out."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..core.edit import Layout, Slot
from ..core.errors import Unreadable
from ..core.ports import Request, Surface
from .spans import offset, past_blanks, sourced

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def written(surface: Surface, items: Sequence[bytes], layout: Layout) -> list[bytes]:
    """The messages of the folded list in front of the tail."""
    return [_message(surface, items, slot) for slot in layout.slots]


def _message(surface: Surface, items: Sequence[bytes], slot: Slot) -> bytes:
    if slot.added or slot.item is None:
        return surface.extended(None if slot.item is None else items[slot.item], slot.added, items)
    return surface.without_thinking(items[slot.item]) if slot.unthought else items[slot.item]


def spliced(request: Request, front: bytes, tail: int) -> bytes:
    """The folded body: `front`, then every item from `tail` on; all around the list is the caller's own bytes."""
    body, starts = request.body, request.items.starts
    if tail == len(starts):
        return b"".join((body[: starts[0]], front, body[request.items.ends[-1] :]))
    return b"".join((body[: starts[0]], front, b",", body[starts[tail] :]))


def front_of(surface: Surface, items: Sequence[bytes], layout: Layout) -> bytes:
    """The folded list in front of the tail, as it is written."""
    return b",".join(written(surface, items, layout))


def without_member(body: bytes, key: str) -> tuple[bytes, Any]:
    """The body with a top-level member cut out, and the member's value; (body, None) where it has none.

    A body that is no JSON object has none. Of duplicate members the last one counts, and is cut.
    """
    try:
        members, source = sourced(_MEMBERS, body)
    except Unreadable:
        return body, None
    if key not in members:
        return body, None
    raw = members[key]
    start = offset(raw, source)
    end = past_blanks(body, start + len(bytes(raw)))
    name = body.rfind(b'"', 0, body.rfind(b'"', 0, start))
    before = body[:name].rstrip(b" \t\r\n")
    if body[end : end + 1] == b",":
        cut = body[:name] + body[past_blanks(body, end + 1) :]
    else:
        cut = before.removesuffix(b",") + body[end:]
    return cut, msgspec.json.decode(bytes(raw))
