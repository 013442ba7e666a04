"""Errors of our own, said in the shape of the provider that the caller believes it talks to.

A surface's shape is one row of `SHAPES`; a status without a name of its own takes that of its class (4xx, 5xx).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

Shape = Callable[[int, str, str, float | None], dict[str, Any]]

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
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
GEMINI_STATUSES: Mapping[int, str] = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
BEDROCK_TYPES: Mapping[int, str] = {
    401: "AccessDeniedException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    429: "ThrottlingException",
    502: "ServiceUnavailableException",
    503: "ServiceUnavailableException",
    504: "ModelTimeoutException",
}


def openai(status: int, message: str, request_id: str, seconds: float | None = None) -> dict[str, Any]:
    """Chat completions and Responses. The id goes in the headers there."""
    kind = OPENAI_TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def anthropic(status: int, message: str, request_id: str, seconds: float | None = None) -> dict[str, Any]:
    """Messages and count_tokens."""
    kind = ANTHROPIC_TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def gemini(status: int, message: str, request_id: str, seconds: float | None = None) -> dict[str, Any]:
    """generateContent and its like: a `google.rpc.Status`."""
    kind = GEMINI_STATUSES.get(status) or ("INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
    fault: dict[str, Any] = {"code": status, "message": message, "status": kind}
    if seconds is not None:
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds:.3f}s"}
        fault["details"] = [retry]
    return {"error": fault}


def bedrock(status: int, message: str, request_id: str, seconds: float | None = None) -> dict[str, Any]:
    """Converse and InvokeModel. The type goes in a header there."""
    return {"message": message}


SHAPES: Mapping[str, Shape] = {
    "openai-chat": openai,
    "openai-responses": openai,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
}


def error_body(surface: str, status: int, message: str, request_id: str, seconds: float | None = None) -> bytes:
    """The JSON body of an error of ours; a surface without a row of its own gets the OpenAI shape.

    `seconds` is when it is worth to ask again, for shapes that say so in the body.

    `message` is given the prefix ``foldpoint:`` where it has none, so that nobody looks for the fault at the provider.
    """
    said = message if message.startswith("foldpoint:") else f"foldpoint: {message}"
    return msgspec.json.encode(SHAPES.get(surface, openai)(status, said, request_id, seconds))


def error_headers(surface: str, status: int) -> dict[str, str]:
    """The headers that belong to the shape: Bedrock's SDKs read the type of an error there."""
    if surface != "bedrock":
        return {}
    kind = BEDROCK_TYPES.get(status) or ("InternalServerException" if status >= 500 else "ValidationException")
    return {"x-amzn-ErrorType": kind}
