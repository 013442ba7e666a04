"""The simulated provider as an HTTP server on loopback."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import Any, Self

import msgspec
from aiohttp import web

from foldpoint.core.errors import FoldpointError
from foldpoint.lab.cache import Cache, Rules, charge, decoded, rules_of, segments_of, tokens

from .anthropic import Anthropic
from .dialect import Answered, Dialect
from .faults import Fault, message, plan
from .held import Held
from .ledger import Ledger
from .openai_chat import CREATED, OpenAIChat
from .openai_responses import OpenAIResponses
from .refusal import Refused
from .reply import shortened
from .script import Answers, Echo
from .sending import Sending
from .structured import structured

MODELS = ("claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5", "gpt-6-sol", "gpt-5.1")
LARGEST = 32 * 1024 * 1024
"""Bytes of a Messages request; OpenAI takes larger ones."""
HEADER_LIMIT = 64 * 1024
"""Bytes of a header line; some clients send long ones."""
DAY = "2026-01-01T00:00:00Z"
CACHES = 256
"""Caches kept: one for each surface, model and key."""

Answering = Callable[[Sending, bytes], Awaitable[web.StreamResponse]]


class Provider:
    """A provider of three surfaces that listens while its `async with` block runs.

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
        self.answers = answers or Echo()
        self.rules = rules
        self.faults = tuple(faults)
        self.clock = clock
        self.keep_bodies = keep_bodies
        self.host = host
        self.port = port
        self.log = Ledger()
        self.caches: dict[tuple[str, str, str], Cache] = {}
        self.anthropic = Anthropic(merge_roles=merge_roles)
        self.chat = OpenAIChat()
        self.responses = OpenAIResponses()
        self.held = Held()
        self.count = 0

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
        app.router.add_post("/v1/messages", self.messages)
        app.router.add_post("/v1/messages/count_tokens", self.count_tokens)
        app.router.add_post("/v1/chat/completions", self.completions)
        app.router.add_post("/v1/responses", self.respond)
        app.router.add_post("/v1/responses/input_tokens", self.input_tokens)
        app.router.add_post("/v1/responses/compact", self.compact)
        app.router.add_get("/v1/responses/{id}", self.stored)
        app.router.add_get("/v1/responses/{id}/input_items", self.stored)
        app.router.add_delete("/v1/responses/{id}", self.stored)
        app.router.add_get("/v1/models", self.models)
        app.router.add_get("/simulate/log", self.summary)
        app.router.add_route("HEAD", "/", self.alive)
        app.router.add_route("*", "/{path:.*}", self.unknown)
        return app

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        return await self.exchange(request, self.anthropic, self.answer)

    async def completions(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        return await self.exchange(request, self.chat, self.answer)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/count_tokens`."""
        return await self.exchange(request, self.anthropic, self.counted)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses`."""
        return await self.exchange(request, self.responses, self.responded)

    async def input_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses/input_tokens`."""
        return await self.exchange(request, self.responses, self.input_counted)

    async def compact(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses/compact`."""
        return await self.exchange(request, self.responses, self.compacted)

    async def stored(self, request: web.Request) -> web.Response:
        """A response that is held: `GET`, its items, `DELETE`."""
        name = request.match_info["id"]
        items = request.path.endswith("/input_items")
        ask = self.held.forget if request.method == "DELETE" else self.held.input_items if items else self.held.answer
        try:
            return json(ask(name))
        except Refused as refused:
            return json(self.responses.error(refused, ""), refused.status)

    async def exchange(self, request: web.Request, dialect: Dialect, answer: Answering) -> web.StreamResponse:
        """Read, refuse or answer, and write down what became of it."""
        self.count += 1
        sending = Sending(request, dialect, self.count, self.keep_bodies)
        try:
            raw = await request.read()
            sending.note(body=raw if self.keep_bodies else b"")
            sending.plan = plan(request.headers, self.faults, sending.noted.number)
            await asyncio.sleep(sending.plan.delay)
            if sending.plan.status is not None:
                return await sending.error(Refused(message(sending.plan.status), sending.plan.status), "fault")
            return await answer(sending, raw)
        except FoldpointError as error:
            return await sending.error(error if isinstance(error, Refused) else Refused(str(error)))
        finally:
            self.log.add(sending.exchange())

    async def answer(self, sending: Sending, raw: bytes) -> web.StreamResponse:
        """Bill and answer a request that arrived whole. Raises Refused or Unreadable."""
        return await sending.send(self.answered(sending, raw, read(sending, raw)))

    def answered(self, sending: Sending, raw: bytes, body: dict[str, Any]) -> Answered:
        """Bill a request and find its answer. Raises Refused or Unreadable."""
        dialect = sending.dialect
        dialect.check(body)
        cache = self.cache(dialect.surface, body["model"], sending.key)
        billed = charge(segments_of(dialect.surface, body), cache, self.clock())
        reply = shortened(structured(body, self.answers(dialect.messages(body))), dialect.limit(body))
        sending.billed(billed, reply.output_tokens, cache.cost(billed))
        return Answered(blake2b(raw, digest_size=12).hexdigest(), body, reply, billed)

    async def responded(self, sending: Sending, raw: bytes) -> web.StreamResponse:
        """Answer a Responses request, and hold the answer. Raises Refused or Unreadable."""
        answered = self.answered(sending, raw, self.held.expanded(read(sending, raw)))
        self.held.keep(answered, self.responses.whole(answered))
        return await sending.send(answered)

    async def compacted(self, sending: Sending, raw: bytes) -> web.StreamResponse:
        """Answer the messages of the user and a compaction of the rest. Raises Refused or Unreadable."""
        answered = self.answered(sending, raw, self.held.expanded(read(sending, raw)))
        compact = msgspec.json.encode(self.responses.compact(answered))
        return await sending.plain(compact, "answered", 200, sending.headers)

    async def input_counted(self, sending: Sending, raw: bytes) -> web.StreamResponse:
        """Count the tokens of a Responses request. Raises Refused or Unreadable."""
        body = self.held.expanded(read(sending, raw))
        self.responses.check(body)
        total = tokens(sum(len(segment.content) for segment in segments_of("openai-responses", body)))
        counted = {"object": "response.input_tokens", "input_tokens": total}
        return await sending.plain(msgspec.json.encode(counted), "answered", 200, sending.headers)

    async def counted(self, sending: Sending, raw: bytes) -> web.StreamResponse:
        """Count the tokens of a request. Raises Refused or Unreadable."""
        body = read(sending, raw)
        self.anthropic.check_counting(body)
        total = tokens(sum(len(segment.content) for segment in segments_of("anthropic", body)))
        return await sending.plain(msgspec.json.encode({"input_tokens": total}), "answered", 200, sending.headers)

    def cache(self, surface: str, model: str, key: str) -> Cache:
        """The cache of a model for one API key."""
        name = (surface, model, key)
        if name not in self.caches:
            self.caches[name] = Cache(self.rules(surface, model))
            if len(self.caches) > CACHES:
                del self.caches[next(iter(self.caches))]
        return self.caches[name]

    async def models(self, request: web.Request) -> web.Response:
        """`GET /v1/models`, in the shape of whom the client asks."""
        if speaks_anthropic(request):
            rows = [{"type": "model", "id": name, "display_name": name, "created_at": DAY} for name in MODELS]
            return json({"data": rows, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]})
        known = [{"id": name, "object": "model", "created": CREATED, "owned_by": "simulated"} for name in MODELS]
        return json({"object": "list", "data": known})

    async def summary(self, request: web.Request) -> web.Response:
        """`GET /simulate/log`."""
        return json(self.log.summary())

    async def alive(self, request: web.Request) -> web.Response:
        """`HEAD /`."""
        return web.Response()

    async def unknown(self, request: web.Request) -> web.Response:
        """Any other path."""
        dialect = self.anthropic if speaks_anthropic(request) else self.chat
        refused = Refused(f"Not found: {request.method} {request.path}", 404)
        return json(dialect.error(refused, "req_000000000000"), 404)


def read(sending: Sending, raw: bytes) -> dict[str, Any]:
    """The body, decoded. Raises Refused or Unreadable."""
    if sending.dialect.surface == "anthropic" and len(raw) > LARGEST:
        raise Refused("Request exceeds the maximum allowed number of bytes.", 413)
    body = decoded(raw)
    sending.noted_body(body)
    return body


def speaks_anthropic(request: web.Request) -> bool:
    """Whether a client of the Messages API asks."""
    return "anthropic-version" in request.headers or request.path.startswith("/v1/messages")


def json(value: object, status: int = 200) -> web.Response:
    """A JSON answer."""
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
