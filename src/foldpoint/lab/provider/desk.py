"""Where a request is taken, billed and answered, whatever API it came by."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from aiohttp import web

from foldpoint.core.errors import FoldpointError
from foldpoint.lab.cache import Cache, Rules, charge, decoded, segments_of, tokens

from . import binding
from .dialect import Answered, Dialect
from .faults import Fault, message, plan
from .ledger import Ledger
from .refusal import Refused
from .reply import shortened
from .script import Answers
from .sending import Sending
from .structured import structured

LARGEST = 32 * 1024 * 1024
"""Bytes of a Messages request; OpenAI takes larger ones."""
CACHES = 256
"""Caches kept: one for each surface, model and key."""

Body = dict[str, Any]
Answering = Callable[[Sending, Body], Awaitable[web.StreamResponse]]


class Desk:
    """What all APIs of a provider share: who finds the answers, the caches, the faults and the log."""

    def __init__(
        self,
        answers: Answers,
        rules: Callable[[str, str], Rules],
        faults: Sequence[Fault],
        clock: Callable[[], float],
        keep_bodies: bool,
    ) -> None:
        self.answers = answers
        self.rules = rules
        self.faults = tuple(faults)
        self.clock = clock
        self.keep_bodies = keep_bodies
        self.log = Ledger()
        self.caches: dict[tuple[str, str, str], Cache] = {}
        self.count = 0

    async def exchange(self, request: web.Request, dialect: Dialect, answer: Answering) -> web.StreamResponse:
        """Read, refuse or answer, and write down what became of it."""
        self.count += 1
        sending = Sending(request, dialect, self.count, self.keep_bodies)
        try:
            sending.took(await request.read())
            sending.plan = plan(request.headers, self.faults, sending.noted.number)
            await asyncio.sleep(sending.plan.delay)
            if sending.plan.status is not None:
                return await sending.error(Refused(message(sending.plan.status), sending.plan.status), "fault")
            return await answer(sending, read(sending))
        except FoldpointError as error:
            return await sending.error(error if isinstance(error, Refused) else Refused(str(error)))
        finally:
            self.log.add(sending.exchange())

    async def answer(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Bill and answer a request. Raises Refused or Unreadable."""
        return await sending.send(self.answered(sending, body))

    def answered(self, sending: Sending, body: Body) -> Answered:
        """Bill a request and find its answer. Raises Refused or Unreadable."""
        dialect = sending.dialect
        dialect.check(body)
        body, dropped = bound(sending, body)
        cache = self.cache(dialect.surface, body["model"], sending.key)
        billed = charge(segments_of(dialect.surface, body), cache, self.clock())
        reply = shortened(structured(body, self.answers(dialect.messages(body))), dialect.limit(body))
        sending.billed(billed, reply.output_tokens, cache.cost(billed))
        return Answered(sending.digest, body, reply, billed, dropped)

    def cache(self, surface: str, model: str, key: str) -> Cache:
        """The cache of a model for one API key."""
        name = (surface, model, key)
        if name not in self.caches:
            self.caches[name] = Cache(self.rules(surface, model))
            if len(self.caches) > CACHES:
                del self.caches[next(iter(self.caches))]
        return self.caches[name]


def read(sending: Sending) -> Body:
    """The body, decoded, with the model that the path names. Raises Refused or Unreadable."""
    if sending.dialect.surface == "anthropic" and len(sending.raw) > LARGEST:
        raise Refused("Request exceeds the maximum allowed number of bytes.", 413)
    body: Body = decoded(sending.raw)
    if model := sending.request.match_info.get("model"):
        body["model"] = model
    sending.noted_body(body)
    return body


def bound(sending: Sending, body: Body) -> tuple[Body, list[dict[str, str]] | None]:
    """The body without thinking of another prefix, where that is asked for. Raises Refused."""
    return binding.checked(body, sending.betas(body)) if sending.dialect.surface == "anthropic" else (body, None)


def counted(surface: str, body: Body) -> int:
    """The tokens of a request's prompt. Raises Unreadable."""
    return tokens(sum([len(segment.content) for segment in segments_of(surface, body)]))


async def said(sending: Sending, answer: Mapping[str, Any]) -> web.StreamResponse:
    """Answer an object that is no message."""
    return await sending.plain(msgspec.json.encode(answer), "answered", 200, sending.headers)


def json(value: object, status: int = 200) -> web.Response:
    """A JSON answer that nothing is billed for."""
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
