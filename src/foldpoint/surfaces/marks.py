"""Cache breakpoints: where the caller's stand, and whether one of ours may stand on the newest block of the summary."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.edit import Block, Layout, Slot
from ..core.ports import Request
from ..core.transcript import View

LIMIT = 4
"""Breakpoints that Anthropic and Bedrock allow in one request."""


class Marks(NamedTuple):
    """How a surface spells a breakpoint: its member's name, the member with its value, and a short and a long one.

    In valid JSON an unescaped quote can't stand inside a text, so `member` finds members alone; with the value it
    demands it finds no tool's schema.
    """

    name: bytes
    member: re.Pattern[bytes]
    plain: bytes
    long: bytes

    def found(self, part: bytes) -> list[bytes]:
        """The breakpoints in a part of a body, as JSON, in order."""
        return self.member.findall(part) if self.name in part else []


CACHE_CONTROL = Marks(
    b'"cache_control"',
    re.compile(rb'"cache_control"\s*:\s*(\{[^{}]*"ephemeral"[^{}]*\})'),
    plain=b'{"type":"ephemeral"}',
    long=b'{"type":"ephemeral","ttl":"1h"}',
)


def with_breakpoint(
    request: Request, views: Sequence[View], layout: Layout, always: bool, marks: Marks = CACHE_CONTROL
) -> Layout:
    """The layout with a breakpoint on the newest block, where one is free.

    `always`: also where the caller marks nothing. Lifetimes must not grow from front to back, so ours is that of the
    caller's next breakpoint behind it, else of the last one in front.
    """
    newest = _newest(layout)
    if newest < 0 or _in(request.items, views, _items(layout.slots[newest + 1 :]), marks):
        return layout  # one of the caller's stands behind the block and in front of the tail: that one serves
    front, behind = _around(request, views, layout, newest, marks)
    count = len(front) + len(behind)
    if count >= LIMIT or not (count or always):
        return layout
    nearest = behind[0] if behind else front[-1] if front else marks.plain
    value = marks.long if b'"1h"' in nearest else marks.plain
    slots = list(layout.slots)
    slots[newest] = _marked(slots[newest], value)
    return Layout(tuple(slots), layout.tail)


def _newest(layout: Layout) -> int:
    """The slot that holds the newest block of the summary; -1 where none does."""
    at = len(layout.slots) - 1
    while at >= 0 and not any(isinstance(added, Block) for added in layout.slots[at].added):
        at -= 1
    return at


def _around(
    request: Request, views: Sequence[View], layout: Layout, newest: int, marks: Marks
) -> tuple[list[bytes], list[bytes]]:
    """The caller's breakpoints in front of the newest block and behind it, in the order of the prompt."""
    items, body = request.items, request.body
    outside = marks.found(body[: items.starts[0]]) + marks.found(body[items.ends[-1] :])
    if request.moving_mark in outside:
        outside.remove(request.moving_mark)
    front = outside + _in(items, views, _items(layout.slots[: newest + 1]), marks)
    behind = _in(items, views, range(layout.tail, len(items)), marks)
    return front, behind + [request.moving_mark] * bool(request.moving_mark)


def _items(slots: Sequence[Slot]) -> list[int]:
    return [slot.item for slot in slots if slot.item is not None]


def _in(items: Sequence[bytes], views: Sequence[View], positions: Iterable[int], marks: Marks) -> list[bytes]:
    return [mark for item in positions if views[item].marked for mark in marks.found(items[item])]


def _marked(slot: Slot, value: bytes) -> Slot:
    last, block = [(at, added) for at, added in enumerate(slot.added) if isinstance(added, Block)][-1]
    added = list(slot.added)
    added[last] = Block(block.json, value)
    return Slot(slot.item, tuple(added))
