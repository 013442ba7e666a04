"""A request's messages as parts that a person or a program can read, the same for every surface."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from ..core.errors import Unreadable
from . import parts_bedrock, parts_gemini, parts_responses
from .spans import decoded

Part: TypeAlias = dict[str, Any]
Members: TypeAlias = dict[str, msgspec.Raw]
Names: TypeAlias = dict[str, str]

_MEMBERS = msgspec.json.Decoder(Members)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_ABSENT = msgspec.Raw(b"null")


def parts(surface: str, body: bytes) -> list[dict[str, Any]]:
    """The messages of a body: `[{"role": …, "parts": [{"type": …}, …]}]`; empty where it cannot be read.

    Parts by type: `text` and `thinking` have `text`; `tool_call` has `id`, `name` and `arguments` (JSON text as sent);
    `tool_result` has `id`, `name`, `text` and `error`; `image` has `media_type` and `url` where it is not in the body;
    `other` has `kind`, the provider's own type. An image in a result stands behind it, with the call's id in `result`.
    """
    if surface in _WHOLE:
        return _WHOLE[surface](body)
    read = _READERS.get(surface)
    if read is None:
        return []
    names: Names = {}
    messages = [_members(message) for message in _items(_members(body).get("messages", _ABSENT))]
    return [{"role": _text(message, "role"), "parts": list(read(message, names))} for message in messages]


def _anthropic(message: Members, names: Names) -> Iterator[Part]:
    content = message.get("content", _ABSENT)
    if text := _string(content):
        yield {"type": "text", "text": text}
    for item in _items(content):
        yield from _anthropic_block(_members(item), names)


def _anthropic_block(block: Members, names: Names) -> Iterator[Part]:
    kind = _text(block, "type")
    if kind == "text":
        yield {"type": "text", "text": _text(block, "text")}
    elif kind in ("thinking", "redacted_thinking"):
        yield {"type": "thinking", "text": _text(block, "thinking"), "redacted": kind != "thinking"}
    elif kind == "image":
        yield _anthropic_image(block)
    elif kind.endswith("tool_use"):
        yield _call(_text(block, "id"), _text(block, "name"), _source(block.get("input", _ABSENT)), names)
    elif kind.endswith("tool_result"):
        call = _text(block, "tool_use_id")
        yield _result(call, block, names)
        inner = map(_members, _items(block.get("content", _ABSENT)))
        yield from ({**_anthropic_image(one), "result": call} for one in inner if _text(one, "type") == "image")
    else:
        yield {"type": "other", "kind": kind}


def _anthropic_image(block: Members) -> Part:
    source = _members(block.get("source", _ABSENT))
    return {"type": "image", "media_type": _text(source, "media_type"), "url": _text(source, "url")}


def _openai_chat(message: Members, names: Names) -> Iterator[Part]:
    if _text(message, "role") in ("tool", "function"):
        yield _result(_text(message, "tool_call_id"), message, names)
        return
    if thought := _text(message, "reasoning_content"):
        yield {"type": "thinking", "text": thought, "redacted": False}
    content = message.get("content", _ABSENT)
    if text := _string(content):
        yield {"type": "text", "text": text}
    yield from (_openai_part(_members(item)) for item in _items(content))
    for item in _items(message.get("tool_calls", _ABSENT)):
        call = _members(item)
        function = _members(call.get("function", call.get("custom", _ABSENT)))
        arguments = _text(function, "arguments") or _text(function, "input")
        yield _call(_text(call, "id"), _text(function, "name"), arguments, names)
    if function := _members(message.get("function_call", _ABSENT)):
        yield _call("", _text(function, "name"), _text(function, "arguments"), names)


def _openai_part(part: Members) -> Part:
    kind = _text(part, "type")
    if kind == "text":
        return {"type": "text", "text": _text(part, "text")}
    if kind == "image_url":
        url = _text(_members(part.get("image_url", _ABSENT)), "url")
        inline = url.startswith("data:")
        media_type = url[len("data:") :].partition(";")[0][:100] if inline else ""
        return {"type": "image", "media_type": media_type, "url": "" if inline else url}
    return {"type": "other", "kind": kind}


_WHOLE: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {
    "openai-responses": parts_responses.messages,
    "bedrock": parts_bedrock.messages,
    "gemini": parts_gemini.messages,
}
_READERS: dict[str, Callable[[Members, Names], Iterator[Part]]] = {"anthropic": _anthropic, "openai-chat": _openai_chat}


def _call(id: str, name: str, arguments: str, names: Names) -> Part:
    names[id] = name
    return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}


def _result(id: str, holder: Members, names: Names) -> Part:
    """The result in `content`: a string, or the texts of its parts on lines of their own."""
    content = holder.get("content", _ABSENT)
    texts = [_text(_members(item), "text") for item in _items(content)]
    text = _string(content) or "\n".join(text for text in texts if text)
    name = names.get(id) or _text(holder, "name")
    failed = bytes(holder.get("is_error", _ABSENT)) == b"true"
    return {"type": "tool_result", "id": id, "name": name, "text": text, "error": failed}


def _members(raw: bytes | msgspec.Raw) -> Members:
    """The members of an object; none for anything else."""
    return _decoded(_MEMBERS, raw) or {}


def _items(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """The items of a list; none for anything else."""
    return _decoded(_ITEMS, raw) or []


def _string(raw: bytes | msgspec.Raw) -> str:
    """The string; empty for anything else."""
    return _decoded(_TEXT, raw) or ""


def _text(members: Members, name: str) -> str:
    return _string(members.get(name, _ABSENT))


def _source(raw: msgspec.Raw) -> str:
    """A value as it was sent."""
    return bytes(raw).decode("utf-8", "replace")


def _decoded(decoder: msgspec.json.Decoder[Any], raw: bytes | msgspec.Raw) -> Any:
    try:
        return decoded(decoder, bytes(raw))
    except Unreadable:
        return None
