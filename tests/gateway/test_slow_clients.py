"""A client that keeps the gateway waiting is cut; one that is slow, and a provider that thinks, are not."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import pytest
from loopback import Gateway, Got, gateway, plain, silent

from foldpoint.gateway.serving import run

SECONDS = 0.4
"""What the clients of these tests are given."""
HEAD = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: %d\r\n\r\n"
STILL = "foldpoint: nothing of the request body came for as long as gateway.client_timeout_seconds allows"


@contextlib.asynccontextmanager
async def connected(it: Gateway) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection of its own to the gateway."""
    host, port = it.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 16)
    try:
        yield reader, writer
    finally:
        writer.close()


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the connection ends."""
    return await asyncio.wait_for(reader.read(), 20)


@pytest.mark.parametrize("sent", [b"", b"POST /v1/mess", HEAD[:-4] % 2])
def test_no_head_or_half_a_head_is_cut(sent: bytes) -> None:
    """Without an answer, and nobody else is kept from being served."""

    async def main() -> tuple[bytes, int]:
        async with gateway(client_timeout_seconds=SECONDS) as it, connected(it) as (reader, writer):
            writer.write(sent)
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as served:
                return await rest_of(reader), served.status

    assert run(main()) == (b"", 200)


@pytest.mark.parametrize("before", [b"", HEAD % 2 + b"{}"])
def test_a_head_that_comes_in_drops_is_cut(before: bytes) -> None:
    """Each byte comes in time, all of them do not; behind an answered request as at first."""

    async def drops(writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            for byte in HEAD * 9:
                writer.write(bytes((byte,)))
                await asyncio.sleep(SECONDS / 10)

    async def main() -> int:
        async with gateway(client_timeout_seconds=SECONDS) as it, connected(it) as (reader, writer):
            writer.write(before)
            if before:
                await reader.readuntil(b"\r\n\r\n{}")
            dropping = asyncio.ensure_future(drops(writer))
            await rest_of(reader)
            dropping.cancel()
            return len(it.provider.got)

    assert run(main()) == (1 if before else 0)


def test_a_connection_that_is_kept_is_no_slow_client() -> None:
    """It was used and says nothing now; the next request is served on it."""

    async def main() -> bytes:
        async with gateway(client_timeout_seconds=SECONDS) as it, connected(it) as (reader, writer):
            writer.write(HEAD % 2 + b"{}")
            await reader.readuntil(b"\r\n\r\n{}")
            await asyncio.sleep(3 * SECONDS)
            writer.write(HEAD % 2 + b"{}")
            return await reader.readuntil(b"\r\n\r\n{}")

    assert run(main()).split()[1] == b"200"


@pytest.mark.parametrize("limit", [1 << 20, 4])
def test_a_body_that_stays_still_is_a_408(limit: int, caplog: pytest.LogCaptureFixture) -> None:
    """In the caller's shape, whether it is read whole or streamed on; then the connection ends, and it is recorded."""
    caplog.set_level(0)

    async def main() -> tuple[bytes, int]:
        async with gateway(client_timeout_seconds=SECONDS, max_body_bytes=limit) as it:
            it.provider.answer = silent()
            async with connected(it) as (reader, writer):
                writer.write(HEAD % 50 + b'{"half":')
                return await rest_of(reader), (await it.recorder.first()).status

    answer, recorded = run(main())
    head, _, body = answer.partition(b"\r\n\r\n")
    assert (head.split()[1], json.loads(body)["error"], recorded) == (
        b"408",
        {"type": "timeout_error", "message": STILL},
        408,
    )
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


def test_a_slow_but_steady_body_is_served() -> None:
    """It takes three times as long as a client may stay still."""

    async def main() -> tuple[bytes, bytes]:
        async with gateway(client_timeout_seconds=SECONDS) as it, connected(it) as (reader, writer):
            writer.write(HEAD % 30)
            for _ in range(30):
                await asyncio.sleep(SECONDS / 10)
                writer.write(b"x")
            return (await reader.readuntil(b"\r\n")).split()[1], it.provider.got[0].body

    assert run(main()) == (b"200", b"x" * 30)


async def flooding(got: Got, writer: asyncio.StreamWriter) -> None:
    """An answer that does not end before its reader goes."""
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while not got.left.is_set():
        writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        await writer.drain()


def test_a_client_that_does_not_read_its_answer_is_cut() -> None:
    """The provider is let go of, and it is recorded like a client that left."""

    async def main() -> int:
        async with gateway(client_timeout_seconds=SECONDS) as it:
            it.provider.answer = flooding
            async with connected(it) as (_, writer):
                writer.write(HEAD % 2 + b"{}")
                got = await it.provider.next()
                await asyncio.wait_for(got.left.wait(), 20)
                return (await it.recorder.first()).status

    assert run(main()) == 499


def test_an_answer_that_was_cut_does_not_look_whole() -> None:
    """Fewer bytes came than it announced."""
    size = 64 << 20

    async def main() -> int:
        async with gateway(client_timeout_seconds=SECONDS) as it:
            it.provider.answer = plain(b"x" * size)
            async with connected(it) as (reader, writer):
                writer.write(HEAD % 2 + b"{}")
                assert (await it.recorder.first()).status == 499
                with contextlib.suppress(ConnectionError):
                    return len(await rest_of(reader))
                return 0

    assert run(main()) < size


def test_a_slow_but_steady_reader_is_served() -> None:
    """It takes longer than a client may stay still, over more than what the system holds for it."""
    size = 48 << 20

    async def main() -> int:
        async with gateway(client_timeout_seconds=SECONDS) as it:
            it.provider.answer = plain(b"x" * size)
            async with connected(it) as (reader, writer):
                writer.write(HEAD % 2 + b"{}")
                await reader.readuntil(b"\r\n\r\n")
                read = 0
                for _ in range(12):
                    await asyncio.sleep(SECONDS / 4)
                    read += len(await reader.readexactly(4 << 20))
                return read

    assert run(main()) == size


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"])
def test_a_provider_that_thinks_is_not_the_clients_fault(head: bytes) -> None:
    """Before its answer and within it."""

    async def thinking(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await asyncio.sleep(3 * SECONDS)
        writer.write(b"{}" if head else b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

    async def main() -> bytes:
        async with gateway(client_timeout_seconds=SECONDS) as it:
            it.provider.answer = thinking
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as answer:
                return await answer.read()

    assert run(main()) == b"{}"


def test_zero_is_for_ever() -> None:
    """Nothing is cut."""

    async def main() -> bytes:
        async with gateway(client_timeout_seconds=0) as it, connected(it) as (reader, writer):
            await asyncio.sleep(SECONDS)
            writer.write(HEAD[:20])
            await asyncio.sleep(SECONDS)
            writer.write((HEAD % 2)[20:] + b"{")
            await asyncio.sleep(SECONDS)
            writer.write(b"}")
            return await reader.readuntil(b"\r\n")

    assert run(main()).split()[1] == b"200"
