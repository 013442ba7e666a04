"""What one connection can make the gateway hold or do is bounded, and others are served meanwhile."""

import asyncio
import contextlib
import tracemalloc

import pytest
from loopback import Gateway, gateway, silent

from foldpoint import Engine
from foldpoint.gateway.serving import run

MIB = 1 << 20
CHUNKED = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\n"


async def connection(it: Gateway) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = it.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port), limit=MIB)


async def other_status(it: Gateway) -> int:
    """What another client hears."""
    async with it.client.get(it.url + "/livez") as answer:
        return answer.status


async def poured(it: Gateway, begin: bytes, piece: bytes, most: int) -> tuple[bytes, int, int, int]:
    """Send `begin` and up to `most` pieces; the answer's status, pieces sent, most memory used, another's status."""
    reader, writer = await connection(it)
    tracemalloc.start()
    heard = asyncio.ensure_future(reader.read())
    writer.write(begin)
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < most and not heard.done():
            writer.write(piece)
            sent += 1
            await writer.drain()
            await asyncio.sleep(0)
    other = await other_status(it)
    try:
        answer = await asyncio.wait_for(heard, 20)
    except ConnectionError:
        answer = b""
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    writer.close()
    return answer[9:12], sent, peak, other


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        pytest.param(b"GET /", b"x" * 65536, id="a target"),
        pytest.param(b"GET / HTTP/1.1\r\nx: ", b"x" * 65536, id="a header"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"x: " + b"x" * 60_000 + b"\r\n", id="headers"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 100, id="short headers"),
        pytest.param(b"", b"\r\n" * 32768, id="blank lines"),
        pytest.param(CHUNKED + b"1;x=", b"x" * 65536, id="a chunk extension"),
        pytest.param(CHUNKED, b"1;" + b"x" * 1000 + b"\r\n{\r\n", id="chunk extensions"),
        pytest.param(CHUNKED, b"1\r\n{\r\n" * 10_000, id="tiny chunks"),
        pytest.param(CHUNKED + b"0\r\n", b"x: " + b"x" * 60_000 + b"\r\n", id="trailers"),
    ],
)
def test_what_never_ends_is_refused(begin: bytes, piece: bytes) -> None:
    """With a 400 or a cut, long before it is a gigabyte; in little memory."""

    async def main() -> tuple[bytes, int, int, int]:
        async with gateway(max_body_bytes=16 * MIB) as it:
            return await poured(it, begin, piece, (1 << 30) // len(piece))

    status, sent, peak, other = run(main())
    assert (status in (b"400", b""), sent * len(piece) < 48 * MIB, peak < 24 * MIB, other) == (True, True, True, 200)


@pytest.mark.parametrize("limit", [1, 16 * MIB])
def test_a_body_in_small_chunks_is_served(limit: int) -> None:
    """Of some bytes each, as a client sends that writes its JSON as it goes."""

    async def main() -> tuple[bytes, int]:
        async with gateway(max_body_bytes=limit) as it:
            reader, writer = await connection(it)
            writer.write(CHUNKED + b"8\r\nabcdefgh\r\n" * 100_000 + b"0\r\n\r\n")
            line = await asyncio.wait_for(reader.readline(), 20)
            writer.close()
            return line.split()[1], len(it.provider.got[0].body)

    assert run(main()) == (b"200", 800_000)


def test_ten_thousand_requests_at_once_wait_where_they_are() -> None:
    """Behind one that is not answered: in the client's own memory, not in the gateway's."""
    request = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\nx: %s\r\ncontent-length: 2\r\n\r\n{}" % (b"x" * 5_000)

    async def main() -> tuple[int, int, bool, int]:
        async with gateway() as it:
            it.provider.answer = silent()
            _, writer = await connection(it)
            tracemalloc.start()
            for _ in range(10_000):
                writer.write(request)
            held = tracemalloc.get_traced_memory()[0]
            await it.provider.next()
            await asyncio.sleep(0.5)
            grown = tracemalloc.get_traced_memory()[1] - held
            tracemalloc.stop()
            left = writer.transport.get_write_buffer_size() > 30 * MIB
            other = await other_status(it)
            writer.close()
            return len(it.provider.got), grown, left, other

    asked, grown, left, other = run(main())
    assert (asked, grown < 4 * MIB, left, other) == (1, True, True, 200)


def test_ten_thousand_requests_at_once_are_answered() -> None:
    """Each of them, in order."""

    async def main() -> int:
        async with gateway() as it:
            reader, writer = await connection(it)
            writer.write(b"GET /livez HTTP/1.1\r\nhost: g\r\n\r\n" * 9_999)
            writer.write(b"GET /livez HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")
            answers = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            return answers.count(b"HTTP/1.1 200 OK\r\n")

    assert run(main()) == 10_000


def test_the_name_of_a_model_is_recorded_as_far_as_a_name_goes() -> None:
    """Records are kept in memory and listed by the hundred: a client may not make one of megabytes."""

    async def main() -> None:
        async with gateway(Engine()) as it:
            body = b'{"model":"%s","messages":[{"role":"user","content":"hi"}]}' % (b"m" * 1_000_000)
            async with it.client.post(f"{it.url}/v1/messages", data=body) as answer:
                assert answer.status == 200
            assert (await it.recorder.first()).model == "m" * 256

    run(main())
