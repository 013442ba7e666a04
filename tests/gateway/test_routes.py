"""Which provider a path belongs to, and what is folded."""

import pytest

from foldpoint.gateway.routes import Route, route_of, told_apart

CLAUDE = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-5-5"
COUNT = "/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict"


@pytest.mark.parametrize(
    ("method", "target", "route"),
    [
        ("POST", "/v1/chat/completions", Route("openai", "openai-chat", "/v1/chat/completions", True)),
        ("GET", "/v1/chat/completions", Route("openai", "openai-chat", "/v1/chat/completions", False)),
        ("POST", "/v1/chat/completions/", Route("openai", "openai-chat", "/v1/chat/completions/", False)),
        ("POST", "/v1/messages?beta=true", Route("anthropic", "anthropic", "/v1/messages?beta=true", True)),
        ("POST", "/anthropic/v1/messages", Route("anthropic", "anthropic", "/v1/messages", True)),
        (
            "POST",
            "/v1/messages/count_tokens?beta=true",
            Route("anthropic", "anthropic", "/v1/messages/count_tokens?beta=true", True),
        ),
        (
            "POST",
            "/anthropic/v1/messages/count_tokens",
            Route("anthropic", "anthropic", "/v1/messages/count_tokens", True),
        ),
        (
            "GET",
            "/anthropic/v1/messages/count_tokens",
            Route("anthropic", "anthropic", "/v1/messages/count_tokens", False),
        ),
        ("POST", f"/anthropic{CLAUDE}:rawPredict", Route("anthropic", "anthropic", f"{CLAUDE}:rawPredict", True)),
        ("POST", f"/gemini{CLAUDE}:streamRawPredict", Route("gemini", "anthropic", f"{CLAUDE}:streamRawPredict", True)),
        (
            "POST",
            f"{CLAUDE}@20260801:rawPredict",
            Route("anthropic", "anthropic", f"{CLAUDE}@20260801:rawPredict", True),
        ),
        ("POST", f"{CLAUDE}:predict", Route("openai", "openai-chat", f"{CLAUDE}:predict", False)),
        ("POST", f"/anthropic{COUNT}", Route("anthropic", "anthropic", COUNT, True)),
        ("GET", f"/anthropic{CLAUDE}:rawPredict", Route("anthropic", "anthropic", f"{CLAUDE}:rawPredict", False)),
        ("POST", "/v1/messages/batches", Route("anthropic", "anthropic", "/v1/messages/batches", False)),
        ("POST", "/v1/messages_of_another", Route("openai", "openai-chat", "/v1/messages_of_another", False)),
        ("POST", "/anthropic/v1/chat/completions", Route("anthropic", "anthropic", "/v1/chat/completions", False)),
        ("POST", "/gemini/v1/models/g:x", Route("gemini", "gemini", "/v1/models/g:x", False)),
        ("POST", "/bedrock/model/m/converse", Route("bedrock", "bedrock", "/model/m/converse", False)),
        ("GET", "/v1", None),
        ("GET", "/anthropic", None),
        ("GET", "/v1beta/models", None),
        ("OPTIONS", "*", None),
    ],
)
def test_routes(method: str, target: str, route: Route | None) -> None:
    """The provider's path and query are what is left of ours."""
    assert route_of(method, target) == route


@pytest.mark.parametrize(
    ("target", "headers", "provider"),
    [
        ("/v1/models?limit=1000", {"anthropic-version": "2023-06-01"}, "anthropic"),
        ("/v1/files", {"anthropic-version": "2026-10-21"}, "anthropic"),
        ("/v1/models", {"x-goog-api-key": "k"}, "gemini"),
        ("/v1/models", {"authorization": "Bearer k"}, "openai"),
        ("/v1/chat/completions", {"anthropic-version": "2023-06-01"}, "openai"),
        ("/gemini/v1/models", {"anthropic-version": "2023-06-01"}, "gemini"),
    ],
)
def test_headers_tell_providers_apart(target: str, headers: dict[str, str], provider: str) -> None:
    """Several providers list their models at `/v1/models`; a path of one alone is not looked at twice."""
    route = route_of("POST", target)
    assert route is not None
    assert told_apart(route, headers).upstream == provider
