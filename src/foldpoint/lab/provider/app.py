"""The simulated provider as an HTTP server on loopback."""

import time
from collections.abc import Callable, Sequence
from typing import Self

from aiohttp import web

from foldpoint.lab.cache import Rules, rules_of

from .anthropic import Anthropic
from .desk import Desk, json
from .dialect import Dialect
from .faults import Fault
from .gemini import Gemini
from .models import for_anthropic, for_openai
from .openai_chat import OpenAIChat
from .refusal import Refused
from .routes_anthropic import AnthropicRoutes
from .routes_bedrock import BedrockRoutes
from .routes_gemini import GeminiRoutes
from .routes_openai import OpenAIRoutes
from .script import Answers, Echo

HEADER_LIMIT = 64 * 1024
"""Bytes of a header line; some clients send long ones."""


class Provider:
    """A provider of every surface that listens while its `async with` block runs.

    >>> async with Provider(answers=Script([Step(calls=(Call("ls"),)), Step("Done.")])) as provider:
    ...     client = anthropic.AsyncAnthropic(base_url=provider.url, api_key="any")

    Args:
        answers: from the messages of a request to its answer.
        rules: from surface and model to the rules of its cache. Each API key has caches of its own.
        faults: what goes wrong, and how often.
        clock: seconds, never going back: what the caches take for time.
        merge_roles: accept Anthropic messages of one role in a row, as the real API does.
        keep_bodies: keep bodies and headers of the requests in `log.exchanges`.
    """

    def __init__(
        self,
        *,
        answers: Answers | None = None,
        rules: Callable[[str, str], Rules] = rules_of,
        faults: Sequence[Fault] = (),
        clock: Callable[[], float] = time.monotonic,
        merge_roles: bool = False,
        keep_bodies: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.desk = Desk(answers or Echo(), rules, faults, clock, keep_bodies)
        self.log = self.desk.log
        self.anthropic = Anthropic(merge_roles=merge_roles)
        self.vertex = Anthropic(merge_roles=merge_roles, on_vertex=True)
        self.chat = OpenAIChat()
        self.host = host
        self.port = port

    @property
    def url(self) -> str:
        """The base URL; `url + "/v1"` is the one OpenAI's clients take."""
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> Self:
        self.runner = web.AppRunner(
            self.app(),
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=0.2,
            max_line_size=HEADER_LIMIT,
            max_field_size=HEADER_LIMIT,
        )
        await self.runner.setup()
        await web.TCPSite(self.runner, self.host, self.port).start()
        self.port = self.runner.addresses[0][1]
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.runner.cleanup()

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=0)
        app.router.add_routes(AnthropicRoutes(self.desk, self.anthropic, self.vertex).routes())
        app.router.add_routes(OpenAIRoutes(self.desk, self.chat).routes())
        app.router.add_routes(BedrockRoutes(self.desk, self.anthropic).routes())
        app.router.add_routes(GeminiRoutes(self.desk).routes())
        app.router.add_get("/v1/models", self.models)
        app.router.add_get("/simulate/log", self.summary)
        app.router.add_route("HEAD", "/", self.alive)
        app.router.add_route("*", "/{path:.*}", self.unknown)
        return app

    async def models(self, request: web.Request) -> web.Response:
        """`GET /v1/models`, in the shape of whom the client asks."""
        return json(for_anthropic() if speaks_anthropic(request) else for_openai())

    async def summary(self, request: web.Request) -> web.Response:
        """`GET /simulate/log`."""
        return json(self.log.summary())

    async def alive(self, request: web.Request) -> web.Response:
        """`HEAD /`."""
        return web.Response()

    async def unknown(self, request: web.Request) -> web.Response:
        """Any other path."""
        dialect: Dialect = self.anthropic if speaks_anthropic(request) else self.chat
        if speaks_gemini(request):
            dialect = Gemini()
        refused = Refused(f"Not found: {request.method} {request.path}", 404)
        return json(dialect.error(refused, "req_000000000000"), 404)


def speaks_anthropic(request: web.Request) -> bool:
    """Whether a client of the Messages API asks."""
    return "anthropic-version" in request.headers or request.path.startswith("/v1/messages")


def speaks_gemini(request: web.Request) -> bool:
    """Whether a client of Google's asks."""
    return request.path.startswith("/v1beta") or "x-goog-api-key" in request.headers
