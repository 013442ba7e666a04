"""Errors of our own, said in the shape of the provider that the caller believes it talks to.

A surface's shape is one row of `SHAPES`; a status without a name of its own takes that of its class (4xx, 5xx).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

Shape = Callable[[int, str, str], dict[str, Any]]

OPENAI_TYPES: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
ANTHROPIC_TYPES: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def openai(status: int, message: str, request_id: str) -> dict[str, Any]:
    """Chat completions and Responses. The id goes in the headers there."""
    kind = OPENAI_TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def anthropic(status: int, message: str, request_id: str) -> dict[str, Any]:
    """Messages and count_tokens."""
    kind = ANTHROPIC_TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


SHAPES: Mapping[str, Shape] = {"openai-chat": openai, "anthropic": anthropic}


def error_body(surface: str, status: int, message: str, request_id: str) -> bytes:
    """The JSON body of an error of ours; a surface without a row of its own gets the OpenAI shape.

    `message` is given the prefix ``foldpoint:`` where it has none, so that nobody looks for the fault at the provider.
    """
    said = message if message.startswith("foldpoint:") else f"foldpoint: {message}"
    return msgspec.json.encode(SHAPES.get(surface, openai)(status, said, request_id))
