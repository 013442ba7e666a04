"""Providers that refuse, stall, talk nonsense or break off: a clear error in the caller's shape, never a hang."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable

import aiohttp
import pytest
from loopback import Answer, Got, gateway, plain, raw_exchange, silent, streamed

from foldpoint.core.record import Record
from foldpoint.gateway.serving import run
from foldpoint.gateway.upstream import PROBES, joined, probed, proxy_of

EVENT = b'data: {"a": 1}\n\n'
CHUNK = b"%x\r\n%s\r\n" % (len(EVENT), EVENT)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def asked(url: str, client: aiohttp.ClientSession, path: str = "/v1/messages") -> tuple[int, dict[str, object]]:
    async with client.post(url + path, data=b"{}") as answer:
        return answer.status, await answer.json()


def test_a_refused_connection_is_a_502_in_anthropics_shape() -> None:
    """The message says where, why, and which setting to look at; the headers of the skill are there all the same."""
    port = closed_port()

    async def main() -> tuple[int, dict[str, object], str | None, Record]:
        async with gateway(at=f"http://127.0.0.1:{port}") as it:
            async with it.client.post(it.url + "/anthropic/v1/messages", data=b"{}") as answer:
                said = await answer.json()
            return answer.status, said, answer.headers.get("x-ace-trajectory-compaction"), await it.recorder.first()

    status, said, verdict, record = run(main())
    why = f"cannot connect to http://127.0.0.1:{port}: Connection refused; see base_url in [upstreams.anthropic]"
    error = {"type": "error", "error": {"type": "api_error", "message": f"foldpoint: {why}"}, "request_id": record.id}
    assert (status, said, verdict, record.status) == (502, error, "compacted", 502)


def test_a_refused_connection_is_a_502_in_openais_shape() -> None:
    """On the folded path and on every other."""

    async def main() -> list[tuple[int, str]]:
        async with gateway(at=f"http://127.0.0.1:{closed_port()}") as it:
            both = [await asked(it.url, it.client, path) for path in ("/v1/chat/completions", "/v1/embeddings")]
            return [(status, said["error"]["type"]) for status, said in both]  # type: ignore[index]

    assert run(main()) == [(502, "server_error")] * 2


@pytest.mark.parametrize(
    ("path", "name", "body", "kind"),
    [
        (
            "/gemini/v1beta/models/g:generateContent", "gemini",
            lambda said: {"error": {"code": 502, "message": said, "status": "UNAVAILABLE"}}, None,
        ),
        ("/bedrock/model/m/converse", "bedrock", lambda said: {"message": said}, "ServiceUnavailableException"),
    ],
)  # fmt: skip
def test_a_refused_connection_is_a_502_in_the_shape_of_paths_that_pass_through(
    path: str, name: str, body: Callable[[str], dict[str, object]], kind: str | None
) -> None:
    """Gemini's and Bedrock's, the type of the latter in its header."""
    base = f"http://127.0.0.1:{closed_port()}"

    async def main() -> tuple[int, dict[str, object], str | None]:
        async with gateway(at=base) as it, it.client.post(it.url + path, data=b"{}") as answer:
            return answer.status, await answer.json(), answer.headers.get("x-amzn-ErrorType")

    message = f"foldpoint: cannot connect to {base}: Connection refused; see base_url in [upstreams.{name}]"
    assert run(main()) == (502, body(message), kind)


def test_an_unknown_name_is_a_502() -> None:
    """DNS."""

    async def main() -> tuple[int, str]:
        async with gateway(at="http://no-such-host.invalid") as it:
            status, said = await asked(it.url, it.client)
            return status, said["error"]["message"]  # type: ignore[index]

    assert run(main()) == (
        502,
        "foldpoint: cannot connect to http://no-such-host.invalid: its name is not known; "
        "see base_url in [upstreams.anthropic]",
    )


@pytest.mark.parametrize("limit", [1 << 20, 1])
def test_a_provider_without_tls_is_a_502_after_one_retry(limit: int) -> None:
    """Exactly two connections are made, for no byte was sent; a streamed body is whole for the second."""
    connections = 0

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.read(10)
        writer.write(b"this is not TLS\r\n")
        writer.close()

    async def main() -> int:
        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        async with gateway(at=f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", max_body_bytes=limit) as it:
            return (await asked(it.url, it.client))[0]

    assert (run(main()), connections) == (502, 2)


def test_a_silent_provider_is_a_504() -> None:
    """Once it kept silent for `upstream_timeout_seconds`; it sees that we left."""

    async def main() -> tuple[int, str, bool]:
        async with gateway(upstream_timeout_seconds=0.2) as it:
            it.provider.answer = silent()
            status, said = await asked(it.url, it.client)
            await asyncio.wait_for(it.provider.got[0].left.wait(), 5)
            return status, said["error"]["message"].partition(" sent ")[2], len(it.provider.got) == 1  # type: ignore[index]

    assert run(main()) == (504, "no answer within 0.2 s", True)


def test_a_slow_upload_is_not_a_silent_provider() -> None:
    """The provider's time begins when it has the whole body."""

    async def slowly() -> AsyncIterator[bytes]:
        for _ in range(8):
            yield b"x" * 10
            await asyncio.sleep(0.1)

    async def main() -> int:
        async with gateway(upstream_timeout_seconds=0.4, max_body_bytes=5) as it:
            answer = await it.client.post(it.url + "/v1/messages", data=slowly())
            return answer.status

    assert run(main()) == 200


def in_two_pieces(pause: float) -> Answer:
    """An answer that rests in its middle."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nab")
        for piece in (b"cd", b"ef"):
            await asyncio.sleep(pause)
            writer.write(piece)

    return answer


@pytest.mark.parametrize(
    ("limit", "pause", "body", "status"), [(1.0, 0.6, b"abcdef", 200), (0.2, 20, b"ab", 502), (0, 0.2, b"abcdef", 200)]
)
def test_an_answer_may_take_its_time_but_not_stall(limit: float, pause: float, body: bytes, status: int) -> None:
    """The limit counts from one piece to the next, not for the whole; after it the client's connection is cut."""

    async def main() -> tuple[bytes, int]:
        async with gateway(upstream_timeout_seconds=limit) as it:
            it.provider.answer = in_two_pieces(pause)
            request = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
            _, _, got = (await raw_exchange(it.url, request)).partition(b"\r\n\r\n")
            if status == 502:
                await asyncio.wait_for(it.provider.got[0].left.wait(), 5)
            return got, (await it.recorder.first()).status

    assert run(main()) == (body, status)


def test_a_client_that_is_slow_is_not_a_provider_that_is_silent() -> None:
    """While the client takes nothing, nobody waits for the provider."""
    answer = b"x" * (16 << 20)

    async def main() -> int:
        async with gateway(upstream_timeout_seconds=0.2) as it:
            it.provider.answer = plain(answer)
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as slow:
                await asyncio.sleep(0.6)
                return len(await slow.read())

    assert run(main()) == len(answer)


def test_a_provider_that_vanishes_is_found_out() -> None:
    """The sockets towards providers send probes."""

    def options() -> tuple[bool, list[int]]:
        address = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 1))
        with probed(address) as made:
            named = [getattr(socket, name) for name, _ in PROBES if hasattr(socket, name)]
            kept = made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
            return kept, [made.getsockopt(socket.IPPROTO_TCP, option) for option in named]

    assert options() == (True, [value for name, value in PROBES if hasattr(socket, name)])


def test_a_provider_that_closes_without_an_answer_is_a_502_and_not_asked_twice() -> None:
    """The body may have been acted on: only the client can know whether to send it again."""

    async def close(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def main() -> tuple[int, str, int]:
        async with gateway() as it:
            await asked(it.url, it.client)
            it.provider.answer = close
            status, said = await asked(it.url, it.client)
            return status, said["error"]["message"].partition("http")[0], len(it.provider.got)  # type: ignore[index]

    assert run(main()) == (502, "foldpoint: ", 2)


def test_an_idle_connection_that_the_provider_closed_is_not_used() -> None:
    """The next request gets a connection of its own."""

    async def once(got: Got, writer: asyncio.StreamWriter) -> None:
        await plain()(got, writer)
        await writer.drain()
        writer.close()

    async def main() -> tuple[list[int], int]:
        async with gateway() as it:
            it.provider.answer = once
            statuses = []
            for _ in range(3):
                statuses.append((await asked(it.url, it.client))[0])
                await asyncio.sleep(0.05)
            return statuses, it.provider.connections

    assert run(main()) == ([200, 200, 200], 3)


def test_connections_are_kept() -> None:
    """Ten requests, one connection."""

    async def main() -> int:
        async with gateway() as it:
            for _ in range(10):
                await asked(it.url, it.client)
            return it.provider.connections

    assert run(main()) == 1


def test_an_answer_that_is_not_http_is_a_502() -> None:
    """Said as such."""

    async def nonsense(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        await writer.drain()
        writer.close()

    async def main() -> int:
        async with gateway() as it:
            it.provider.answer = nonsense
            return (await asked(it.url, it.client))[0]

    assert run(main()) == 502


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/embeddings"])
def test_a_cut_stream_reaches_the_client_cut(path: str) -> None:
    """What came before the cut arrives, and no clean end."""

    async def main() -> bytes:
        async with gateway() as it:
            it.provider.answer = streamed(EVENT, EVENT, cut=True)
            request = f"POST {path} HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{{}}"
            return await raw_exchange(it.url, request.encode())

    _, _, body = run(main()).partition(b"\r\n\r\n")
    joined_chunk = b"%x\r\n%s\r\n" % (2 * len(EVENT), 2 * EVENT)
    assert body in (CHUNK * 2, joined_chunk)


@pytest.mark.parametrize("end", [b"", b"zz\r\n"])
def test_the_last_words_before_a_cut_arrive(end: bytes) -> None:
    """Some providers say what went wrong and hang up in one breath; broken framing is a cut too."""

    async def last_words(got: Got, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head + CHUNK)
        await asyncio.sleep(0.05)
        writer.write(CHUNK + end)
        writer.close()

    async def main() -> tuple[bytes, int]:
        async with gateway() as it:
            it.provider.answer = last_words
            request = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}"
            _, _, body = (await raw_exchange(it.url, request)).partition(b"\r\n\r\n")
            return body, (await it.recorder.first()).status

    assert run(main()) == (CHUNK * 2, 502)


def test_a_cut_stream_is_recorded() -> None:
    """With status 502 and what usage was read so far."""
    start = b'data: {"message": {"usage": {"input_tokens": 5, "output_tokens": 1}}}\n\n'

    async def main() -> Record:
        async with gateway() as it:
            it.provider.answer = streamed(start, cut=True)
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as answer:
                with pytest.raises(aiohttp.ClientPayloadError):
                    await answer.read()
            return await it.recorder.first()

    record = run(main())
    assert (record.status, record.usage and record.usage.input) == (502, 5)


def test_a_cut_answer_with_a_length_reaches_the_client_cut() -> None:
    """Fewer bytes than announced, then the end of the connection."""

    async def short(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
        await writer.drain()
        writer.close()

    async def main() -> bytes:
        async with gateway() as it:
            it.provider.answer = short
            return await raw_exchange(it.url, b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}")

    assert run(main()).endswith(b"\r\n\r\nabc")


def test_a_cut_answer_to_http_1_0_is_reset() -> None:
    """Where the end of the connection is the end of the answer, only a reset tells them apart."""

    async def main() -> bytes:
        async with gateway() as it:
            it.provider.answer = streamed(EVENT, cut=True)
            return await raw_exchange(it.url, b"POST /v1/messages HTTP/1.0\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}")

    with pytest.raises(ConnectionResetError):
        run(main())


def test_a_malformed_request_is_a_400() -> None:
    """Not even a request line."""

    async def main() -> bytes:
        async with gateway() as it:
            return await raw_exchange(it.url, b"NONSENSE\r\n\r\n")

    assert run(main()).startswith(b"HTTP/1.0 400")


@pytest.mark.parametrize(
    ("base", "target", "url"),
    [
        ("https://api.openai.com", "/v1/models", "https://api.openai.com/v1/models"),
        ("https://api.openai.com/v1", "/v1/models", "https://api.openai.com/v1/models"),
        ("http://localhost:8000/openai", "/v1/models", "http://localhost:8000/openai/v1/models"),
        ("https://g.example/v1beta", "/v1/models/m:x", "https://g.example/v1beta/v1/models/m:x"),
    ],
)
def test_a_base_url_may_name_the_version(base: str, target: str, url: str) -> None:
    """Many write it as the SDKs do."""
    assert str(joined(base, target)) == url


def test_loopback_needs_no_proxy() -> None:
    """Whatever the environment says."""
    assert [proxy_of(f"http://{host}:1") for host in ("localhost", "127.0.0.1", "[::1]")] == [None] * 3
