"""Converse messages as parts that a person or a program can read."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..core.errors import Unreadable
from .spans import decoded

Part = dict[str, Any]
Members = dict[str, msgspec.Raw]

_MESSAGE = msgspec.json.Decoder(Members)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_ABSENT = msgspec.Raw(b"null")


def messages(body: bytes) -> list[dict[str, Any]]:
    """The messages of a body, as `parts.parts` says them; empty where it cannot be read."""
    names: dict[str, str] = {}
    whole = _members(body)
    counted = _members(_members(whole.get("input")).get("converse"))
    found = [_members(message) for message in _items((counted or whole).get("messages"))]
    return [{"role": _said(one.get("role")), "parts": list(_parts(one, names))} for one in found]


def _parts(message: Members, names: dict[str, str]) -> Iterator[Part]:
    for item in _items(message.get("content")):
        for kind, raw in _members(item).items():
            yield from _block(kind, raw, names)


def _block(kind: str, raw: msgspec.Raw, names: dict[str, str]) -> Iterator[Part]:
    value = _members(raw)
    match kind:
        case "text":
            yield {"type": "text", "text": _said(raw)}
        case "toolUse":
            call, name = _said(value.get("toolUseId")), _said(value.get("name"))
            names[call] = name
            written = bytes(value.get("input", _ABSENT)).decode("utf-8", "replace")
            yield {"type": "tool_call", "id": call, "name": name, "arguments": written}
        case "toolResult":
            yield from _result(value, names)
        case "reasoningContent":
            text = _said(_members(value.get("reasoningText")).get("text"))
            yield {"type": "thinking", "text": text, "redacted": "reasoningText" not in value}
        case "image":
            yield _image(value)
        case "citationsContent":
            yield {"type": "text", "text": "".join(_texts(value.get("content")))}
        case "cachePoint":
            return
        case _:
            yield {"type": "other", "kind": kind}


def _result(value: Members, names: dict[str, str]) -> Iterator[Part]:
    """A result, and the images in it."""
    call, content = _said(value.get("toolUseId")), value.get("content")
    failed = _said(value.get("status")) == "error"
    text = "\n".join(text for text in _texts(content) if text)
    yield {"type": "tool_result", "id": call, "name": names.get(call, ""), "text": text, "error": failed}
    inside = [_members(item) for item in _items(content)]
    yield from ({**_image(_members(one["image"])), "result": call} for one in inside if "image" in one)


def _image(value: Members) -> Part:
    source = _members(value.get("source"))
    form = _said(value.get("format"))
    url = _said(_members(source.get("s3Location")).get("uri"))
    return {"type": "image", "media_type": f"image/{form}" if form else "", "url": url}


def _texts(content: msgspec.Raw | None) -> Iterator[str]:
    """The texts of a content; JSON as it was sent."""
    for item in _items(content):
        block = _members(item)
        if "json" in block:
            yield bytes(block["json"]).decode("utf-8", "replace")
        elif "text" in block:
            yield _said(block["text"])


def _members(raw: bytes | msgspec.Raw | None) -> Members:
    return _read(_MESSAGE, raw) or {}


def _items(raw: msgspec.Raw | None) -> list[msgspec.Raw]:
    return _read(_ITEMS, raw) or []


def _said(raw: msgspec.Raw | None) -> str:
    """The string; empty for anything else."""
    value = _read(_ANY, raw)
    return value if isinstance(value, str) else ""


def _read(decoder: msgspec.json.Decoder[Any], raw: bytes | msgspec.Raw | None) -> Any:
    try:
        return None if raw is None else decoded(decoder, bytes(raw))
    except Unreadable:
        return None
