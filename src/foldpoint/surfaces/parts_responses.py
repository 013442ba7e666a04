"""Responses items as the parts that `parts` gives: one message an item."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..core.errors import Unreadable
from .content import word
from .members import image_at
from .responses_items import Item, asked, call_id_of, kind_of, read_item, written
from .responses_views import CALLS, RAN
from .spans import decoded, elements

Part = dict[str, Any]
_TEXTS = ("text", "refusal", "logs", "stdout", "stderr")


class _Input(msgspec.Struct, gc=False):
    input: msgspec.Raw = msgspec.Raw(b"[]")


_INPUT = msgspec.json.Decoder(_Input)
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def messages(body: bytes) -> list[dict[str, Any]]:
    """The items of a body, each with its role and parts; empty where it cannot be read."""
    names: dict[str, str] = {}
    try:
        given = bytes(decoded(_INPUT, body).input)
        return [_message(item, names) for item in (elements(given) if given[:1] == b"[" else [given])]
    except Unreadable:
        return []


def _message(item: bytes, names: dict[str, str]) -> dict[str, Any]:
    read = read_item(item)
    kind = kind_of(read)
    if kind == "message":
        given = decoded(_ANY, item)
        content = given.get("content") if isinstance(given, dict) else given
        return {"role": read.role, "parts": list(_said(content))}
    if kind == "reasoning":
        summary = [word(part.text) for part in read.summary or ()]
        return {"role": "assistant", "parts": [_thought("\n".join(summary))]}
    if kind in CALLS or kind in RAN:
        return {"role": "assistant", "parts": list(_called(read, kind, item, names))}
    if kind.endswith("_output"):
        return {"role": "tool", "parts": list(_answered(read, item, names))}
    return {"role": read.role or "assistant", "parts": [{"type": "other", "kind": kind}]}


def _thought(text: str) -> Part:
    return {"type": "thinking", "text": text, "redacted": not text}


def _said(content: Any) -> Iterator[Part]:
    """The parts of a message's content."""
    if isinstance(content, str) and content:
        yield {"type": "text", "text": content}
    for part in content if isinstance(content, list) else ():
        text = _text(part)
        if text or str(part.get("type")).endswith("text"):
            yield {"type": "text", "text": text}
        else:
            yield _image(part) or {"type": "other", "kind": str(part.get("type"))}


def _text(part: dict[str, Any]) -> str:
    return "\n".join(part[name] for name in _TEXTS if word(part.get(name)))


def _image(part: dict[str, Any]) -> Part | None:
    """An image: its media type where it is in the body, its address where it is not."""
    if part.get("type") not in ("input_image", "computer_screenshot"):
        return None
    return image_at(word(part.get("image_url")))


def _called(read: Item, kind: str, item: bytes, names: dict[str, str]) -> Iterator[Part]:
    """A call; behind one that the provider ran, what came of it."""
    call_id = word(read.id) if kind in RAN else call_id_of(read)
    names[call_id] = word(read.name) or CALLS.get(kind) or RAN[kind]
    yield {"type": "tool_call", "id": call_id, "name": names[call_id], "arguments": written(asked(read))}
    if kind in RAN and (read.output or read.outputs or read.results or read.error is not None):
        yield from _answered(read, item, names)


def _answered(read: Item, item: bytes, names: dict[str, str]) -> Iterator[Part]:
    given = decoded(_ANY, item)
    call_id = call_id_of(read)
    output = next((given[key] for key in ("output", "outputs", "results") if given.get(key)), "")
    held = output if isinstance(output, list) else [output] if isinstance(output, dict) else []
    text = output if isinstance(output, str) else "\n".join(filter(None, map(_text, held)))
    yield {
        "type": "tool_result",
        "id": call_id,
        "name": names.get(call_id) or word(read.name),
        "text": text or word(read.error),
        "error": read.error is not None or read.status == "failed",
    }
    yield from ({**image, "result": call_id} for part in held if (image := _image(part)))
