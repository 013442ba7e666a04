"""A client that leaves takes its upstream request with it."""

import asyncio

import pytest
from loopback import Gateway, Got, gateway, silent

from foldpoint.gateway.serving import run

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
EVENT = b'data: {"message": {"usage": {"input_tokens": 5}}}\n\n'
CHUNK = b"%x\r\n%s\r\n" % (len(EVENT), EVENT)
SECOND = 1.0


async def sent(it: Gateway) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Got]:
    """A request on a connection of its own, once the provider has it."""
    host, port = it.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}")
    return reader, writer, await it.provider.next()


@pytest.mark.parametrize(("answer", "status", "tokens"), [(b"", 0, None), (HEAD + CHUNK, 499, 5)])
def test_the_provider_sees_within_a_second_that_the_client_left(answer: bytes, status: int, tokens: int | None) -> None:
    """While it has not answered, and in the middle of a stream; the record says which, and what was billed by then."""

    async def main() -> tuple[int, int | None]:
        async with gateway() as it:
            it.provider.answer = silent(answer)
            reader, writer, got = await sent(it)
            if answer:
                await reader.readuntil(EVENT)
            writer.close()
            await asyncio.wait_for(got.left.wait(), SECOND)
            record = await it.recorder.first()
            return record.status, record.usage.input if record.usage else None

    assert run(main()) == (status, tokens)


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure() -> None:
    """Nothing reaches the provider, and the next request is served."""

    async def main() -> tuple[int, int]:
        async with gateway() as it:
            host, port = it.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 20\r\n\r\n{}")
            await writer.drain()
            writer.close()
            assert (await it.recorder.first()).status == 0
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as response:
                return response.status, len(it.provider.got)

    assert run(main()) == (200, 1)


def test_a_client_that_leaves_while_it_streams_its_body_is_seen_by_the_provider() -> None:
    """Over the limit the body is on its way already."""

    async def gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        over.set()
        writer.close()

    over = asyncio.Event()

    async def main() -> None:
        server = await asyncio.start_server(gone, "127.0.0.1", 0)
        async with gateway(at=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", max_body_bytes=5) as it:
            host, port = it.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 50\r\n\r\n1234567890")
            await asyncio.sleep(0.1)
            writer.close()
            await asyncio.wait_for(over.wait(), SECOND)

    assert run(main()) is None


def test_a_client_that_stops_reading_does_not_fill_memory() -> None:
    """The provider is held back; nothing is dropped."""
    size = 64 << 20
    sent_bytes = 0

    async def endless(got: Got, writer: asyncio.StreamWriter) -> None:
        nonlocal sent_bytes
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size)
        while sent_bytes < size:
            writer.write(b"x" * 65536)
            sent_bytes += 65536
            await writer.drain()

    async def main() -> int:
        async with gateway() as it:
            it.provider.answer = endless
            reader, writer, _ = await sent(it)
            await asyncio.sleep(0.5)
            held = sent_bytes
            await reader.readuntil(b"\r\n\r\n")
            received = 0
            while received < size:
                received += len(await reader.read(1 << 20))
            writer.close()
            return held

    assert run(main()) < size // 2
