"""What passes through the gateway passes as it is: request, answer, headers, bytes."""

import asyncio
import gzip

import pytest
from loopback import gateway, plain, raw_exchange, silent, streamed

from foldpoint.gateway.serving import run

BODY = b'{"model": "m",  "messages": [{"role":"user","content":"\\u00e9"}], "x": 12345678901234567890}'


@pytest.mark.parametrize(
    ("method", "target", "provider_target"),
    [
        ("GET", "/v1/models?limit=1000", "/v1/models?limit=1000"),
        ("GET", "/anthropic/v1/models", "/v1/models"),
        ("DELETE", "/v1/files/a%2Fb", "/v1/files/a%2Fb"),
        ("POST", "/bedrock/model/a.b-v1%3A0/converse?x=%20+", "/model/a.b-v1%3A0/converse?x=%20+"),
        ("POST", "/gemini/v1beta/models/g:generateContent", "/v1beta/models/g:generateContent"),
        ("POST", "/v1/messages/count_tokens?beta=true", "/v1/messages/count_tokens?beta=true"),
        ("PUT", "/v1//a/../b;c=[1]", "/v1//a/../b;c=[1]"),
        ("POST", "/anthropic/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("POST", "/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("POST", "/v1/chat/completions", "/v1/chat/completions"),
    ],
)
def test_method_path_and_query_reach_the_provider_as_they_are(method: str, target: str, provider_target: str) -> None:
    """Escapes, double slashes and dots are not touched."""

    async def main() -> str:
        async with gateway() as it:
            request = f"{method} {target} HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"
            await raw_exchange(it.url, request.encode())
            return it.provider.got[0].line

    assert run(main()) == f"{method} {provider_target} HTTP/1.1"


def test_request_headers_are_kept_in_order_case_and_number() -> None:
    """Only what belongs to a connection, and what is said to us, stays behind."""
    sent = [
        "Host: gateway",
        "X-Odd-CASE: 1",
        "anthropic-beta: a",
        "Connection: keep-alive, x-Nominated",
        "x-nominated: 1",
        "Anthropic-Beta: b",
        "Content-Length: 2",
        "keep-alive: 5",
        "TE: trailers",
        "proxy-authorization: secret",
        "x-ace-session: s",
        "x-foldpoint-mode: prod",
        "AUTHORIZATION: Bearer k",
        "accept-encoding: gzip, br",
        "x-unicode: ü",
        "Connection: close",
    ]

    async def main() -> tuple[list[tuple[str, str]], str]:
        async with gateway() as it:
            await raw_exchange(it.url, ("POST /v1/messages HTTP/1.1\r\n" + "\r\n".join(sent) + "\r\n\r\n{}").encode())
            return it.provider.got[0].headers, it.provider.url

    headers, url = run(main())
    assert headers == [
        ("Host", url.removeprefix("http://")),
        ("X-Odd-CASE", "1"),
        ("anthropic-beta", "a"),
        ("anthropic-beta", "b"),
        ("Content-Length", "2"),
        ("AUTHORIZATION", "Bearer k"),
        ("accept-encoding", "gzip, br"),
        ("x-unicode", "ü"),
    ]


def test_a_chunked_request_is_sent_with_its_length() -> None:
    """Never both a length and chunks."""

    async def main() -> tuple[list[tuple[str, str]], bytes]:
        async with gateway() as it:
            head = "POST /v1/embeddings HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
            await raw_exchange(it.url, head.encode() + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            got = it.provider.got[0]
            return [pair for pair in got.headers if pair[0].lower() != "host"], got.body

    assert run(main()) == ([("Content-Length", "5")], b"abcde")


def test_a_get_has_no_body_headers() -> None:
    """Nothing is added to a request without a body."""

    async def main() -> list[tuple[str, str]]:
        async with gateway() as it:
            await raw_exchange(it.url, b"GET /v1/models HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")
            return [pair for pair in it.provider.got[0].headers if pair[0].lower() != "host"]

    assert run(main()) == []


def test_expect_100_continue_is_answered() -> None:
    """The client is told to go on, and the provider sees the body without the expectation."""

    async def main() -> tuple[bytes, bytes, list[str]]:
        async with gateway() as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(
                b"POST /v1/messages HTTP/1.1\r\nhost: g\r\nexpect: 100-continue\r\ncontent-length: 2\r\n"
                b"connection: close\r\n\r\n"
            )
            told = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"{}")
            status = await reader.readline()
            writer.close()
            return told, status, it.provider.got[0].values("expect")

    assert run(main()) == (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n", [])


def test_the_answer_keeps_status_reason_and_headers() -> None:
    """Headers come twice where they came twice; none of the server's own is added but the date."""
    head = (
        "HTTP/1.1 429 Slow Down Please\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nretry-after-ms: 12\r\n"
        "X-Odd-CASE: yes\r\nConnection: keep-alive, x-hop\r\nx-hop: 1\r\nKeep-Alive: timeout=5\r\n"
    )

    async def main() -> bytes:
        async with gateway(mode="off") as it:
            it.provider.answer = plain(b'{"e":1}', head)
            return await raw_exchange(it.url, b"GET /v1/models HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")

    lines, _, body = run(main()).decode().partition("\r\n\r\n")
    status, *headers = lines.split("\r\n")
    kept = [header for header in headers if not header.lower().startswith(("date", "x-foldpoint-"))]
    assert (status, kept, body) == (
        "HTTP/1.1 429 Slow Down Please",
        ["Set-Cookie: a=1", "set-cookie: b=2", "retry-after-ms: 12", "X-Odd-CASE: yes", "content-length: 7",
         "Connection: close"],
        '{"e":1}',
    )  # fmt: skip


def test_a_stream_arrives_byte_for_byte() -> None:
    """Comments, pings and characters cut in two pass as they are."""
    pieces = [
        b": ping\n\n",
        b"event: ping\ndata: {}\n\n",
        b"data: \xf0\x9f",
        b"\x98\x80\r\n",
        b"\n",
        b"data: [DONE]\n\n",
    ]

    async def main() -> tuple[bytes, str | None]:
        async with gateway() as it:
            it.provider.answer = streamed(*pieces)
            async with it.client.post(it.url + "/v1/chat/completions", data=BODY) as answer:
                return await answer.read(), answer.headers.get("content-type")

    assert run(main()) == (b"".join(pieces), "text/event-stream")


def test_a_stream_is_not_held_back() -> None:
    """The head and the first event are with the client while the provider has not gone on."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    async def main() -> tuple[int, int, bytes]:
        async with gateway() as it:
            it.provider.answer = silent(head)
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                before = answer.status
            it.provider.answer = silent(head + b"6\r\n: hi\n\n\r\n")
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                return before, answer.status, await answer.content.readany()

    assert run(main()) == (200, 200, b": hi\n\n")


def test_a_compressed_answer_is_not_unpacked() -> None:
    """The bytes and the encoding stay."""
    packed = gzip.compress(b'{"ok": true}')

    async def main() -> tuple[bytes, str | None]:
        async with gateway() as it:
            head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n"
            it.provider.answer = plain(packed, head)
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                return await answer.read(), answer.headers.get("content-encoding")

    assert run(main()) == (packed, "gzip")


def test_head_and_empty_answers_have_no_body() -> None:
    """A HEAD keeps the length it announces, a 204 has none."""

    async def head_answer(got: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n")

    async def empty(got: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    async def main() -> tuple[str | None, int, bytes]:
        async with gateway() as it:
            it.provider.answer = head_answer
            async with it.client.head(it.url + "/v1/files/x") as answer:
                length = answer.headers.get("content-length")
            it.provider.answer = empty
            async with it.client.delete(it.url + "/v1/files/x") as answer:
                return length, answer.status, await answer.read()

    assert run(main()) == ("1234", 204, b"")


def test_redirects_are_the_clients() -> None:
    """A redirect is handed on, not followed."""

    async def main() -> tuple[int, str | None, int]:
        async with gateway() as it:
            it.provider.answer = plain(b"", "HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\n")
            async with it.client.get(it.url + "/v1/models", allow_redirects=False) as answer:
                return answer.status, answer.headers.get("location"), len(it.provider.got)

    assert run(main()) == (307, "/elsewhere", 1)


def test_cookies_of_one_client_never_reach_another() -> None:
    """What the provider sets is not kept by the gateway."""

    async def main() -> list[str]:
        async with gateway() as it:
            it.provider.answer = plain(b"{}", "HTTP/1.1 200 OK\r\nset-cookie: a=1\r\n")
            for _ in range(2):
                await raw_exchange(it.url, b"GET /v1/models HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")
            return it.provider.got[1].values("cookie")

    assert run(main()) == []


def test_large_headers_pass_both_ways() -> None:
    """Codex sends headers of many kilobytes."""
    large = "x" * 60_000

    async def main() -> tuple[list[str], str | None]:
        async with gateway() as it:
            it.provider.answer = plain(b"{}", f"HTTP/1.1 200 OK\r\nx-large: {large}\r\n")
            client = it.client
            async with client.post(
                it.url + "/v1/responses", data=BODY, headers={"x-large": large}, max_field_size=1 << 20
            ) as answer:
                return it.provider.got[0].values("x-large"), answer.headers.get("x-large")

    assert run(main()) == ([large], large)


def test_a_path_of_nobody_is_a_404_of_ours() -> None:
    """The message says which paths there are."""

    async def main() -> tuple[int, dict[str, object], int]:
        async with gateway() as it, it.client.get(it.url + "/v2/models?x=1") as answer:
            return answer.status, await answer.json(), len(it.provider.got)

    message = (
        "foldpoint: there is no path /v2/models; provider paths begin with "
        "/anthropic/, /v1/, /gemini/, /v1beta/, /v1beta1/, /bedrock/, /model/"
    )
    error = {"message": message, "type": "not_found_error", "param": None, "code": None}
    assert run(main()) == (404, {"error": error}, 0)


def test_a_websocket_is_told_to_use_http() -> None:
    """Clients that try WebSocket first fall back to POST at once."""

    async def main() -> int:
        async with gateway() as it:
            head = (
                "GET /v1/responses HTTP/1.1\r\nhost: g\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
                "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n"
            )
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(head.encode())
            status = await reader.readline()
            writer.close()
            return int(status.split()[1])

    assert run(main()) == 426


@pytest.mark.parametrize(
    ("sent", "provider_has"),
    [
        ({}, ["Bearer ours"]),
        ({"authorization": "Bearer theirs"}, ["Bearer theirs"]),
        ({"x-api-key": "theirs"}, []),
        ({"origin": "https://a-page.example"}, []),
        ({"sec-fetch-site": "cross-site"}, []),
    ],
)
def test_our_key_is_for_programs_that_bring_none(sent: dict[str, str], provider_has: list[str]) -> None:
    """A client's own key passes through, and a page in a browser gets nothing for free."""

    async def main() -> list[str]:
        async with gateway(api_key="ours") as it:
            async with it.client.get(it.url + "/v1/models", headers=sent) as answer:
                await answer.read()
            return it.provider.got[0].values("authorization")

    assert run(main()) == provider_has
