"""Where the texts of an item's results stand in it."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from ..core.errors import Unreadable
from ..core.told import Place, Told
from .spans import offset, whole_surrogates

T = TypeVar("T")
_TEXT = msgspec.json.Decoder(str)


def readable(item: bytes) -> bytes:
    """The item, of the same length, without halves of surrogate pairs."""
    return whole_surrogates(item) if b"\\ud" in item or b"\\uD" in item else item


def may_name(item: bytes, *names: bytes) -> bool:
    """Could the item have a member or a value of one of these names? They may be spelled with escapes, too."""
    return any(name in item for name in names) or b"\\u00" in item


def inside(decoder: msgspec.json.Decoder[T], data: bytes | msgspec.Raw) -> T:
    """Decode; what is Raw in it stands in the same bytes as `data`. Raises Unreadable."""
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def first_of(raw: msgspec.Raw) -> bytes:
    """The byte that says what kind of value it is; nothing where the member is not there."""
    return bytes(memoryview(raw)[:1])


def strings(raws: Iterable[msgspec.Raw]) -> list[msgspec.Raw]:
    """Those that are strings."""
    return [raw for raw in raws if first_of(raw) == b'"']


def told(call_id: str, name: str, raws: Iterable[msgspec.Raw], source: bytes) -> Told:
    """A result whose texts are those of the values that are strings."""
    texts = strings(raws)
    return Told(call_id, name, tuple([text_of(raw) for raw in texts]), tuple([place_of(raw, source) for raw in texts]))


def text_of(raw: msgspec.Raw) -> str:
    """The text that a string spells."""
    return inside(_TEXT, raw)


def place_of(raw: msgspec.Raw, source: bytes, lead: bytes = b'"', trail: bytes = b'"') -> Place:
    """Where a value stands in what it was decoded from."""
    start = offset(raw, source)
    return Place(start, start + len(bytes(raw)), lead, trail)
