"""Which provider a path belongs to, and what is folded."""

import pytest

from foldpoint.gateway.routes import Route, route_of, told_apart

CLAUDE = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-5-5"
COUNT = "/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict"

ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5"


def model_route(rest: str, surface: str) -> Route:
    """A folded path of Bedrock's."""
    return Route("bedrock", surface, f"/model/{rest}", True)


@pytest.mark.parametrize(
    ("method", "target", "route"),
    [
        ("POST", "/v1/chat/completions", Route("openai", "openai-chat", "/v1/chat/completions", True)),
        ("POST", "/v1/responses", Route("openai", "openai-responses", "/v1/responses", True)),
        (
            "POST",
            "/v1/responses/input_tokens",
            Route("openai", "openai-responses", "/v1/responses/input_tokens", True),
        ),
        ("POST", "/v1/responses/compact", Route("openai", "openai-chat", "/v1/responses/compact", False)),
        ("GET", "/v1/responses/resp_1", Route("openai", "openai-chat", "/v1/responses/resp_1", False)),
        ("DELETE", "/v1/responses/resp_1", Route("openai", "openai-chat", "/v1/responses/resp_1", False)),
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
        ("POST", "/gemini/v1beta/models/g:generateContent",
         Route("gemini", "gemini", "/v1beta/models/g:generateContent", True)),
        ("GET", "/gemini/v1beta/models/g:generateContent",
         Route("gemini", "gemini", "/v1beta/models/g:generateContent", False)),
        ("POST", "/gemini/v1/models/g%3AstreamGenerateContent?alt=sse&key=k",
         Route("gemini", "gemini", "/v1/models/g%3AstreamGenerateContent?alt=sse&key=k", True)),
        ("POST", "/gemini/v1beta1/projects/p/locations/l/publishers/google/models/g:countTokens",
         Route("gemini", "gemini", "/v1beta1/projects/p/locations/l/publishers/google/models/g:countTokens", True)),
        ("POST", "/v1beta/models/g:generateContent",
         Route("gemini", "gemini", "/v1beta/models/g:generateContent", True)),
        ("POST", "/v1beta1/projects/p/locations/l/endpoints/7:generateContent",
         Route("gemini", "gemini", "/v1beta1/projects/p/locations/l/endpoints/7:generateContent", True)),
        ("POST", "/v1/models/g:generateContent", Route("gemini", "gemini", "/v1/models/g:generateContent", True)),
        ("POST", "/v1/projects/p/locations/l/publishers/x/models/g:streamGenerateContent",
         Route("gemini", "gemini", "/v1/projects/p/locations/l/publishers/x/models/g:streamGenerateContent", True)),
        ("POST", "/gemini/v1beta/models/g:embedContent",
         Route("gemini", "gemini", "/v1beta/models/g:embedContent", False)),
        ("GET", "/v1/models/g:x", Route("openai", "openai-chat", "/v1/models/g:x", False)),
        ("POST", "/bedrock/model/m/converse", Route("bedrock", "bedrock", "/model/m/converse", True)),
        ("POST", "/bedrock/model/a.m-v1%3A0/converse-stream", model_route("a.m-v1%3A0/converse-stream", "bedrock")),
        ("POST", "/bedrock/model/a.m-v1:0/invoke", model_route("a.m-v1:0/invoke", "anthropic")),
        ("POST", f"/bedrock/model/{ARN}/invoke", model_route(f"{ARN}/invoke", "anthropic")),
        (
            "POST",
            "/bedrock/model/m/invoke-with-response-stream",
            model_route("m/invoke-with-response-stream", "anthropic"),
        ),
        ("POST", "/bedrock/model/m/count-tokens", model_route("m/count-tokens", "bedrock")),
        ("POST", "/bedrock/model/m/invoke-async", Route("bedrock", "bedrock", "/model/m/invoke-async", False)),
        ("POST", "/model/m/converse", model_route("m/converse", "bedrock")),
        ("GET", "/bedrock/inference-profiles?type=X", Route("bedrock", "bedrock", "/inference-profiles?type=X", False)),
        ("GET", "/v1", None),
        ("GET", "/anthropic", None),
        ("GET", "/v1beta/models", Route("gemini", "gemini", "/v1beta/models", False)),
        ("GET", "/v2beta/models", None),
        ("OPTIONS", "*", None),
    ],
)  # fmt: skip
def test_routes(method: str, target: str, route: Route | None) -> None:
    """The provider's path and query are what is left of ours."""
    assert route_of(method, target) == route


def test_errors_are_said_as_the_provider_says_them() -> None:
    """A body of Anthropic's at Bedrock's door gets Bedrock's errors."""
    route = route_of("POST", "/bedrock/model/m/invoke")
    assert route is not None
    assert (route.surface, route.shape) == ("anthropic", "bedrock")


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
