"""A provider on a real loopback port that says what it got byte by byte, and the real gateway in front of it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from aiohttp import web

from foldpoint.config import Aws, GatewaySettings, Settings, StoreSettings, Upstream
from foldpoint.core.hidden import Hidden
from foldpoint.core.key import Exceeded, Key, KeyLimits
from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.receipt import Receipt, Stage
from foldpoint.core.record import Record
from foldpoint.gateway.app import create_app
from foldpoint.gateway.callers import Engines
from foldpoint.gateway.keyring import digest_of
from foldpoint.gateway.modes import Consulted
from foldpoint.gateway.serving import listening
from foldpoint.stores import Newest, Ring, StoreError
from foldpoint.telemetry.otlp import Otlp
from foldpoint.telemetry.telling import Telling
from foldpoint.telemetry.watching import Watching

Answer = Callable[["Got", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Got:
    """One request as it stood on the wire; `left` is set when its sender goes before the answer is whole."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def values(self, name: str) -> list[str]:
        return [value for given, value in self.headers if given.lower() == name]


def plain(body: bytes = b"{}", head: str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n") -> Answer:
    """An answer with a length."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)

    return answer


def streamed(
    *pieces: bytes, head: str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n", cut: bool = False
) -> Answer:
    """A chunked answer, each piece by itself; `cut` ends the connection where the last chunk would be."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        for piece in pieces:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0.002)
        if cut:
            writer.close()
        else:
            writer.write(b"0\r\n\r\n")

    return answer


def silent(head: bytes = b"") -> Answer:
    """An answer that stops after `head` and waits until the other side leaves."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await got.left.wait()

    return answer


class Provider:
    """Answers every request with `answer` and remembers what it got. `connections` counts the connections made."""

    def __init__(self) -> None:
        self.answer: Answer = plain()
        self.got: list[Got] = []
        self.connections = 0
        self.url = ""
        self._arrived = asyncio.Event()

    async def next(self) -> Got:
        """The next request that comes in, or came in last."""
        await asyncio.wait_for(self._arrived.wait(), 20)
        return self.got[-1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *rest = head.decode().removesuffix("\r\n\r\n").split("\r\n")
                got = Got(line, [(name, value) for name, _, value in (row.partition(": ") for row in rest)], b"")
                got.body = await read_body(got, reader)
                self.got.append(got)
                self._arrived.set()
                watch = asyncio.ensure_future(watch_for_end(reader, got))
                await self.answer(got, writer)
                await writer.drain()
                watch.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watch
                if writer.is_closing():
                    break
        writer.close()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Provider"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 20)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()


async def watch_for_end(reader: asyncio.StreamReader, got: Got) -> None:
    """Say when the sender is gone. Nobody sends more before the answer is whole."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)
    got.left.set()


async def read_body(got: Got, reader: asyncio.StreamReader) -> bytes:
    """The body by its framing, chunks put together."""
    if got.values("transfer-encoding") != ["chunked"]:
        return await reader.readexactly(int((got.values("content-length") or ["0"])[0]))
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)


class Recorded:
    """A recorder that keeps what it is given."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.messages: list[bytes | None] = []
        self.hidden: list[Hidden] = []
        self.failing = False
        self._more = asyncio.Event()

    def put(self, record: Record, messages: bytes | None = None, hidden: Sequence[Hidden] = ()) -> None:
        self.records.append(record)
        self.messages.append(messages)
        self.hidden += hidden
        self._more.set()

    def keep(self, record: Record, hidden: Sequence[Hidden]) -> None:
        self.hidden += hidden

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def first(self) -> Record:
        """The first record, once it is there: it is written after the answer ended."""
        await asyncio.wait_for(self._more.wait(), 20)
        return self.records[0]


STAGE = Stage("agent_trajectory_compaction", "compacted", 4, 6, "0123456789ab")
COMPACTED = Receipt(
    "compacted",
    "fold_moved",
    sealed=4,
    total=6,
    messages_before=13,
    messages_after=6,
    tokens_before=900,
    tokens_after=400,
    tokens_saved=500,
    checkpoint="0123456789ab",
    write_tokens=77,
    held=1,
    moved=True,
    stages=(STAGE,),
)


class Canned:
    """An engine that gives the same answer to every body; `body` None gives the caller's own back."""

    def __init__(
        self, body: bytes | None = None, receipt: Receipt = COMPACTED, opening: str = "00112233aabbccdd"
    ) -> None:
        self.asked: list[tuple[bytes, str, str | None]] = []
        self.tenants: list[str] = []
        self._body, self._receipt, self._opening = body, receipt, opening

    def fold(self, body: bytes, surface: str, path: str | None = None, *, tenant: str = "local") -> Consulted:
        self.asked.append((body, surface, path))
        self.tenants.append(tenant)
        return Consulted(body if self._body is None else self._body, self._receipt, self._opening, "a-model")


def chat(turns: int) -> bytes:
    """A chat body of as many turns, each with a long result."""
    messages: list[Any] = [{"role": "user", "content": "Read all parts."}]
    for n in range(turns):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": f"Part {n}.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": f"part {n}: " + "a quick fox; " * 300})
    return msgspec.json.encode({"model": "gpt-6-sol", "messages": messages})


class KeysInMemory:
    """Keys without a store; `away` is what a store that fails does."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Key] = {}
        self.away = False
        self.asked = 0

    def secret(self) -> bytes:
        return b"what digests are keyed with"

    def key_by(self, digest: bytes) -> Key | None:
        self.asked += 1
        if self.away:
            raise StoreError("the store is away")
        return self.kept.get(digest)

    def add(self, secret: str, **fields: Any) -> Key:
        """Keep a key; gives it back."""
        key = Key(**{"id": f"key_{len(self.kept)}", **fields})
        self.kept[digest_of(self.secret(), secret.encode())] = key
        return key


class Unlimited:
    """A limiter that lets everything in, but for what it is told; it remembers what it was told."""

    def __init__(self, exceeded: Exceeded | None = None) -> None:
        self.told: list[tuple[object, ...]] = []
        self.exceeded = exceeded
        self.released = asyncio.Event()

    async def admit(self, key: str, limits: KeyLimits, request: str) -> Exceeded | None:
        self.told.append(("admit", key))
        return self.exceeded

    async def release(self, key: str, limits: KeyLimits, request: str, tokens: int) -> None:
        self.told.append(("release", key, tokens))
        self.released.set()


class Alone:
    """What is shared where nobody else is there. It is its own limiter's, ring's and news' home."""

    def __init__(self, limiter: Unlimited | None = None) -> None:
        self.limiter = limiter or Unlimited()
        self.newest: Newest = Ring()
        self.failing = False
        self.told: list[str] = []

    def news(self, forget: Callable[[str], None], forget_all: Callable[[], None]) -> "Alone":
        return self

    async def changed(self, key: str) -> None:
        self.told.append(key)

    async def start(self) -> None: ...

    async def close(self) -> None: ...


def app_of(
    settings: Settings,
    recorder: Any,
    *,
    engine: Any = None,
    engines: Engines | None = None,
    store: Any = None,
    shared: Alone | None = None,
) -> web.Application:
    """The application with what the test gives it, the rest without effect. `engine` folds for every policy."""
    made = engine or Canned()
    return create_app(
        settings=settings,
        engines=engines or (lambda policy: made),
        recorder=recorder,
        store=store or KeysInMemory(),
        shared=shared or Alone(),
        telling=Telling(Watching([]), None, Otlp()),
    )


@dataclass
class Gateway:
    """The running gateway, what stands behind it, and a client that decodes nothing."""

    url: str
    provider: Provider
    recorder: Recorded
    client: aiohttp.ClientSession


NO_KEYS = Aws()


def settings_for(
    url: str,
    mode: str = "prod",
    keep_session_id: bool = False,
    api_key: str | None = None,
    aws: Aws = NO_KEYS,
    **gateway: object,
) -> Settings:
    """Settings with every provider at one address."""
    upstream = Upstream(base_url=url, keep_session_id=keep_session_id, api_key=api_key, aws=aws)
    return Settings(
        gateway=GatewaySettings(**gateway),  # type: ignore[arg-type]
        store=StoreSettings(),
        upstreams=dict.fromkeys(("openai", "anthropic", "gemini", "bedrock"), upstream),
        skills=Policy(agent_trajectory_compaction=Trajectory(mode=mode)),  # type: ignore[arg-type]
        data_dir=Path("unused"),
    )


@contextlib.asynccontextmanager
async def gateway(
    engine: Canned | None = None,
    *,
    at: str = "",
    keys: KeysInMemory | None = None,
    shared: Alone | None = None,
    **settings: object,
) -> AsyncIterator[Gateway]:
    """The gateway in front of a provider of its own; `at` is another provider's address."""
    recorder = Recorded()
    async with Provider().running() as provider:
        given = settings_for(at or provider.url, **settings)  # type: ignore[arg-type]
        app = app_of(given, recorder, engine=engine, store=keys, shared=shared)
        listens = listening(app, "127.0.0.1", 0, patience=given.gateway.client_timeout_seconds)
        async with listens as url, aiohttp.ClientSession(auto_decompress=False) as client:
            yield Gateway(url, provider, recorder, client)


async def raw_exchange(url: str, request: bytes) -> bytes:
    """Send bytes on a connection of their own; all that comes back until it is closed."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.read(), 20)
    finally:
        writer.close()
