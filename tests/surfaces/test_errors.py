"""Errors of ours, in the shape of the caller's provider."""

import json

import pytest

from foldpoint.surfaces.errors import error_body


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


def test_a_message_names_its_speaker() -> None:
    """So that nobody looks for the fault at the provider."""
    assert json.loads(error_body("openai-chat", 500, "no", ""))["error"]["message"] == "foldpoint: no"


def test_a_surface_without_a_shape_gets_openais() -> None:
    """Better a common shape than none."""
    assert error_body("gemini", 502, "no", "") == error_body("openai-chat", 502, "no", "")
