"""Which provider a path belongs to, and which surface folds it: one table, read from the raw request target."""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Prefix(NamedTuple):
    """Paths of one provider. `cut` is taken off before the provider sees the path; `surface` shapes errors of ours."""

    begins: str
    cut: str
    upstream: str
    surface: str


class Route(NamedTuple):
    """Where a request goes: the provider, its raw path and query, and whether the body is ours to fold."""

    upstream: str
    surface: str
    target: str
    folds: bool

    @property
    def path(self) -> str:
        """The provider's path without the query."""
        return self.target.partition("?")[0]

    @property
    def billed(self) -> bool:
        """Is it a folded request that the provider answers and bills, and no count of one?"""
        return self.folds and not self.path.endswith(COUNTS)

    @property
    def shape(self) -> str:
        """The surface whose errors the caller reads: the provider's own, whatever format the body is in."""
        return next((prefix.surface for prefix in PREFIXES if prefix.upstream == self.upstream), self.surface)


PREFIXES = (
    Prefix("/anthropic/", "/anthropic", "anthropic", "anthropic"),
    Prefix("/v1/messages", "", "anthropic", "anthropic"),
    Prefix("/v1/", "", "openai", "openai-chat"),
    Prefix("/gemini/", "/gemini", "gemini", "gemini"),
    Prefix("/v1beta/", "", "gemini", "gemini"),
    Prefix("/v1beta1/", "", "gemini", "gemini"),
    Prefix("/bedrock/", "/bedrock", "bedrock", "bedrock"),
    Prefix("/model/", "", "bedrock", "bedrock"),
)
BEGINNINGS = "provider paths begin with " + ", ".join(each.begins for each in PREFIXES if each.begins.endswith("/"))
"""What is said of a path that is nobody's."""
COUNTS = ("/input_tokens", "/count_tokens", "/count-tokens", "countTokens", "/count-tokens:rawPredict")
"""Paths at which a request is counted: folded like it, so that what is counted is what will be sent."""
FOLDED: Mapping[tuple[str, str], str] = {
    ("openai", "/v1/chat/completions"): "openai-chat",
    ("openai", "/v1/responses"): "openai-responses",
    ("openai", "/v1/responses/input_tokens"): "openai-responses",
    ("anthropic", "/v1/messages"): "anthropic",
    ("anthropic", "/v1/messages/count_tokens"): "anthropic",
}
GEMINI = re.compile(r"/v1[a-z0-9]*/.+(?::|%3[Aa])(?:generateContent|streamGenerateContent|countTokens)")
"""Google's form of a path: it ends with what is asked of a model. Its SDKs ask under `/v1/`, too."""
VERTEX = re.compile(r"/v1[a-z0-9]*/.+/publishers/anthropic/models/[^/]+:(?:rawPredict|streamRawPredict)")
"""Claude on Google Cloud; its counts are asked of a model called `count-tokens`."""
NAMED: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("anthropic", VERTEX, "anthropic"),
    ("gemini", VERTEX, "anthropic"),
    ("gemini", GEMINI, "gemini"),
    ("bedrock", re.compile(r"/model/.+/(?:converse(?:-stream)?|count-tokens)"), "bedrock"),
    ("bedrock", re.compile(r"/model/.+/invoke(?:-with-response-stream)?"), "anthropic"),
)
"""(provider, its path with the model in it, surface); an ARN as a model may hold slashes."""
TOLD_BY: tuple[tuple[str, str], ...] = (
    ("anthropic-version", "anthropic"),
    ("x-goog-api-key", "gemini"),
    ("x-goog-api-client", "gemini"),
)
"""(header, the provider whose clients send it)"""


def route_of(method: str, target: str) -> Route | None:
    """The route of a raw request target, percent-escapes and query kept as they are; None where it is nobody's."""
    for begins, cut, upstream, surface in PREFIXES:
        if target.startswith(begins) and (begins[-1] == "/" or target[len(begins) : len(begins) + 1] in ("", "/", "?")):
            rest = target[len(cut) :]
            path = rest.partition("?")[0]
            if upstream == "openai" and GEMINI.fullmatch(path):
                upstream = surface = "gemini"
            elif upstream == "openai" and VERTEX.fullmatch(path):
                upstream = surface = "anthropic"
            folds = folded_by(upstream, path) if method == "POST" else None
            return Route(upstream, folds or surface, rest, folds is not None)
    return None


def folded_by(upstream: str, path: str) -> str | None:
    """The surface that folds what is posted to a provider's path; None where nothing is folded there."""
    named = (surface for name, form, surface in NAMED if name == upstream and form.fullmatch(path))
    return FOLDED.get((upstream, path)) or next(named, None)


def told_apart(route: Route, headers: Mapping[str, str]) -> Route:
    """The route with the provider that the headers tell: several have paths under `/v1/`, such as `/v1/models`."""
    if route.upstream != "openai" or route.folds:
        return route
    upstream = next((provider for name, provider in TOLD_BY if name in headers), route.upstream)
    return route if upstream == route.upstream else Route(upstream, upstream, route.target, False)
