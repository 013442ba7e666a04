"""The gateway as a process: it drains at SIGTERM and ends."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from loopback import Got, Provider

from foldpoint.gateway.serving import run

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Stream:
    """An answer that says its first event and goes on when it is let."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"3\r\none\r\n")
        await self.go.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")


@contextlib.asynccontextmanager
async def served(provider: Provider, drain: float) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The process and its address."""
    here = Path(__file__).parent
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(here / "served.py"),
        provider.url,
        str(drain),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip(), process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@contextlib.asynccontextmanager
async def streaming(
    drain: float,
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process, aiohttp.ClientResponse, Stream]]:
    """A served gateway in the middle of a stream, at the moment after SIGTERM."""
    async with (
        Provider().running() as provider,
        served(provider, drain) as (url, process),
        aiohttp.ClientSession() as client,
    ):
        provider.answer = stream = Stream()
        async with client.post(url + "/v1/messages", data=b"{}") as answer:
            await answer.content.readany()
            process.send_signal(signal.SIGTERM)
            yield url, process, answer, stream


async def status_of(url: str) -> int:
    async with aiohttp.ClientSession() as client, client.get(url) as answer:
        return answer.status


def test_sigterm_lets_a_stream_end() -> None:
    """It is not ready while the stream goes on, and ends with it; then nobody listens."""

    async def main() -> tuple[int, int, bytes, int]:
        async with streaming(drain=20) as (url, process, answer, stream):
            while (ready := await status_of(url + "/readyz")) == 200:
                continue
            live = await status_of(url + "/livez")
            stream.go.set()
            rest = await answer.content.read()
            code = await asyncio.wait_for(process.wait(), 10)
            with pytest.raises(aiohttp.ClientConnectorError):
                await status_of(url + "/livez")
            return ready, live, rest, code

    assert run(main()) == (503, 200, b"two", 0)


def test_a_stream_longer_than_the_drain_is_cut() -> None:
    """Never a clean end."""

    async def main() -> int:
        async with streaming(drain=0.2) as (_, process, answer, _):
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.content.read()
            return await asyncio.wait_for(process.wait(), 10)

    assert run(main()) == 0


def test_a_second_signal_stops_at_once() -> None:
    """Nobody has to wait for the drain."""

    async def main() -> int:
        async with streaming(drain=300) as (url, process, _, _):
            while await status_of(url + "/readyz") == 200:
                continue
            process.send_signal(signal.SIGTERM)
            return await asyncio.wait_for(process.wait(), 10)

    assert run(main()) == 0


def test_an_idle_gateway_ends_at_once() -> None:
    """SIGINT counts as well, and connections that are merely kept do not hold it up."""

    async def main() -> int:
        async with (
            Provider().running() as provider,
            served(provider, 300) as (url, process),
            aiohttp.ClientSession() as client,
        ):
            async with client.get(url + "/livez") as answer:
                await answer.read()
            process.send_signal(signal.SIGINT)
            return await asyncio.wait_for(process.wait(), 10)

    assert run(main()) == 0
