"""The tool result that a Responses item is: what the client's tools put out."""

from typing import Any

import msgspec

from ..core.text import bare
from ..core.told import Told
from .content import word
from .places import first_of, inside, may_name, readable, told
from .responses_items import by_program

_NONE = msgspec.Raw()
OUTPUTS = frozenset(
    f"{kind}_call_output" for kind in ("function", "custom_tool", "local_shell", "shell", "apply_patch", "computer")
)
"""The items whose texts are a result of the client's. What is not known is not told otherwise."""


class _Item(msgspec.Struct, gc=False):
    type: str | None = None
    call_id: Any = None
    id: Any = None
    name: Any = None
    execution: Any = None
    caller: Any = None
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
    if item[:1] != b"{" or not may_name(item, b'_output"'):
        return []
    source = readable(item)
    found = inside(_ITEM, source)
    if not _of_client(found):
        return []
    texts = _texts(found.output) if found.type in OUTPUTS and not by_program(found.caller) else []
    return [told(word(found.call_id) or word(found.id), bare(word(found.name)), texts, source)]


def _of_client(found: _Item) -> bool:
    """Did the client put it out? What the provider found or ran is no result of the client's."""
    kind = found.type or ""
    if kind == "tool_search_output":
        return found.execution == "client" and word(found.call_id) != ""
    return kind.endswith("_output") and kind != "program_output"


def _texts(output: msgspec.Raw) -> list[msgspec.Raw]:
    if first_of(output) != b"[":
        return [output]
    return [text for part in inside(_PARTS, output) for text in (part.text, part.logs, part.stdout, part.stderr)]
