"""Anthropic messages: results are blocks of the user message behind the calls, roles take turns."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage, Layout
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.told import Told
from ..core.transcript import Limits, Shape, View
from .anthropic_results import results_of
from .anthropic_views import THOUGHTS, read_message, view_of, whole
from .content import Named, content_span, grown, normal, same_reminder_apart, with_dropped, word
from .marks import with_breakpoint
from .paths import model_in
from .spans import decoded, elements, sourced, spans

_NONE = msgspec.Raw()


class _Body(Named, gc=False):
    messages: list[msgspec.Raw]
    model: Any = None
    thread: Any = None
    anthropic_version: Any = None
    cache_control: msgspec.Raw = _NONE


class _Kind(msgspec.Struct, gc=False):
    type: str = ""
    text: msgspec.Raw = _NONE
    content: msgspec.Raw = _NONE


_BODY = msgspec.json.Decoder(_Body)
_KIND = msgspec.json.Decoder(_Kind)


class Anthropic:
    """The messages API, and what speaks it. What each method does, `core.ports.Surface` says."""

    name = "anthropic"
    list_key = "messages"
    shape = Shape(strict_turns=True, system_inside=True)

    def read(self, body: bytes, path: str = "") -> Request:
        found, source = sourced(_BODY, body)
        items = spans(found.messages, source, body)
        model = word(found.model) or model_in(path)
        if "/model/" in path and not found.anthropic_version:
            raise Unreadable("InvokeModel takes other formats, too; one of Anthropic's says `anthropic_version`")
        state = isinstance(found.thread, dict) and found.thread.get("type") == "continue"
        mark = bytes(found.cache_control)
        return Request(body, items, model, state, mark, found.names)

    def view(self, item: bytes, limits: Limits) -> View:
        return view_of(item, limits)

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        written = b",".join(block for addition in added for block in _blocks_of(addition, items))
        if item is None:
            return b'{"role":"user","content":[' + written + b"]}"
        start, literal = content_span(item)
        if literal[:1] == b"[":
            joined = grown(literal, written)
        else:
            joined = b"[" + b",".join(part for part in (_text_block(literal), written) if part) + b"]"
        return item[:start] + joined + item[start + len(literal) :]

    def without_thinking(self, item: bytes) -> bytes:
        start, content = content_span(item)
        blocks = elements(content) if content[:1] == b"[" else []
        kept = [block for block in blocks if decoded(_KIND, block).type not in THOUGHTS]
        if not kept or len(kept) == len(blocks):
            return item
        return item[:start] + b"[" + b",".join(kept) + b"]" + item[start + len(content) :]

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        return with_breakpoint(request, views, layout, always)

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        asked: dict[str, tuple[str, bytes]] = {}
        found = []
        for item in items:
            for block in read_message(item)[1]:
                if block.type == "tool_use":
                    asked[str(block.id)] = (str(block.name), bytes(block.input))
                elif block.type == "tool_result" and str(block.tool_use_id) in asked:
                    text = ("(error) " if block.is_error is True else "") + whole(block.content)
                    found.append(Exchange(*asked.pop(str(block.tool_use_id)), same_reminder_apart(text)))
        return found

    def results(self, item: bytes) -> list[Told]:
        return results_of(item)

    def normal(self, item: bytes) -> bytes:
        return normal(item)


def _text_block(literal: bytes, mark: bytes = b"") -> bytes:
    if literal == b'""':
        return b""
    return b'{"type":"text","text":' + literal + (b',"cache_control":' + mark if mark else b"") + b"}"


def _blocks_of(addition: Addition, items: Sequence[bytes]) -> Iterator[bytes]:
    """The blocks of an addition, as they are written."""
    match addition:
        case Block(json=text, mark=mark):
            yield _text_block(text, mark)
        case Carried():
            yield from _own_blocks(addition, items[addition.item])
        case KeptImage(item=item, number=number, label=label):
            yield _text_block(msgspec.json.encode(label))
            yield _images(items[item])[number]


def _own_blocks(carried: Carried, item: bytes) -> Iterator[bytes]:
    _, content = content_span(item)
    if content[:1] == b'"':
        yield from filter(None, [_text_block(content)])
        return
    read = [(block, decoded(_KIND, block)) for block in elements(content)]
    own = [
        (block, kind.type == "image")
        for block, kind in read
        if kind.type == "image" or (kind.type != "tool_result" and bytes(kind.text) != b'""')
    ]
    yield from with_dropped(own, carried.dropped, _text_block(b'"[image]"'))


def _images(item: bytes) -> list[bytes]:
    """Every image of a message: those in results first."""
    in_results, own = [], []
    for block in elements(content_span(item)[1]):
        kind = decoded(_KIND, block)
        if kind.type == "image":
            own.append(block)
        elif kind.type == "tool_result" and bytes(kind.content)[:1] == b"[":
            in_results += [inner for inner in elements(bytes(kind.content)) if decoded(_KIND, inner).type == "image"]
    return in_results + own
