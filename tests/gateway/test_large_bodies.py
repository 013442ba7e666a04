"""Bodies over the limit are streamed through, however they are framed, and memory stays flat."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from loopback import Canned, gateway

from foldpoint.gateway.serving import run

MIB = 1 << 20
PIECE = b"x" * (256 * 1024)


async def pieces(size: int) -> AsyncIterator[bytes]:
    """A body that is made as it goes."""
    for _ in range(size // len(PIECE)):
        yield PIECE


class Sink:
    """A provider that counts a body and keeps none of it."""

    def __init__(self) -> None:
        self.size = 0
        self.headers: dict[str, str] = {}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:-2]
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "content-length" in self.headers:
            left = int(self.headers["content-length"])
            while left:
                left -= await self._took(reader, min(left, MIB))
        else:
            while left := int(await reader.readline(), 16):
                while left:
                    left -= await self._took(reader, min(left, MIB))
                await reader.readline()
            await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    async def _took(self, reader: asyncio.StreamReader, most: int) -> int:
        size = len(await reader.read(most))
        self.size += size
        return size

    async def start(self) -> str:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("framing", ["content-length", "transfer-encoding"])
def test_96_mib_pass_in_flat_memory(framing: str) -> None:
    """A declared length is streamed at once, a growing body from the limit on; the framing stays the client's."""
    size, limit = 96 * MIB, 4 * MIB
    sink = Sink()
    engine = Canned()

    async def main() -> tuple[int, str | None, str | None, int]:
        async with gateway(engine, at=await sink.start(), max_body_bytes=limit) as it:
            headers = {"content-length": str(size)} if framing == "content-length" else {}
            tracemalloc.start()
            async with it.client.post(it.url + "/v1/messages", data=pieces(size), headers=headers) as answer:
                await answer.read()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            names = "x-ace-trajectory-compaction", "x-ace-trajectory-compaction-reason"
            return answer.status, answer.headers.get(names[0]), answer.headers.get(names[1]), peak

    status, verdict, reason, peak = run(main())
    assert (status, verdict, reason, sink.size, engine.asked) == (200, "skipped", "too_large", size, [])
    assert {"content-length", "transfer-encoding"} & sink.headers.keys() == {framing}
    assert peak < 24 * MIB


def test_a_body_of_64_mib_passes_at_the_default_limit() -> None:
    """The largest that is read whole."""
    sink = Sink()

    async def main() -> tuple[int, int]:
        async with gateway(at=await sink.start()) as it:
            answer = await it.client.post(it.url + "/v1/messages", data=pieces(64 * MIB))
            return answer.status, len(await answer.read())

    assert (run(main()), sink.size) == ((200, 2), 64 * MIB)


def test_a_body_one_byte_over_the_limit_is_the_clients_own() -> None:
    """What was read before the limit was passed is sent too, in order."""
    body = bytes(range(256)) * 4

    async def main() -> tuple[list[bytes], list[str | None]]:
        async with gateway(max_body_bytes=1023) as it:
            reasons = []
            for sent in (body, body[:1023]):
                async with it.client.post(it.url + "/v1/messages", data=sent) as answer:
                    reasons.append(answer.headers.get("x-ace-trajectory-compaction-reason"))
            return [got.body for got in it.provider.got], reasons

    assert run(main()) == ([body, body[:1023]], ["too_large", "fold_moved"])


def test_a_large_body_is_recorded() -> None:
    """As skipped, with the size it announced."""

    async def main() -> tuple[str, str, int, str]:
        async with gateway(max_body_bytes=10) as it:
            async with it.client.post(
                it.url + "/v1/messages", data=b"x" * 99, headers={"x-ace-session": "s"}
            ) as answer:
                await answer.read()
            record = await it.recorder.first()
            return record.verdict, record.reason, record.bytes_before, record.session

    assert run(main()) == ("skipped", "too_large", 99, "s")


def test_a_provider_that_refuses_before_the_body_is_whole_is_heard() -> None:
    """Its answer reaches the client."""

    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.close()

    async def main() -> int:
        server = await asyncio.start_server(early, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with gateway(at=url, max_body_bytes=10) as it:
            answer = await it.client.post(it.url + "/v1/messages", data=b"x" * MIB)
            return answer.status

    assert run(main()) == 413


def test_a_broken_body_is_a_400() -> None:
    """Chunks that are none, below the limit and above it."""

    async def status(url: str, body: bytes) -> bytes:
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\n" + body)
        line = await reader.readline()
        writer.close()
        return line.split()[1]

    async def main() -> list[bytes]:
        async with gateway(max_body_bytes=10) as it:
            return [await status(it.url, b"zz\r\n"), await status(it.url, b"14\r\n" + b"x" * 20 + b"\r\nzz\r\n")]

    assert run(main()) == [b"400", b"400"]
