"""Members of JSON read for a person's eye: what is not as expected reads as nothing."""

from typing import Any, TypeAlias

import msgspec

from ..core.errors import Unreadable
from .spans import decoded

Members: TypeAlias = dict[str, msgspec.Raw]

_MEMBERS = msgspec.json.Decoder(Members)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
ABSENT = msgspec.Raw(b"null")


def members_of(raw: bytes | msgspec.Raw) -> Members:
    """The members of an object; none for anything else."""
    return _decoded(_MEMBERS, raw) or {}


def items_of(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """The items of a list; none for anything else."""
    return _decoded(_ITEMS, raw) or []


def string(raw: bytes | msgspec.Raw) -> str:
    """The string; empty for anything else."""
    return _decoded(_TEXT, raw) or ""


def member(members: Members, name: str) -> msgspec.Raw:
    """A member; null where there is none."""
    return members.get(name, ABSENT)


def text_of(members: Members, name: str) -> str:
    """A member that is a string; empty for anything else."""
    return string(member(members, name))


def as_sent(raw: msgspec.Raw) -> str:
    """A value as it was sent."""
    return bytes(raw).decode("utf-8", "replace")


def image_at(url: str) -> dict[str, Any]:
    """The part that says an image: its media type where it is in the body, its address where it is not."""
    inline = url.startswith("data:")
    media_type = url[len("data:") :].partition(";")[0][:100] if inline else ""
    return {"type": "image", "media_type": media_type, "url": "" if inline else url}


def _decoded(decoder: msgspec.json.Decoder[Any], raw: bytes | msgspec.Raw) -> Any:
    try:
        return decoded(decoder, bytes(raw))
    except Unreadable:
        return None
