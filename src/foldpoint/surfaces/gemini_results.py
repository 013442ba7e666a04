"""The caller's tool results in a Gemini content: an object whose strings, or which as a whole, is what is said."""

import msgspec

from ..core.text import bare
from ..core.told import Told
from .content import word
from .gemini_content import Function
from .places import first_of, inside, may_name, place_of, readable, strings, told

_NONE = msgspec.Raw()
BESIDE = 240
"""Bytes that members which are no strings may have beside those that are. Others in place of the strings change nothing
in that, so what was told once is read as it was told."""
_CALLERS = (None, "", "user", "function")
_NOTHING = (b"null", b"false", b'""', b"{}", b"[]")


class _Part(msgspec.Struct, gc=False):
    functionResponse: Function | None = None
    function_response: Function | None = None


class _Content(msgspec.Struct, gc=False):
    role: str | None = None
    parts: list[_Part] | _Part | None = None


_CONTENT = msgspec.json.Decoder(_Content)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def results_of(item: bytes) -> list[Told]:
    """The results in a content, in order. Raises Unreadable."""
    if not may_name(item, b'"functionResponse"', b'"function_response"'):
        return []
    source = readable(item)
    content = inside(_CONTENT, source)
    if content.role not in _CALLERS:
        return []
    parts = [content.parts] if isinstance(content.parts, _Part) else content.parts or []
    responses = [part.functionResponse or part.function_response for part in parts]
    return [_told(response, source) for response in responses if response is not None]


def _told(response: Function, source: bytes) -> Told:
    """Its strings are its texts; where there are none, or much beside them, the whole object is, as it is spelled."""
    name, given = bare(word(response.name)), response.response
    if first_of(given) != b"{":
        return Told(response.key, name, ())
    members = inside(_MEMBERS, given)
    texts = strings(members.values())
    beside = sum([len(bytes(raw)) for raw in members.values() if first_of(raw) != b'"'])
    if not members or (texts and beside <= BESIDE):
        return told(response.key, name, texts, source)
    failed = bytes(members.get("error", b"null")) not in _NOTHING
    place = place_of(given, source, b'{"error":"' if failed else b'{"output":"', b'"}')
    return Told(response.key, name, (bytes(given).decode("utf-8", "replace"),), (place,))
