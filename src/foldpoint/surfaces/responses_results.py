"""The tool result that a Responses item is: what the client's tools put out."""

from typing import Any

import msgspec

from ..core.text import bare
from ..core.told import Told
from .content import word
from .places import first_of, inside, readable, told

_NONE = msgspec.Raw()
OUTPUTS = frozenset(
    f"{kind}_call_output" for kind in ("function", "custom_tool", "local_shell", "shell", "apply_patch", "computer")
)
"""The items whose texts are a result of the client's."""


class _Item(msgspec.Struct, gc=False):
    type: str | None = None
    call_id: Any = None
    id: Any = None
    name: Any = None
    output: msgspec.Raw = _NONE


class _Part(msgspec.Struct, gc=False):
    text: msgspec.Raw = _NONE
    logs: msgspec.Raw = _NONE
    stdout: msgspec.Raw = _NONE
    stderr: msgspec.Raw = _NONE


_ITEM = msgspec.json.Decoder(_Item)
_PARTS = msgspec.json.Decoder(list[_Part])


def results_of(item: bytes) -> list[Told]:
    """The result that the item is, if it is one. Raises Unreadable."""
    if b'_output"' not in item or item[:1] != b"{":
        return []
    source = readable(item)
    found = inside(_ITEM, source)
    if found.type not in OUTPUTS:
        return []
    return [told(word(found.call_id) or word(found.id), bare(word(found.name)), _texts(found.output), source)]


def _texts(output: msgspec.Raw) -> list[msgspec.Raw]:
    if first_of(output) != b"[":
        return [output]
    return [text for part in inside(_PARTS, output) for text in (part.text, part.logs, part.stdout, part.stderr)]
