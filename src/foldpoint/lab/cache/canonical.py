"""The canonical bytes of the parts of a prompt, the same on every surface."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from .segment import IMAGE_BYTES, Segment

HEADER_BYTES = 16
"""What the frame of a block counts."""


def header(label: str) -> bytes:
    """The frame in front of a block: who speaks and what kind it is."""
    return f"\n[{label}]".encode()[:HEADER_BYTES].ljust(HEADER_BYTES, b".")


def text_bytes(text: str) -> bytes:
    """UTF-8; half a surrogate pair is kept as it is."""
    return text.encode("utf-8", "surrogatepass")


def compact(value: object) -> bytes:
    """JSON without blanks, keys in their order, no ASCII escapes."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError):
        return text_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The object without some members."""
    return {key: member for key, member in value.items() if key not in keys}


def digest(value: bytes) -> bytes:
    """16 hex characters that stand for something the model isn't given as text."""
    return blake2b(value, digest_size=8).hexdigest().encode()


def picture(value: object) -> bytes:
    """What stands for an image or a document: its digest, as long as an image counts."""
    return digest(compact(value)).ljust(IMAGE_BYTES, b".")


def tools(declared: Iterable[Mapping[str, Any]]) -> Iterator[Segment]:
    """One segment a tool (Gemini: a set of tools), where no mark stands on one and none is left out."""
    for tool in declared:
        yield Segment(header("tool") + compact(tool))
