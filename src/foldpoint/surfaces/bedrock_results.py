"""The caller's tool results in a Converse message; JSON becomes a text when it is told otherwise."""

from typing import Any

import msgspec

from ..core.told import Told
from .content import word
from .places import first_of, inside, may_name, place_of, readable, text_of

_NONE = msgspec.Raw()


class _Result(msgspec.Struct, gc=False, rename="camel"):
    tool_use_id: Any = None
    content: list[msgspec.Raw] | None = None


class _Block(msgspec.Struct, gc=False, rename="camel"):
    tool_result: _Result | None = None


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: list[_Block] = []


class _Inner(msgspec.Struct, gc=False):
    text: msgspec.Raw = _NONE
    json: msgspec.Raw = _NONE


_MESSAGE = msgspec.json.Decoder(_Message)
_INNER = msgspec.json.Decoder(_Inner)


def results_of(item: bytes) -> list[Told]:
    """The results in a message, in order. Raises Unreadable."""
    if not may_name(item, b'"toolResult"'):
        return []
    source = readable(item)
    message = inside(_MESSAGE, source)
    if message.role != "user":
        return []
    return [_told(block.tool_result, source) for block in message.content if block.tool_result is not None]


def _told(result: _Result, source: bytes) -> Told:
    texts, places = [], []
    for block in result.content or ():
        inner = inside(_INNER, block)
        if first_of(inner.text) == b'"':
            texts.append(text_of(inner.text))
            places.append(place_of(inner.text, source))
        elif inner.json:
            texts.append(bytes(inner.json).decode("utf-8", "replace"))
            places.append(place_of(block, source, b'{"text":"', b'"}'))
    return Told(word(result.tool_use_id), "", tuple(texts), tuple(places))
