"""A gateway that was told to stop fails nobody who can't know it, and lets those know who ask."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

import aiohttp
import pytest
from loopback import Provider, plain
from test_serving import Stream, served, status_of

from foldpoint.gateway.serving import CLOSE_SECONDS, run

REQUEST = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}"
Process = asyncio.subprocess.Process


class Raw:
    """A connection of a client that keeps it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def ask(self) -> None:
        """Send a request."""
        self._writer.write(REQUEST)

    async def until(self, end: bytes) -> bytes:
        """What comes, up to there."""
        async with asyncio.timeout(20):
            return await self._reader.readuntil(end)


async def connected(url: str) -> Raw:
    host, port = url.removeprefix("http://").split(":")
    return Raw(*await asyncio.open_connection(host, int(port)))


async def draining(url: str) -> None:
    """Wait until it says so."""
    while await status_of(url + "/readyz") == 200:
        continue


async def asked(url: str) -> tuple[int, str] | None:
    """Status and `connection` of an answer on a new connection; None where it is refused."""
    try:
        async with aiohttp.ClientSession() as client, client.post(url + "/v1/messages") as answer:
            return answer.status, answer.headers["connection"]
    except aiohttp.ClientConnectorError:
        return None


@contextlib.asynccontextmanager
async def busy(drain: float) -> AsyncIterator[tuple[str, Process, Provider, Raw, Stream]]:
    """A gateway that was told to stop in the middle of a stream."""
    async with Provider().running() as provider, served(provider, drain) as (url, process):
        provider.answer = stream = Stream()
        client = await connected(url)
        client.ask()
        await client.until(b"one\r\n")
        process.send_signal(signal.SIGTERM)
        await draining(url)
        yield url, process, provider, client, stream
        stream.go.set()
        assert await asyncio.wait_for(process.wait(), 20) == 0


def test_who_never_asks_is_served_for_a_while_and_then_refused() -> None:
    """Each of its connections ends with the answer, and says so; the stream that is open goes on to its end."""

    async def main() -> set[tuple[int, str]]:
        answers = set()
        async with busy(drain=9) as (url, _, provider, client, stream):
            provider.answer = plain()
            while answer := await asked(url):
                answers.add(answer)
            await asyncio.sleep(2 * CLOSE_SECONDS)
            stream.go.set()
            assert (await client.until(b"0\r\n\r\n")).endswith(b"two\r\n0\r\n\r\n")
        return answers

    assert run(main()) == {(200, "close")}


def test_who_asks_is_told_until_the_end() -> None:
    """While no request comes there is nobody to be turned away."""

    async def main() -> list[int]:
        async with busy(drain=6) as (url, _, _, _, _):
            await asyncio.sleep(3)
            return [await status_of(url + path) for path in ("/readyz", "/livez")]

    assert run(main()) == [503, 200]


def test_a_connection_is_not_ended_without_a_word() -> None:
    """One whose answer had begun before takes another request, whose answer says that it is the last."""

    async def main() -> bytes:
        async with busy(drain=20) as (url, _, provider, client, stream):
            other = await connected(url)
            provider.answer = second = Stream()
            other.ask()
            await other.until(b"one\r\n")
            stream.go.set()
            await client.until(b"0\r\n\r\n")
            provider.answer = plain()
            client.ask()
            head = await client.until(b"\r\n\r\n")
            second.go.set()
        return head

    head = run(main())
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\nConnection: close\r\n" in head


@pytest.mark.parametrize("count", [1, 2, 9])
def test_who_waits_at_the_door_is_let_in(count: int) -> None:
    """A connection that the system had taken before the gateway knew of it is served."""

    async def main() -> list[bytes]:
        async with Provider().running() as provider, served(provider, 20) as (url, process):
            process.send_signal(signal.SIGSTOP)
            clients = [await connected(url) for _ in range(count)]
            for client in clients:
                client.ask()
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            heads = [await client.until(b"\r\n\r\n") for client in clients]
            assert await asyncio.wait_for(process.wait(), 20) == 0
            return [head.partition(b"\r\n")[0] for head in heads]

    assert run(main()) == [b"HTTP/1.1 200 OK"] * count
