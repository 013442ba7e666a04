"""What several surfaces read alike: where a content stands, marks, and an item in one spelling for digests."""

from typing import Any

import msgspec

from ..core.ports import Names
from ..core.text import READ_AHEAD
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


def arguments(raw: msgspec.Raw, limit: int) -> str:
    """As much of a call's arguments, as they are written, as a line may need."""
    return bytes(raw)[: limit * 2 * READ_AHEAD].decode("utf-8", "ignore")


def marked(value: object) -> bool:
    """Is a member that is a cache breakpoint set?"""
    return value is not None


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
