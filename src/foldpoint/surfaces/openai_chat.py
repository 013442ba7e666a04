"""OpenAI chat completions: results are messages of their own, a user message's text is one string."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage, Layout
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.text import bare, called, observed, result_head, said, spelled, weight
from ..core.told import Told
from ..core.transcript import (
    BLOCK_SIZE,
    IMAGE_SIZE,
    MESSAGE_SIZE,
    Call,
    Limits,
    Role,
    Shape,
    View,
    action_view,
    result_of,
    result_view,
)
from .chat_results import results_of
from .content import Named, content_span, grown, heads, marked, normal, same_reminder_apart, with_dropped, word
from .spans import decoded, elements, sourced, spans


class _Function(msgspec.Struct, gc=False):
    name: Any = None
    arguments: Any = None
    input: Any = None


class _ToolCall(msgspec.Struct, gc=False):
    id: Any = None
    function: _Function | None = None
    custom: _Function | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: Any = None
    refusal: Any = None
    cache_control: Any = None
    prompt_cache_breakpoint: Any = None


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: str | list[_Part] | None = None
    tool_calls: list[_ToolCall] | None = None
    function_call: _Function | None = None
    tool_call_id: Any = None
    name: Any = None
    refusal: Any = None
    reasoning_content: Any = None
    cache_control: Any = None


class _Body(Named, gc=False):
    messages: list[msgspec.Raw]
    model: Any = None


_BODY = msgspec.json.Decoder(_Body)
_MESSAGE = msgspec.json.Decoder(_Message)
_PART = msgspec.json.Decoder(_Part)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


class OpenAIChat:
    """The chat completions API, and what speaks it. What each method does, `core.ports.Surface` says."""

    name = "openai-chat"
    list_key = "messages"
    shape = Shape(strict_turns=False)

    def read(self, body: bytes, path: str = "") -> Request:
        found, source = sourced(_BODY, body)
        items = spans(found.messages, source, body)
        return Request(body, items, word(found.model), names=found.names)

    def view(self, item: bytes, limits: Limits) -> View:
        message = decoded(_MESSAGE, item)
        role = _ROLES.get(message.role)
        if role is None:
            raise Unreadable(f"a message has the role {message.role!r}: {', '.join(_ROLES)} are known")
        parts = _parts(message.content)
        if role == "assistant":
            return _assistant(message, parts, limits)
        size = MESSAGE_SIZE + len(word(message.tool_call_id)) + sum(map(_size, parts))
        is_marked = marked(message.cache_control) or any(map(_marked, parts))
        if role == "tool":
            return _tool(message, parts, size, is_marked, limits)
        if role == "system":
            return View(role="system", size=size, own=size, marked=is_marked)
        return _user(item, parts, size, is_marked, limits)

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        if item is None:
            return b'{"role":"user","content":' + _grown(b"", added, items) + b"}"
        start, literal = content_span(item)
        if not literal:
            return item.rstrip(b" \t\r\n")[:-1] + b',"content":' + _grown(b"", added, items) + b"}"
        return item[:start] + _grown(literal, added, items) + item[start + len(literal) :]

    def without_thinking(self, item: bytes) -> bytes:
        return item  # no server of this format binds what it thought to its prefix

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        return layout  # its caches are automatic, or exact to the token

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        asked: dict[str, tuple[str, bytes]] = {}
        found = []
        for item in items:
            message = decoded(_MESSAGE, item)
            for call_id, function in _calls(message):
                asked[call_id] = (word(function.name), word(function.arguments or function.input).encode())
            call_id = word(message.tool_call_id) or word(message.name)
            if _ROLES.get(message.role) == "tool" and call_id in asked:
                parts = _parts(message.content)
                plain = all(isinstance(_text(part), str) for part in parts)
                text = " ".join(_texts(parts, 0)) if plain else normal(item).decode()
                found.append(Exchange(*asked.pop(call_id), same_reminder_apart(text)))
        return found

    def results(self, item: bytes) -> list[Told]:
        return results_of(item)

    def normal(self, item: bytes) -> bytes:
        return normal(item)


def _parts(content: str | list[_Part] | None) -> list[_Part]:
    """The parts of a content; a string is one text, null is none."""
    if isinstance(content, str):
        return [_Part(type="text", text=content)]
    return content or []


def _read(part: bytes) -> _Part:
    return decoded(_PART, part)


def _text(part: _Part) -> Any:
    """What the part says; a text where it is one."""
    return part.refusal if part.text is None else part.text


def _size(part: _Part) -> int:
    return BLOCK_SIZE + (IMAGE_SIZE if part.type == "image_url" else weight(word(_text(part))))


def _marked(part: _Part) -> bool:
    return marked(part.cache_control) or marked(part.prompt_cache_breakpoint)


def _texts(parts: list[_Part], limit: int) -> list[str]:
    """The texts as far as a line may need them, what is not text as its kind in brackets."""
    return heads([_text(part) if isinstance(_text(part), str) else _kind(part) for part in parts], limit)


def _kind(part: _Part) -> str:
    return "[image]" if part.type == "image_url" else f"[{bare(part.type)}]"


def _calls(message: _Message) -> list[tuple[str, _Function]]:
    """(id, function) of every call; the legacy single call has no id of its own, its name stands for one."""
    calls = [(word(call.id), call.function or call.custom or _Function()) for call in message.tool_calls or ()]
    if message.function_call:
        calls.append((word(message.function_call.name), message.function_call))
    return calls


def _tool(message: _Message, parts: list[_Part], size: int, is_marked: bool, limits: Limits) -> View:
    head = result_head(limits.told(" ".join(_texts(parts, limits.reach))), False)
    images = sum([part.type == "image_url" for part in parts])
    call_id, name = word(message.tool_call_id), bare(word(message.name))
    return result_view("tool", size, result_of(call_id or name, head, name, images), is_marked)


def _assistant(message: _Message, parts: list[_Part], limits: Limits) -> View:
    size = MESSAGE_SIZE + sum(map(_size, parts))
    thinking = weight(word(message.reasoning_content))
    size += BLOCK_SIZE + thinking if thinking else 0
    lines = [said(word(_text(part)), limits.verbatim) for part in parts]
    lines.append(said(word(message.refusal), limits.verbatim))
    calls = []
    for call_id, function in _calls(message):
        written = word(function.arguments or function.input)
        size += BLOCK_SIZE + len(call_id) + len(word(function.name)) + weight(written)
        calls.append(Call(call_id, bare(word(function.name))))
        lines.append(called(call_id, word(function.name), written, limits.arguments))
    return action_view(size, lines, calls, [], marked(message.cache_control) or any(map(_marked, parts)))


def _user(item: bytes, parts: list[_Part], size: int, is_marked: bool, limits: Limits) -> View:
    lines = [
        observed(_text(part), limits.verbatim, limits.told) if isinstance(_text(part), str) else _kind(part)
        for part in parts
    ]
    line = " | ".join([each for each in lines if each])
    return View(
        role="user",
        size=size,
        line=spelled(line),
        own=size - MESSAGE_SIZE,
        own_images=sum(part.type == "image_url" for part in parts),
        marked=is_marked,
        alone=bool(decoded(_MEMBERS, item).keys() - {"role", "content"}),
    )


def _grown(literal: bytes, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
    """A content with additions behind it: a string stays a string until something that is no text comes."""
    if literal[:1] == b"[":
        return grown(literal, b",".join([part for addition in added for part in _parts_of(addition, items)]))
    texts: list[bytes] = [literal[1:-1]] if literal not in (b"", b'""', b"null") else []
    parts: list[bytes] = []
    for addition in added:
        inner = None if parts else _inner(addition, items)
        if inner is None:
            parts += _parts_of(addition, items)
        else:
            texts.append(inner)
    string = b'"' + rb"\n\n".join(texts) + b'"'
    return b"[" + b",".join([_text_part(string), *parts] if texts else parts) + b"]" if parts else string


def _inner(addition: Addition, items: Sequence[bytes]) -> bytes | None:
    """The inside of a JSON string that says the addition, or None where it is more than a text."""
    if isinstance(addition, Block):
        return addition.json[1:-1]
    if isinstance(addition, Carried):
        literal = content_span(items[addition.item])[1]
        if literal[:1] == b'"':
            return _lead(addition).encode() + literal[1:-1]
    return None


def _lead(carried: Carried) -> str:
    return f"[user message of turn {carried.turn}]\\n"


def _parts_of(addition: Addition, items: Sequence[bytes]) -> list[bytes]:
    match addition:
        case Block(json=text):
            return [_text_part(text)]
        case KeptImage(item=item, number=number, label=label):
            images = [part for part in _written(items[item]) if _read(part).type == "image_url"]
            return [_text_part(msgspec.json.encode(label)), images[number]]
        case Carried():
            return _carried_parts(addition, items)


def _carried_parts(carried: Carried, items: Sequence[bytes]) -> list[bytes]:
    read = [(written, _read(written)) for written in _written(items[carried.item])]
    own = [(written, part.type == "image_url") for written, part in read if part.text != ""]
    return list(with_dropped(own, carried.dropped, _text_part(b'"[image]"')))


def _written(item: bytes) -> list[bytes]:
    """The parts of a message as they are written; a string as one part."""
    literal = content_span(item)[1]
    if literal[:1] == b"[":
        return elements(literal)
    return [_text_part(literal)] if literal not in (b"", b'""', b"null") else []


def _text_part(literal: bytes) -> bytes:
    return b'{"type":"text","text":' + literal + b"}"
