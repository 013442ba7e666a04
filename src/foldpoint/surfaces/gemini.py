"""Gemini's generateContent: contents of parts, the model named in the path, calls that may come without an id."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage, Layout
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.told import Told
from ..core.transcript import Limits, Shape, View
from .content import Named, grown, parts_span, same_reminder_apart, with_dropped, word
from .gemini_content import Function, Part, read_content
from .gemini_results import results_of
from .gemini_views import view_of, whole
from .paths import model_in
from .spans import decoded, elements, sourced, spans

_SNAKE = re.compile(r"_([a-z])")


class _Asked(Named, gc=False):
    contents: list[msgspec.Raw] | None = None
    model: Any = None
    cachedContent: Any = None
    cached_content: Any = None


class _Body(_Asked, gc=False):
    generateContentRequest: _Asked | None = None
    generate_content_request: _Asked | None = None


_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_BODY = msgspec.json.Decoder(_Body)
_PART = msgspec.json.Decoder(Part)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Gemini:
    """generateContent, streamGenerateContent and countTokens. What each method does, `core.ports.Surface` says."""

    name = "gemini"
    list_key = "contents"
    shape = Shape(strict_turns=True, numbers_calls=True)

    def read(self, body: bytes, path: str = "") -> Request:
        found, source = sourced(_BODY, body)
        asked: _Asked = found.generateContentRequest or found.generate_content_request or found
        if asked.contents is None:
            raise Unreadable("the body has no list of contents")
        state = bool(asked.cachedContent or asked.cached_content)
        items = spans(asked.contents, source, body)
        return Request(body, items, word(asked.model) or model_in(path), state, names=found.names)

    def view(self, item: bytes, limits: Limits) -> View:
        return view_of(item, limits)

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        written = b",".join(part for addition in added for part in _parts_of(addition, items))
        if item is None:
            return b'{"role":"user","parts":[' + written + b"]}"
        start, literal = parts_span(item)
        if not start:
            kept = item.rstrip(b" \t\r\n")[:-1].rstrip(b" \t\r\n")
            return kept + (b"," if kept != b"{" else b"") + b'"parts":[' + written + b"]}"
        array = literal if literal[:1] == b"[" else b"[" + b"".join(elements_of(literal)) + b"]"
        return item[:start] + grown(array, written) + item[start + len(literal) :]

    def without_thinking(self, item: bytes) -> bytes:
        return item  # its thoughts are bound to their parts by signatures, not to what stands before them

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        return layout  # its cache is automatic

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        waiting: list[Function] = []
        found = []
        for item in items:
            for part in read_content(item)[1]:
                if part.call is not None:
                    waiting.append(part.call)
                response = part.response
                call = _asking(waiting, response) if response is not None else None
                if response is not None and call is not None:
                    waiting.remove(call)
                    text, failed = whole(response)
                    text = self.normal(item).decode() if response.parts else same_reminder_apart(text)
                    found.append(Exchange(call.named, bytes(call.args), f"(error) {text}" if failed else text))
        return found

    def results(self, item: bytes) -> list[Told]:
        return results_of(item)

    def normal(self, item: bytes) -> bytes:
        content = decoded(_ANY, item)
        parts = content.get("parts") or [] if isinstance(content, dict) else []
        said = [_spelled(part) for part in (parts if isinstance(parts, list) else [parts])]
        return msgspec.json.encode({**content, "role": content.get("role") or "user", "parts": said}, order="sorted")


def _spelled(part: Any) -> Any:
    """A part with its members, and those of the data in it, in camelCase; what a tool got or said is left as it is."""
    if not isinstance(part, dict):
        return part
    return {_camel(key): _data(inner) if isinstance(inner, dict) else inner for key, inner in part.items()}


def _data(data: dict[str, Any]) -> dict[str, Any]:
    parts = data.get("parts")
    inner = {**data, "parts": [_spelled(part) for part in parts]} if isinstance(parts, list) else data
    return {_camel(key): value for key, value in inner.items()}


def _camel(key: str) -> str:
    return _SNAKE.sub(lambda found: found[1].upper(), key)


def elements_of(literal: bytes) -> list[bytes]:
    """The parts, each as it is written; one part may stand without its list."""
    if literal[:1] == b"[":
        return elements(literal)
    return [literal] if literal[:1] == b"{" else []


def _asking(waiting: list[Function], response: Function) -> Function | None:
    """The call that a response answers: by id, else by name where one of both has none."""
    for call in waiting:
        both = word(call.id) and word(response.id)
        if call.id == response.id if both else call.named == response.named:
            return call
    return None


def _text_part(literal: bytes) -> bytes:
    return b'{"text":' + literal + b"}"


def _parts_of(addition: Addition, items: Sequence[bytes]) -> Iterator[bytes]:
    """The parts of an addition, as they are written."""
    match addition:
        case Block(json=text):
            yield _text_part(text)
        case Carried():
            yield from _own_parts(addition, items[addition.item])
        case KeptImage(item=item, number=number, label=label):
            yield _text_part(msgspec.json.encode(label))
            yield _images(items[item])[number]


def _own_parts(carried: Carried, item: bytes) -> Iterator[bytes]:
    read = [(written, decoded(_PART, written)) for written in elements_of(parts_span(item)[1])]
    own = [(written, part.is_image) for written, part in read if part.response is None and part.text != ""]
    return with_dropped(own, carried.dropped, _text_part(b'"[image]"'))


def _images(item: bytes) -> list[bytes]:
    """Every image of a content: those in results first."""
    in_results, own = [], []
    for written in elements_of(parts_span(item)[1]):
        part = decoded(_PART, written)
        if part.is_image:
            own.append(written)
        elif part.response is not None and part.response.parts:
            members = decoded(_MEMBERS, written)
            holder = bytes(members.get("functionResponse") or members["function_response"])
            inner = elements_of(parts_span(holder)[1])
            in_results += [_lifted(one) for one in inner if decoded(_PART, one).is_image]
    return in_results + own


def _lifted(written: bytes) -> bytes:
    """An image of a result as a part of its own: a part's data may not have every member that a result's may."""
    key, data = next((key, raw) for key, raw in decoded(_MEMBERS, written).items() if key.lower()[-4:] == "data")
    kept = {name: raw for name, raw in decoded(_MEMBERS, bytes(data)).items() if name not in _RESULTS_ONLY}
    return msgspec.json.encode({key: kept})


_RESULTS_ONLY = ("displayName", "display_name")
