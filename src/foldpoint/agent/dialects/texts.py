"""JSON whose texts may hold half a surrogate pair: some providers cut letters there."""

import json
from typing import Any

import msgspec


def decoded(text: str | bytes) -> Any:
    """The JSON of a document or an event. Raises ValueError.

    Half a surrogate pair, as some providers cut them, is let through: `mended` joins the halves.
    """
    try:
        return _decoded(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def mended(text: str) -> str:
    """The text with halves of surrogate pairs joined; a half alone becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encoded(value: object) -> bytes:
    """The JSON of it, its texts mended where they need it."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_all_mended(value))


def _decoded(text: str | bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return json.loads(text)


def _all_mended(value: object) -> object:
    if isinstance(value, dict):
        return {mended(key): _all_mended(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_all_mended(each) for each in value]
    return mended(value) if isinstance(value, str) else value
