"""OpenAI Responses: the list is `input`, and every call, result and thought is an item of its own."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage, Layout
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.span import Spans
from ..core.told import Told
from ..core.transcript import Limits, Shape, View
from .content import Named, content_span, grown, normal, same_reminder_apart, with_dropped, word
from .responses_items import asked, call_id_of, joined, kind_of, parts_of, read_item, texts_of, written
from .responses_results import results_of
from .responses_views import CALLS, view_of
from .spans import decoded, elements, offset, sourced, spans

_NONE = msgspec.Raw()
REFERENCE = 192
"""Bytes of the longest item that may be a reference: it has an id of 64 characters at most, and nothing else."""


class _Body(Named, gc=False):
    input: list[msgspec.Raw] | str | None = None
    model: Any = None
    previous_response_id: Any = None
    conversation: Any = None


class _Raw(msgspec.Struct, gc=False):
    input: msgspec.Raw = _NONE


class _Kind(msgspec.Struct, gc=False):
    type: Any = None
    role: Any = None
    text: msgspec.Raw = _NONE
    output: msgspec.Raw = _NONE
    result: msgspec.Raw = _NONE
    output_format: Any = None
    image_url: msgspec.Raw = _NONE
    file_id: msgspec.Raw = _NONE


_TYPED = re.compile(rb'"type"\s*:\s*"(?!item_reference")')
_BODY = msgspec.json.Decoder(_Body)
_RAW = msgspec.json.Decoder(_Raw)
_KIND = msgspec.json.Decoder(_Kind)


class OpenAIResponses:
    """The Responses API. What each method does, `core.ports.Surface` says."""

    name = "openai-responses"
    list_key = "input"
    shape = Shape(strict_turns=False)

    def read(self, body: bytes, path: str = "") -> Request:
        found, source = sourced(_BODY, body)
        held = found.previous_response_id is not None or found.conversation is not None
        if isinstance(found.input, list):
            items = spans(found.input, source, body)
        elif held or found.input is not None:
            items = _one(body) if found.input is not None else Spans(body, [], [])
        else:
            raise Unreadable("the body has no input")
        state = held or any(map(_refers, _short(items)))
        return Request(body, items, word(found.model), state, names=found.names)

    def view(self, item: bytes, limits: Limits) -> View:
        return view_of(item, limits)

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        new = b",".join(part for addition in added for part in _parts_of(addition, items))
        if item is None:
            return b'{"type":"message","role":"user","content":[' + new + b"]}"
        start, literal = content_span(item)
        if not literal:
            return item.rstrip(b" \t\r\n")[:-1] + b',"content":[' + new + b"]}"
        array = literal if literal[:1] == b"[" else b"[" + b"".join(_own_parts(literal)) + b"]"
        return item[:start] + grown(array, new) + item[start + len(literal) :]

    def without_thinking(self, item: bytes) -> bytes:
        return item  # reasoning is an item of its own, which goes with its turn

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        return layout  # its caches are automatic, or move with the newest item

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        calls: dict[str, tuple[str, bytes]] = {}
        found = []
        for item in items:
            read = read_item(item)
            kind, call_id = kind_of(read), call_id_of(read)
            if kind in CALLS:
                calls[call_id] = (word(read.name) or CALLS[kind], written(asked(read)).encode())
            elif kind.endswith("_output") and call_id in calls:
                parts = parts_of(read.output)
                text = joined(parts, 0) if all(map(texts_of, parts)) else normal(item).decode()
                found.append(Exchange(*calls.pop(call_id), same_reminder_apart(text)))
        return found

    def results(self, item: bytes) -> list[Told]:
        return results_of(item)

    def normal(self, item: bytes) -> bytes:
        """A string and a list of one text are the same; a message's type may be left out."""
        if item[:1] == b'"':
            item = b'{"role":"user","content":' + item + b"}"
        found = msgspec.json.decode(normal(item))
        for key in ("content", "output"):
            parts = found.get(key)
            if isinstance(parts, list) and len(parts) == 1 and _is_plain_text(parts[0]):
                found[key] = parts[0]["text"]
        if "role" in found and found.get("type") == "message":
            del found["type"]
        return msgspec.json.encode(found, order="sorted")


def _one(body: bytes) -> Spans:
    """The span of an input that is one string."""
    found, source = sourced(_RAW, body)
    start = offset(found.input, source)
    return Spans(body, [start], [start + len(bytes(found.input))])


def _short(items: Spans) -> Iterator[bytes]:
    """The items that may be a reference: short, and of no other type."""
    sizes = zip(items.starts, items.ends, strict=True)
    for at in [at for at, (start, end) in enumerate(sizes) if end - start <= REFERENCE]:
        if not _TYPED.search(item := items[at]):
            yield item


def _refers(item: bytes) -> bool:
    """Does the item stand for one that the provider holds? Its type may be left out."""
    kind = decoded(_KIND, item) if item[:1] == b"{" else _Kind("string")
    return kind.type in ("item_reference", None) and kind.role is None


def _is_plain_text(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] in ("input_text", "text")


def _text_part(literal: bytes) -> bytes:
    return b'{"type":"input_text","text":' + literal + b"}"


def _own_parts(literal: bytes) -> list[bytes]:
    """The parts of a content as they are written; a string as one part, an empty one as none."""
    if literal[:1] == b"[":
        return elements(literal)
    return [_text_part(literal)] if literal not in (b"", b'""', b"null") else []


def _parts_of(addition: Addition, items: Sequence[bytes]) -> Iterator[bytes]:
    """The parts of an addition, as they are written."""
    match addition:
        case Block(json=text):
            yield _text_part(text)
        case KeptImage(item=item, number=number, label=label):
            yield _text_part(msgspec.json.encode(label))
            yield _images(items[item])[number]
        case Carried():
            yield from _carried(addition, items[addition.item])


def _carried(carried: Carried, item: bytes) -> Iterator[bytes]:
    read = [(part, decoded(_KIND, part)) for part in _own_parts(content_span(item)[1])]
    own = [
        (part, kind.type == "input_image")
        for part, kind in read
        if kind.type == "input_image" or bytes(kind.text) != b'""'
    ]
    return with_dropped(own, carried.dropped, _text_part(b'"[image]"'))


def _images(item: bytes) -> list[bytes]:
    """Every image of an item, as a part that a user message takes."""
    read = decoded(_KIND, item)
    if read.type == "image_generation_call":
        return [_image(b"image_url", _data_url(read))]
    output = bytes(read.output)
    if output[:1] == b"{":
        shot = decoded(_KIND, output)
        return [
            _image(b"image_url", bytes(shot.image_url)) if shot.image_url else _image(b"file_id", bytes(shot.file_id))
        ]
    held = output if output[:1] == b"[" else content_span(item)[1]
    return [part for part in _own_parts(held) if decoded(_KIND, part).type == "input_image"]


def _data_url(read: _Kind) -> bytes:
    """A generated image as the literal of a data URL."""
    kind = word(read.output_format) or "png"
    return b'"data:image/' + msgspec.json.encode(kind)[1:-1] + b";base64," + bytes(read.result)[1:]


def _image(member: bytes, literal: bytes) -> bytes:
    return b'{"type":"input_image","detail":"auto","' + member + b'":' + literal + b"}"
