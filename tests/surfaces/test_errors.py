"""Errors of ours, in the shape of the caller's provider."""

import json

import pytest

from foldpoint.surfaces.errors import error_body, error_headers


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"), (401, "authentication_error"), (403, "permission_error"),
        (404, "not_found_error"), (413, "invalid_request_error"), (429, "rate_limit_error"),
        (500, "server_error"), (502, "server_error"), (504, "server_error"),
    ],
)  # fmt: skip
def test_openai(status: int, kind: str) -> None:
    """`error` with message, type, param and code."""
    said = json.loads(error_body("openai-chat", status, "foldpoint: no", "id-1"))
    assert said == {"error": {"message": "foldpoint: no", "type": kind, "param": None, "code": None}}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"), (401, "authentication_error"), (403, "permission_error"),
        (404, "not_found_error"), (413, "request_too_large"), (429, "rate_limit_error"),
        (500, "api_error"), (502, "api_error"), (504, "timeout_error"), (529, "overloaded_error"),
    ],
)  # fmt: skip
def test_anthropic(status: int, kind: str) -> None:
    """`error` with type and message, and the request's id."""
    said = json.loads(error_body("anthropic", status, "foldpoint: no", "id-1"))
    assert said == {"type": "error", "error": {"type": kind, "message": "foldpoint: no"}, "request_id": "id-1"}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "INVALID_ARGUMENT"), (401, "UNAUTHENTICATED"), (403, "PERMISSION_DENIED"), (404, "NOT_FOUND"),
        (413, "INVALID_ARGUMENT"), (429, "RESOURCE_EXHAUSTED"), (500, "INTERNAL"), (502, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
    ],
)  # fmt: skip
def test_gemini(status: int, kind: str) -> None:
    """`error` with code, message and status."""
    said = json.loads(error_body("gemini", status, "foldpoint: no", "id-1"))
    assert said == {"error": {"code": status, "message": "foldpoint: no", "status": kind}}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "ValidationException"), (403, "AccessDeniedException"), (404, "ResourceNotFoundException"),
        (413, "ValidationException"), (429, "ThrottlingException"), (500, "InternalServerException"),
        (502, "ServiceUnavailableException"), (504, "ModelTimeoutException"),
    ],
)  # fmt: skip
def test_bedrock(status: int, kind: str) -> None:
    """The message alone, and the type in a header."""
    assert json.loads(error_body("bedrock", status, "foldpoint: no", "id-1")) == {"message": "foldpoint: no"}
    assert error_headers("bedrock", status) == {"x-amzn-ErrorType": kind}


@pytest.mark.parametrize("surface", ["openai-chat", "anthropic", "gemini", "another"])
def test_other_shapes_have_no_header(surface: str) -> None:
    """Nothing is said twice."""
    assert error_headers(surface, 502) == {}


def test_a_message_names_its_speaker() -> None:
    """So that nobody looks for the fault at the provider."""
    assert json.loads(error_body("openai-chat", 500, "no", ""))["error"]["message"] == "foldpoint: no"


def test_a_surface_without_a_shape_gets_openais() -> None:
    """Better a common shape than none."""
    assert error_body("another", 502, "no", "") == error_body("openai-chat", 502, "no", "")
