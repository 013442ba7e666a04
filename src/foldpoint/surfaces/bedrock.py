"""Bedrock's Converse: results are blocks of the user message behind the calls and stand there alone."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage, Layout
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.told import Told
from ..core.transcript import Limits, Shape, View
from .bedrock_results import results_of
from .bedrock_views import read_message, text_of, view_of
from .content import Named, content_span, grown, same_reminder_apart, with_dropped, word
from .marks import Marks, with_breakpoint
from .paths import model_in
from .spans import decoded, elements, sourced, spans

CACHE_POINTS = Marks(
    b'"cachePoint"',
    re.compile(rb'"cachePoint"\s*:\s*(\{[^{}]*"default"[^{}]*\})'),
    plain=b'{"type":"default"}',
    long=b'{"type":"default","ttl":"1h"}',
)


class _Converse(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw]


class _Counted(msgspec.Struct, gc=False):
    converse: _Converse


class _Body(Named, gc=False):
    messages: list[msgspec.Raw] | None = None
    input: _Counted | None = None
    modelId: Any = None


class _Kind(msgspec.Struct, gc=False, rename="camel"):
    text: msgspec.Raw = msgspec.Raw()
    image: msgspec.Raw = msgspec.Raw()
    tool_result: msgspec.Raw = msgspec.Raw()
    reasoning_content: msgspec.Raw = msgspec.Raw()
    cache_point: msgspec.Raw = msgspec.Raw()


class _Result(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()


_BODY = msgspec.json.Decoder(_Body)
_KIND = msgspec.json.Decoder(_Kind)
_RESULT = msgspec.json.Decoder(_Result)
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


class Bedrock:
    """The Converse API, and what speaks it. What each method does, `core.ports.Surface` says."""

    name = "bedrock"
    list_key = "messages"
    shape = Shape(strict_turns=True, system_inside=True)

    def read(self, body: bytes, path: str = "") -> Request:
        found, source = sourced(_BODY, body)
        listed = found.messages if found.input is None else found.input.converse.messages
        if listed is None:
            raise Unreadable("neither `messages` nor `input.converse.messages` is a list")
        model = model_in(path) or word(found.modelId)
        stored = ":prompt/" in model  # a stored prompt's own messages stand in front of these
        return Request(body, spans(listed, source, body), model, stored, names=found.names)

    def view(self, item: bytes, limits: Limits) -> View:
        return view_of(item, limits)

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        written = b",".join(block for addition in added for block in _blocks_of(addition, items))
        if item is None:
            return b'{"role":"user","content":[' + written + b"]}"
        start, literal = content_span(item)
        return item[:start] + grown(literal, written) + item[start + len(literal) :]

    def without_thinking(self, item: bytes) -> bytes:
        start, content = content_span(item)
        blocks = [(block, decoded(_KIND, block)) for block in elements(content)]
        kept = [block for block, kind in blocks if not kind.reasoning_content]
        if len(kept) == len(blocks) or all(kind.reasoning_content or kind.cache_point for _, kind in blocks):
            return item
        return item[:start] + b"[" + b",".join(kept) + b"]" + item[start + len(content) :]

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        return with_breakpoint(request, views, layout, always, CACHE_POINTS)

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        asked: dict[str, tuple[str, bytes]] = {}
        found = []
        for item in items:
            for block in read_message(item)[1]:
                if (use := block.tool_use) is not None:
                    asked[word(use.tool_use_id)] = (word(use.name), bytes(use.input))
                elif (result := block.tool_result) is not None and word(result.tool_use_id) in asked:
                    text = ("(error) " if result.status == "error" else "") + _whole(item, result.content or [])
                    found.append(Exchange(*asked.pop(word(result.tool_use_id)), same_reminder_apart(text)))
        return found

    def results(self, item: bytes) -> list[Told]:
        return results_of(item)

    def normal(self, item: bytes) -> bytes:
        message = decoded(_ANY, item)
        if isinstance(message, dict) and isinstance(content := message.get("content"), list):
            message["content"] = [block for block in content if not _is_mark(block)]
        return msgspec.json.encode(message, order="sorted")


def _is_mark(block: object) -> bool:
    return isinstance(block, dict) and "cachePoint" in block


def _whole(item: bytes, content: list[Any]) -> str:
    """All that a result says, for comparison; the whole message where it is more than texts."""
    plain = all(inner.text is not None or inner.json for inner in content)
    return " ".join(map(text_of, content)) if plain else msgspec.json.encode(decoded(_ANY, item)).decode()


def _text_block(literal: bytes) -> bytes:
    return b'{"text":' + literal + b"}"


def _blocks_of(addition: Addition, items: Sequence[bytes]) -> Iterator[bytes]:
    """The blocks of an addition, as they are written; a breakpoint is a block of its own behind what it marks."""
    match addition:
        case Block(json=text, mark=mark):
            yield _text_block(text)
            if mark:
                yield b'{"cachePoint":' + mark + b"}"
        case Carried():
            yield from _own_blocks(addition, items[addition.item])
        case KeptImage(item=item, number=number, label=label):
            yield _text_block(msgspec.json.encode(label))
            yield _images(items[item])[number]


def _own_blocks(carried: Carried, item: bytes) -> Iterator[bytes]:
    read = [(block, decoded(_KIND, block)) for block in elements(content_span(item)[1])]
    own = [(block, bool(kind.image)) for block, kind in read if not kind.tool_result and bytes(kind.text) != b'""']
    return with_dropped(own, carried.dropped, _text_block(b'"[image]"'))


def _images(item: bytes) -> list[bytes]:
    """Every image of a message: those in results first."""
    in_results, own = [], []
    for block in elements(content_span(item)[1]):
        kind = decoded(_KIND, block)
        if kind.image:
            own.append(block)
        elif kind.tool_result:
            inner = elements(bytes(decoded(_RESULT, bytes(kind.tool_result)).content) or b"[]")
            in_results += [part for part in inner if decoded(_KIND, part).image]
    return in_results + own
