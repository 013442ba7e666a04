"""A request's messages as parts that a person or a program can read, the same for every surface."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from . import parts_bedrock, parts_gemini, parts_responses
from .members import Members, as_sent, image_at, items_of, member, members_of, string, text_of

Part: TypeAlias = dict[str, Any]
Names: TypeAlias = dict[str, str]


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
    messages = [members_of(message) for message in items_of(member(members_of(body), "messages"))]
    return [{"role": text_of(message, "role"), "parts": list(read(message, names))} for message in messages]


def _anthropic(message: Members, names: Names) -> Iterator[Part]:
    content = member(message, "content")
    if text := string(content):
        yield {"type": "text", "text": text}
    for item in items_of(content):
        yield from _anthropic_block(members_of(item), names)


def _anthropic_block(block: Members, names: Names) -> Iterator[Part]:
    kind = text_of(block, "type")
    if kind == "text":
        yield {"type": "text", "text": text_of(block, "text")}
    elif kind in ("thinking", "redacted_thinking"):
        yield {"type": "thinking", "text": text_of(block, "thinking"), "redacted": kind != "thinking"}
    elif kind == "image":
        yield _anthropic_image(block)
    elif kind.endswith("tool_use"):
        yield _call(text_of(block, "id"), text_of(block, "name"), as_sent(member(block, "input")), names)
    elif kind.endswith("tool_result"):
        call = text_of(block, "tool_use_id")
        yield _result(call, block, names)
        inner = map(members_of, items_of(member(block, "content")))
        yield from ({**_anthropic_image(one), "result": call} for one in inner if text_of(one, "type") == "image")
    else:
        yield {"type": "other", "kind": kind}


def _anthropic_image(block: Members) -> Part:
    source = members_of(member(block, "source"))
    return {"type": "image", "media_type": text_of(source, "media_type"), "url": text_of(source, "url")}


def _openai_chat(message: Members, names: Names) -> Iterator[Part]:
    if text_of(message, "role") in ("tool", "function"):
        yield _result(text_of(message, "tool_call_id"), message, names)
        return
    if thought := text_of(message, "reasoning_content"):
        yield {"type": "thinking", "text": thought, "redacted": False}
    content = member(message, "content")
    if text := string(content):
        yield {"type": "text", "text": text}
    yield from (_openai_part(members_of(item)) for item in items_of(content))
    for item in items_of(member(message, "tool_calls")):
        call = members_of(item)
        function = members_of(call.get("function", member(call, "custom")))
        arguments = text_of(function, "arguments") or text_of(function, "input")
        yield _call(text_of(call, "id"), text_of(function, "name"), arguments, names)
    if function := members_of(member(message, "function_call")):
        yield _call("", text_of(function, "name"), text_of(function, "arguments"), names)


def _openai_part(part: Members) -> Part:
    kind = text_of(part, "type")
    if kind == "text":
        return {"type": "text", "text": text_of(part, "text")}
    if kind == "image_url":
        return image_at(text_of(members_of(member(part, "image_url")), "url"))
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
    content = member(holder, "content")
    texts = [text_of(members_of(item), "text") for item in items_of(content)]
    text = string(content) or "\n".join(text for text in texts if text)
    name = names.get(id) or text_of(holder, "name")
    failed = bytes(member(holder, "is_error")) == b"true"
    return {"type": "tool_result", "id": id, "name": name, "text": text, "error": failed}
