"""Items of a Responses input: what is decoded of them, and how their texts are read."""

from typing import Any

import msgspec

from ..core.text import bare, weight
from ..core.transcript import IMAGE_SIZE
from .content import arguments, heads, word
from .spans import decoded

_NONE = msgspec.Raw()
ARGUMENTS = ("arguments", "input", "action", "actions", "operation", "queries", "code")
"""Members that say what a call asks for; an item has one of them."""


class Part(msgspec.Struct, gc=False):
    """A part of a content, of an output or of a list of results."""

    type: str = ""
    text: Any = None
    refusal: Any = None
    stdout: Any = None
    stderr: Any = None
    logs: Any = None
    outcome: Any = None
    file_data: Any = None
    cache_control: Any = None
    prompt_cache_breakpoint: Any = None


class Item(msgspec.Struct, gc=False):
    """An item; which members it has depends on its type. A message may leave its type out."""

    type: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None
    id: Any = None
    call_id: Any = None
    name: Any = None
    arguments: msgspec.Raw = _NONE
    input: msgspec.Raw = _NONE
    action: msgspec.Raw = _NONE
    actions: msgspec.Raw = _NONE
    operation: msgspec.Raw = _NONE
    queries: msgspec.Raw = _NONE
    code: msgspec.Raw = _NONE
    output: str | list[Part] | dict[str, msgspec.Raw] | None = None
    outputs: list[Part] | None = None
    results: list[Part] | None = None
    result: msgspec.Raw = _NONE
    summary: list[Part] | None = None
    status: Any = None
    error: Any = None
    execution: Any = None
    caller: Any = None
    approve: Any = None
    reason: Any = None
    approval_request_id: Any = None
    cache_control: Any = None
    prompt_cache_breakpoint: Any = None


_ITEM = msgspec.json.Decoder(Item)
_TEXT = msgspec.json.Decoder(str)


def read_item(item: bytes) -> Item:
    """The item; an input that is one string is a message of the user. Raises Unreadable."""
    if item[:1] == b'"':
        return Item(type="message", role="user", content=decoded(_TEXT, item))
    return decoded(_ITEM, item)


def kind_of(item: Item) -> str:
    """Its type; `message` where it has a role alone."""
    return item.type or ("message" if item.role else "")


def call_id_of(item: Item) -> str:
    """What pairs a call with its output: `call_id`, or the item's own id where the type has no other."""
    return word(item.call_id) or word(item.id)


def by_program(caller: Any) -> bool:
    """Did a program of the provider's call, which reads the output itself?"""
    return isinstance(caller, dict) and caller.get("type") == "program"


def written(raw: msgspec.Raw) -> str:
    """What a call asks for: a text as the text it is, anything else as it is spelled."""
    data = bytes(raw)
    return decoded(_TEXT, data) if data[:1] == b'"' else "" if data == b"null" else data.decode("utf-8", "replace")


def asked(item: Item) -> msgspec.Raw:
    """The member that says what the call asks for."""
    return next((raw for name in ARGUMENTS if (raw := getattr(item, name))), _NONE)


def head_of(raw: msgspec.Raw, limit: int) -> str:
    """As much of what a call asks for as a line may need."""
    return written(raw) if bytes(raw)[:1] == b'"' else "" if bytes(raw) == b"null" else arguments(raw, limit)


def weight_of(raw: msgspec.Raw) -> int:
    """Bytes of what a call asks for."""
    data = bytes(raw)
    return weight(decoded(_TEXT, data)) if data[:1] == b'"' else 0 if data == b"null" else len(data)


def parts_of(content: str | list[Part] | dict[str, msgspec.Raw] | None, kind: str = "input_text") -> list[Part]:
    """The parts of a content or an output; a string is one text, a screenshot one image."""
    if isinstance(content, str):
        return [Part(type=kind, text=content)]
    if isinstance(content, dict):
        return [Part(type="input_image")]
    return content or []


def texts_of(part: Part) -> list[str]:
    """The texts that a part says."""
    given = (part.text, part.refusal, part.logs, part.stdout, part.stderr)
    return [text for text in given if isinstance(text, str)]


def size_of(part: Part) -> int:
    """Bytes of what a part says; of a file at most its payload."""
    if part.type == "input_image":
        return IMAGE_SIZE
    return sum([weight(text) for text in texts_of(part)]) + weight(word(part.file_data))


def said_by(part: Part) -> str:
    """What a line says of a part: its texts, or its kind in brackets."""
    texts = texts_of(part)
    if texts:
        return " ".join([text for text in texts if text])
    return {"input_image": "[image]", "input_file": "[document]"}.get(part.type) or f"[{bare(part.type)}]"


def joined(parts: list[Part], limit: int) -> str:
    """The texts of parts as far as a line may need them; 0 = all."""
    return " ".join(heads(map(said_by, parts), limit))
