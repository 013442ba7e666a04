"""One request on its way to its answer: faults on the line, and what to write down about it."""

import asyncio
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from aiohttp import web

from foldpoint.lab.cache import Charge
from foldpoint.surfaces.errors import error_headers

from .dialect import Answered, Dialect
from .faults import Plan
from .ledger import Exchange, Outcome
from .refusal import Refused

KEY_HEADERS = ("x-api-key", "authorization", "x-goog-api-key", "api-key")
STREAMS = re.compile(r"(?:-stream|:streamGenerateContent)$")
"""How a path ends that asks for a stream."""
RETRY_AFTER = (429, 503, 529)
MOMENT = 0.01
"""Seconds in which what was written leaves before the connection is broken."""


class Sending:
    """The answer being sent; `exchange()` is what became of it."""

    def __init__(self, request: web.Request, dialect: Dialect, number: int, keep: bool) -> None:
        self.request = request
        self.dialect = dialect
        self.plan = Plan()
        self.keep = keep
        self.raw = b""
        self.noted = Exchange(
            number=number,
            method=request.method,
            path=request.path_qs,
            status=0,
            outcome="left",
            surface=dialect.surface,
            headers=tuple(request.headers.items()) if keep else (),
        )

    @property
    def key(self) -> str:
        """The API key the request came with, or who signed it; organisations do not share caches."""
        headers = (self.request.headers[name] for name in KEY_HEADERS if name in self.request.headers)
        given = next(headers, self.request.query.get("key", ""))
        return given.partition("Credential=")[2].partition("/")[0] or given

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every answer."""
        return {self.dialect.request_id_header: f"req_{self.noted.number:012d}"}

    @property
    def digest(self) -> str:
        """24 hex of the body: the same request gets the same answer, ids included."""
        return blake2b(self.raw, digest_size=12).hexdigest()

    def took(self, raw: bytes) -> None:
        """Take the body."""
        self.raw = raw
        if self.keep:
            self.note(body=raw)

    def betas(self, body: Mapping[str, Any]) -> frozenset[str]:
        """The betas that the request names, in its headers or, as on the clouds, in its body."""
        named = ",".join(self.request.headers.getall("anthropic-beta", ())).split(",")
        return frozenset(beta.strip() for beta in [*named, *(body.get("anthropic_beta") or ())])

    def note(self, **facts: Any) -> None:
        """Write something down."""
        self.noted = msgspec.structs.replace(self.noted, **facts)

    def noted_body(self, body: Mapping[str, Any]) -> None:
        """Write down which model was asked, and whether for a stream: some providers say that in the path."""
        stream = body.get("stream") is True or STREAMS.search(self.request.path) is not None
        self.note(model=str(body.get("model", "")), stream=stream)

    def billed(self, charge: Charge, output: int, cost: float) -> None:
        """Write down the bill."""
        self.note(charge=charge, output=output, cost=cost)

    async def error(self, refused: Refused, outcome: Outcome = "refused") -> web.StreamResponse:
        """Answer an error in the surface's shape."""
        headers = self.headers | ({"retry-after": "1"} if refused.status in RETRY_AFTER else {})
        headers |= error_headers(self.dialect.errors_of, refused.status)
        body = self.dialect.error(refused, self.headers[self.dialect.request_id_header])
        self.note(status=refused.status, message=refused.message)
        return await self.plain(msgspec.json.encode(body), outcome, refused.status, headers)

    async def send(self, answered: Answered) -> web.StreamResponse:
        """Answer, as a stream where one was asked for."""
        if self.noted.stream:
            return await self.stream(answered)
        return await self.plain(msgspec.json.encode(self.dialect.whole(answered)), "answered", 200, self.headers)

    async def plain(self, body: bytes, outcome: Outcome, status: int, headers: Mapping[str, str]) -> web.StreamResponse:
        """Send a whole body, or as many bytes of it as a fault lets through."""
        self.note(status=status)
        response = web.StreamResponse(status=status, headers={**headers, "content-type": "application/json"})
        response.content_length = len(body)
        await response.prepare(self.request)
        end = self.plan.end(len(body))
        await response.write(body[:end])
        if end < len(body):
            await self.stop()
        else:
            await response.write_eof()
            self.note(outcome=outcome)
        return response

    async def stream(self, answered: Answered) -> web.StreamResponse:
        """Send the events, or as many of them as a fault lets through."""
        self.note(status=200)
        headers = self.headers | {"content-type": self.dialect.stream_type, "cache-control": "no-cache"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(self.request)
        events = list(self.dialect.events(answered))
        end = self.plan.end(len(events))
        for event in events[:end]:
            if self.plan.gap:
                await asyncio.sleep(self.plan.gap)
            await response.write(event)
        if end < len(events):
            await self.stop()
        else:
            await response.write_eof()
            self.note(outcome="answered")
        return response

    async def stop(self) -> None:
        """Break the connection; or hold it silent until the client leaves."""
        if self.plan.cut is None:
            await asyncio.Event().wait()
        await asyncio.sleep(MOMENT)
        if self.request.transport is not None:
            self.request.transport.abort()
        self.note(outcome="cut")

    def exchange(self) -> Exchange:
        """What became of the request so far."""
        return self.noted
