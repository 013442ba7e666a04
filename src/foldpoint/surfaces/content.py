"""JSON values that several surfaces read alike: texts by their literal, and an item in one spelling for digests."""

from typing import Any

import msgspec

from ..core.ports import Names
from .spans import decoded, offset, sourced

_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
MARKS = ("cache_control", "prompt_cache_breakpoint")
"""Members that are a cache breakpoint."""


class _Message(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()


_MESSAGE = msgspec.json.Decoder(_Message)


def content_span(item: bytes) -> tuple[int, bytes]:
    """Where a message's content begins in the item, and its bytes; (0, b"") where it has none."""
    message, source = sourced(_MESSAGE, item)
    if not message.content:
        return 0, b""
    start = offset(message.content, source)
    return start, item[start : start + len(bytes(message.content))]


def names_of(body: Any) -> Names:
    """The members of a body that may name its session."""
    return Names(body.session_id, body.user, body.metadata, body.prompt_cache_key)


def reach(limit: int) -> int:
    """Characters to read of a text of which a line carries `limit`; 0 = all."""
    return limit * 4


def arguments(raw: msgspec.Raw, limit: int) -> str:
    """The beginning of a call's arguments, as they are written."""
    return bytes(raw)[: reach(limit) * 2].decode("utf-8", "ignore")


def marked(raw: msgspec.Raw) -> bool:
    """Is the member a cache breakpoint that is set?"""
    return bool(raw) and bytes(raw) != b"null"


def normal(item: bytes) -> bytes:
    """The item without cache marks, with sorted members, and a list of one text as that text."""
    return msgspec.json.encode(_normal(decoded(_ANY, item)), order="sorted")


def _normal(value: Any) -> Any:
    if isinstance(value, list):
        return [_normal(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {key: _normal(inner) for key, inner in value.items() if key not in MARKS}
    content = found.get("content")
    if isinstance(content, list) and len(content) == 1 and _is_plain_text(content[0]):
        found["content"] = content[0]["text"]
    return found


def _is_plain_text(block: Any) -> bool:
    return isinstance(block, dict) and block.keys() == {"type", "text"} and block["type"] == "text"


def same_reminder_apart(text: str) -> str:
    """A result's text without a `<system-reminder>` that the client hung behind it."""
    start = text.rfind("<system-reminder>")
    return text[:start].rstrip() if start >= 0 and text.rstrip().endswith("</system-reminder>") else text
