"""Python objects of a framework as the bytes that a surface reads, and back."""

import json
from typing import Any

import msgspec


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


def as_object(item: bytes) -> Any:
    """The message that the bytes say."""
    return json.loads(item)
