"""What several surfaces read and write alike: contents, marks, and an item in one spelling for digests."""

from collections.abc import Collection, Iterable, Iterator
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


class _Content(msgspec.Struct, gc=False):
    parts: msgspec.Raw = msgspec.Raw()


_MESSAGE = msgspec.json.Decoder(_Message)
_CONTENT = msgspec.json.Decoder(_Content)


def content_span(item: bytes) -> tuple[int, bytes]:
    """Where a message's content begins in the item, and its bytes; (0, b"") where it has none."""
    message, source = sourced(_MESSAGE, item)
    return _span(message.content, source, item)


def parts_span(item: bytes) -> tuple[int, bytes]:
    """The same of the parts of one of Gemini's contents."""
    content, source = sourced(_CONTENT, item)
    return _span(content.parts, source, item)


def _span(raw: msgspec.Raw, source: bytes, item: bytes) -> tuple[int, bytes]:
    if not raw:
        return 0, b""
    start = offset(raw, source)
    return start, item[start : start + len(bytes(raw))]


def grown(array: bytes, added: bytes) -> bytes:
    """A JSON array with elements behind its own, which stay as they are written."""
    kept = array[:-1].rstrip(b" \t\r\n")
    return kept + (b"," if kept != b"[" and added else b"") + added + b"]"


def with_dropped(blocks: Iterable[tuple[bytes, bool]], dropped: Collection[int], instead: bytes) -> Iterator[bytes]:
    """The blocks of (block, is it an image), with another in place of each image whose number is in `dropped`."""
    images = -1
    for block, is_image in blocks:
        images += is_image
        yield instead if is_image and images in dropped else block


class Named(msgspec.Struct, kw_only=True, gc=False):
    """A body's members that may name its session, whatever the format."""

    session_id: Any = None
    user: Any = None
    metadata: Any = None
    prompt_cache_key: Any = None

    @property
    def names(self) -> Names:
        """The same, as they are."""
        return Names(self.session_id, self.user, self.metadata, self.prompt_cache_key)


def word(value: Any) -> str:
    """The value where it is a text, else nothing."""
    return value if isinstance(value, str) else ""


def heads(texts: Iterable[str], limit: int) -> list[str]:
    """The texts as far as a line of `limit` characters may need them; 0 = whole."""
    found, left = [], limit * READ_AHEAD + 1
    for text in texts:
        found.append(text[:left] if limit else text)
        left = max(0, left - len(text))
    return found


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
