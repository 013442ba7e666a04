"""Base URLs, and where they lead."""

import pytest

from foldpoint.agent.endpoint import endpoint_of
from foldpoint.core.errors import FoldpointError, UnknownSurface

JOINED = [
    ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
    ("anthropic", "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
    ("anthropic", "http://127.0.0.1:4600/anthropic", "http://127.0.0.1:4600/anthropic/v1/messages"),
    ("anthropic", "http://[::1]:4600/anthropic/v1", "http://[::1]:4600/anthropic/v1/messages"),
    ("openai-chat", "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
    ("openai-chat", "http://127.0.0.1:4600", "http://127.0.0.1:4600/v1/chat/completions"),
    ("openai-chat", "https://a.example/api/paas/v4", "https://a.example/api/paas/v4/chat/completions"),
    ("openai-chat", "https://a.example/v1beta/openai/", "https://a.example/v1beta/openai/chat/completions"),
    ("openai-chat", "https://a.example/x/chat/completions", "https://a.example/x/chat/completions"),
    ("openai-responses", "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
    (
        "openai-responses",
        "https://a.example/openai?api-version=1",
        "https://a.example/openai/v1/responses?api-version=1",
    ),
]


@pytest.mark.parametrize(("surface", "base", "url"), JOINED)
def test_a_base_url_leads_to_the_path_of_its_surface(surface: str, base: str, url: str) -> None:
    """`/v1` is added where the base names no version; a base that is the endpoint stays as it is."""
    assert endpoint_of(surface, base).url == url


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    """No user, no password, no query."""
    assert endpoint_of("anthropic", "https://u:p@a.example:8/v1?key=k").shown == "https://a.example:8/v1/messages"


@pytest.mark.parametrize(
    "base", ["", "api.openai.com", "ftp://a.example", "http://", "http://a.example:port", "http://[1"]
)
def test_what_is_no_address_is_refused(base: str) -> None:
    """At once."""
    with pytest.raises(FoldpointError, match="base_url"):
        endpoint_of("anthropic", base)


def test_a_surface_that_the_agent_does_not_speak_is_named() -> None:
    """With those that it does."""
    with pytest.raises(UnknownSurface, match="no surface is called 'bedrock'"):
        endpoint_of("bedrock", "https://a.example")
