"""The tool result that a chat message is: of the role `tool`, or the older `function`."""

from typing import Any

import msgspec

from ..core.text import bare
from ..core.told import Told
from .content import word
from .places import first_of, inside, may_name, readable, told

_NONE = msgspec.Raw()


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    tool_call_id: Any = None
    name: Any = None
    content: msgspec.Raw = _NONE


class _Part(msgspec.Struct, gc=False):
    text: msgspec.Raw = _NONE


_MESSAGE = msgspec.json.Decoder(_Message)
_PARTS = msgspec.json.Decoder(list[_Part])


def results_of(item: bytes) -> list[Told]:
    """The result that the message is, if it is one. Raises Unreadable."""
    if not may_name(item, b'"tool"', b'"function"'):
        return []
    source = readable(item)
    message = inside(_MESSAGE, source)
    if message.role not in ("tool", "function"):
        return []
    content = message.content
    texts = [part.text for part in inside(_PARTS, content)] if first_of(content) == b"[" else [content]
    name = bare(word(message.name))
    return [told(word(message.tool_call_id) or name, name, texts, source)]
