"""The caller's tool results in an Anthropic message: blocks of a user message."""

from typing import Any

import msgspec

from ..core.told import Told
from .content import word
from .places import first_of, inside, may_name, readable, told

_NONE = msgspec.Raw()


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: msgspec.Raw = _NONE


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    tool_use_id: Any = None
    content: msgspec.Raw = _NONE


class _Inner(msgspec.Struct, gc=False):
    type: str = ""
    text: msgspec.Raw = _NONE


_MESSAGE = msgspec.json.Decoder(_Message)
_BLOCKS = msgspec.json.Decoder(list[_Block])
_INSIDE = msgspec.json.Decoder(list[_Inner])


def results_of(item: bytes) -> list[Told]:
    """The results in a message, in order. Raises Unreadable."""
    if not may_name(item, b'"tool_result"'):
        return []
    source = readable(item)
    message = inside(_MESSAGE, source)
    if message.role != "user" or first_of(message.content) != b"[":
        return []
    blocks = inside(_BLOCKS, message.content)
    return [
        told(word(block.tool_use_id), "", _texts(block.content), source)
        for block in blocks
        if block.type == "tool_result"
    ]


def _texts(content: msgspec.Raw) -> list[msgspec.Raw]:
    if first_of(content) != b"[":
        return [content]
    return [each.text for each in inside(_INSIDE, content) if each.type == "text"]
