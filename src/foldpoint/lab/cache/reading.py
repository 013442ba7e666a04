"""From a request body to the segments of its prompt: one reader a surface."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from foldpoint.core.errors import UnknownSurface, Unreadable

from . import anthropic, converse, gemini, openai_chat, openai_responses
from .segment import Segment

READERS: Mapping[str, Callable[[Mapping[str, Any]], list[Segment]]] = {
    "anthropic": anthropic.segments,
    "openai-chat": openai_chat.segments,
    "openai-responses": openai_responses.segments,
    "bedrock": converse.segments,
    "gemini": gemini.segments,
}


def segments(surface: str, body: bytes) -> list[Segment]:
    """The prompt of a request body, in the order the model is given it.

    Raises:
        UnknownSurface: no surface of that name is simulated.
        Unreadable: the body is not a JSON object of that surface.
    """
    return segments_of(surface, decoded(body))


def segments_of(surface: str, body: Mapping[str, Any]) -> list[Segment]:
    """The same for a body that is decoded already."""
    if surface not in READERS:
        raise UnknownSurface(surface, READERS)
    try:
        return READERS[surface](body)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unreadable(f"not a request of the surface {surface}: {error!r}") from None


def decoded(body: bytes) -> dict[str, Any]:
    """The JSON object; lone surrogates and integers of any length are read, too. Raises Unreadable."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = slowly_decoded(body)
    if not isinstance(value, dict):
        raise Unreadable("the request body is not a JSON object")
    return value


def slowly_decoded(body: bytes) -> object:
    """What the standard library makes of it: more forgiving than the fast parser."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the request body is not valid JSON: {error}") from None
    return value
