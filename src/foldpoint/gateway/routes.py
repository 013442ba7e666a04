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


PREFIXES = (
    Prefix("/anthropic/", "/anthropic", "anthropic", "anthropic"),
    Prefix("/v1/messages", "", "anthropic", "anthropic"),
    Prefix("/v1/", "", "openai", "openai-chat"),
    Prefix("/gemini/", "/gemini", "gemini", "gemini"),
    Prefix("/bedrock/", "/bedrock", "bedrock", "bedrock"),
)
COUNTS = ("/count_tokens", "/count-tokens:rawPredict")
"""Paths at which a request is counted: folded like it, so that what is counted is what will be sent."""
FOLDED: Mapping[tuple[str, str], str] = {
    ("openai", "/v1/chat/completions"): "openai-chat",
    ("anthropic", "/v1/messages"): "anthropic",
    ("anthropic", "/v1/messages/count_tokens"): "anthropic",
}
VERTEX = re.compile(r"/v1[a-z0-9]*/.+/publishers/anthropic/models/[^/]+:(?:rawPredict|streamRawPredict)")
"""Claude on Google Cloud; its counts are asked of a model called `count-tokens`."""
NAMED: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("anthropic", VERTEX, "anthropic"),
    ("gemini", VERTEX, "anthropic"),
)
"""(provider, its path with the model in it, surface)"""
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
            if upstream == "openai" and VERTEX.fullmatch(path):
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
