"""Converse messages as parts that a person or a program can read."""

from collections.abc import Iterator
from typing import Any

import msgspec

from .members import Members, as_sent, items_of, member, members_of, string, text_of

Part = dict[str, Any]


def messages(body: bytes) -> list[dict[str, Any]]:
    """The messages of a body, as `parts.parts` says them; empty where it cannot be read."""
    names: dict[str, str] = {}
    whole = members_of(body)
    counted = members_of(member(members_of(member(whole, "input")), "converse"))
    found = [members_of(message) for message in items_of(member(counted or whole, "messages"))]
    return [{"role": text_of(one, "role"), "parts": list(_parts(one, names))} for one in found]


def _parts(message: Members, names: dict[str, str]) -> Iterator[Part]:
    for item in items_of(member(message, "content")):
        for kind, raw in members_of(item).items():
            yield from _block(kind, raw, names)


def _block(kind: str, raw: msgspec.Raw, names: dict[str, str]) -> Iterator[Part]:
    value = members_of(raw)
    match kind:
        case "text":
            yield {"type": "text", "text": string(raw)}
        case "toolUse":
            call, name = text_of(value, "toolUseId"), text_of(value, "name")
            names[call] = name
            written = as_sent(member(value, "input"))
            yield {"type": "tool_call", "id": call, "name": name, "arguments": written}
        case "toolResult":
            yield from _result(value, names)
        case "reasoningContent":
            text = text_of(members_of(member(value, "reasoningText")), "text")
            yield {"type": "thinking", "text": text, "redacted": "reasoningText" not in value}
        case "image":
            yield _image(value)
        case "citationsContent":
            yield {"type": "text", "text": "".join(_texts(member(value, "content")))}
        case "cachePoint":
            return
        case _:
            yield {"type": "other", "kind": kind}


def _result(value: Members, names: dict[str, str]) -> Iterator[Part]:
    """A result, and the images in it."""
    call, content = text_of(value, "toolUseId"), member(value, "content")
    failed = text_of(value, "status") == "error"
    text = "\n".join(text for text in _texts(content) if text)
    yield {"type": "tool_result", "id": call, "name": names.get(call, ""), "text": text, "error": failed}
    inside = [members_of(item) for item in items_of(content)]
    yield from ({**_image(members_of(one["image"])), "result": call} for one in inside if "image" in one)


def _image(value: Members) -> Part:
    source = members_of(member(value, "source"))
    form = text_of(value, "format")
    url = text_of(members_of(member(source, "s3Location")), "uri")
    return {"type": "image", "media_type": f"image/{form}" if form else "", "url": url}


def _texts(content: msgspec.Raw) -> Iterator[str]:
    """The texts of a content; JSON as it was sent."""
    for item in items_of(content):
        block = members_of(item)
        if "json" in block:
            yield as_sent(block["json"])
        elif "text" in block:
            yield string(block["text"])
