"""Python objects of a framework as the bytes that a surface reads, and back."""

import json
from base64 import b64decode
from typing import Any

import msgspec

BLOBS = {"bytes", "redactedContent"}
"""Members of Converse messages that are bytes in Python and base64 in JSON."""


def as_item(message: Any) -> bytes:
    """One message as compact JSON. Objects with `model_dump` (pydantic) are taken as what they dump.

    Raises TypeError for what is no JSON.
    """
    try:
        return msgspec.json.encode(message, enc_hook=_dumped)
    except UnicodeEncodeError:
        return json.dumps(message, default=_dumped, separators=(",", ":")).encode()


def _dumped(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"a {type(value).__name__} in a message is no JSON; hand over dicts, lists, texts and numbers")
    return dump(mode="json", exclude_none=True)


def as_object(item: bytes, blobs: bool = False) -> Any:
    """The message that the bytes say; `blobs`: base64 in members that boto3 has as bytes is read."""
    return json.loads(item, object_hook=_with_bytes if blobs else None)


def holds_bytes(value: Any) -> bool:
    """Is there a bytes object in the message, as boto3 takes images and documents?"""
    if isinstance(value, dict):
        return any(map(holds_bytes, value.values()))
    return any(map(holds_bytes, value)) if isinstance(value, list | tuple) else isinstance(value, bytes)


def _with_bytes(members: dict[str, Any]) -> dict[str, Any]:
    for name in BLOBS & members.keys():
        if isinstance(members[name], str):
            members[name] = b64decode(members[name])
    return members
