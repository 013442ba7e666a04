"""Sessions that are played through gateways step by step, all at once, and what became of each request."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import aiohttp
from balancer import SERVED_BY
from standing_provider import ANSWER, FIRST, LAST

from foldpoint.lab.sessions import bodies, shipped
from foldpoint.lab.steps import steps, with_member

PATHS = {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions"}
LARGEST = 160_000
"""Bytes of a session's last body."""
TRIES = 4
STREAMED, MILLISECONDS = 3, 120
"""Every third answer comes piece by piece, in that time."""
Script = tuple[str, tuple[bytes, ...]]
"""The surface of a session, and its bodies."""


@dataclass
class Try:
    """One request: `replica` is the last that it was sent to, `status` 0 where no head came or the answer was cut."""

    session: str
    step: int
    began: float
    ended: float = 0.0
    status: int = 0
    id: str = ""
    replica: str = ""


@dataclass
class Session:
    """A session of a tenant."""

    name: str
    tenant: str
    surface: str
    bodies: tuple[bytes, ...]
    tries: list[Try] = field(default_factory=list)

    def body(self, step: int) -> bytes:
        """What the client sends: no two sessions send the same."""
        return with_member(self.bodies[step], "user", f'"{self.name}"'.encode())


def from_corpus(shared: Path, length: int) -> Iterator[Script]:
    """The first steps of the transcripts that have so many."""
    for surface in PATHS:
        for path in sorted((shared / "corpus" / "requests" / surface).glob("*.json")):
            found = tuple(islice(steps(path.read_bytes(), surface), length))
            if len(found) == length and len(found[-1]) <= LARGEST:
                yield surface, found


def made(length: int) -> Iterator[Script]:
    """The same of the sessions that the demo shows."""
    for story in shipped():
        found = tuple(islice(bodies(story), length))
        if len(found) == length and len(found[-1]) <= LARGEST:
            yield story.surface, found


def sessions(scripts: Sequence[Script], count: int, tenants: Sequence[str]) -> list[Session]:
    """So many sessions, the tenants by turns."""
    assert scripts
    turns = zip(range(count), cycle(scripts), strict=False)
    return [
        Session(f"session-{number:04}", tenants[number // len(scripts) % len(tenants)], surface, found)
        for number, (surface, found) in turns
    ]


class Player:
    """Plays sessions at an address as an SDK does: what fails is sent again. `tries` has all requests that ended."""

    def __init__(self, client: aiohttp.ClientSession, url: Callable[[Session], str], keys: dict[str, str]) -> None:
        self.tries: list[Try] = []
        self.may_end = asyncio.Event()
        self._client = client
        self._url = url
        self._keys = keys
        self._ended = asyncio.Condition()

    async def play(self, session: Session) -> None:
        """All steps of a session, one after another; the last one when it may end."""
        *steps, last = range(len(session.bodies))
        for step in steps:
            await self.step(session, step)
        await self.may_end.wait()
        await self.step(session, last)

    async def step(self, session: Session, step: int) -> None:
        """One step, until it has its answer."""
        body = session.body(step)
        for _ in range(TRIES):
            one = Try(session.name, step, time.monotonic())
            await self._ask(session, body, one)
            one.ended = time.monotonic()
            session.tries.append(one)
            self.tries.append(one)
            async with self._ended:
                self._ended.notify_all()
            if one.status == 200:
                return

    async def _ask(self, session: Session, body: bytes, one: Try) -> None:
        streamed = (one.step + int(session.name[-4:])) % STREAMED == 0
        headers = {
            "authorization": f"Bearer {self._keys[session.tenant]}",
            "content-type": "application/json",
            "x-ace-session": session.name,
            "x-step": f"{session.name}/{one.step}",
            **({"x-stream": str(MILLISECONDS)} if streamed else {}),
        }
        try:
            async with self._client.post(
                self._url(session) + PATHS[session.surface], data=body, headers=headers
            ) as answer:
                one.id = answer.headers.get("x-foldpoint-request-id", "")
                one.replica = answer.headers.get(SERVED_BY, "").rpartition(",")[2].strip()
                content = await answer.read()
                whole = content.startswith(FIRST) and content.endswith(LAST) if streamed else content == ANSWER
                one.status = answer.status if whole or answer.status != 200 else 0
        except aiohttp.ClientError:
            one.status = 0

    async def until(self, count: int) -> None:
        """Wait until so many requests ended."""
        async with self._ended:
            await self._ended.wait_for(lambda: len(self.tries) >= count)
