"""Keys of ours where none belongs: no provider gets one, whatever place or scheme a client puts it in."""

from base64 import b64encode

import pytest
from loopback import Canned, Gateway, KeysInMemory, gateway, raw_exchange
from test_signing import LENT

from foldpoint.gateway.serving import run

SECRET, OTHER, UNKNOWN = ("fp-" + letter * 43 for letter in "sou")
ADMIN = "the-admin-key"
BODY = b'{"model":"claude-sonnet-5","messages":[]}'
PATH = "/v1/messages"
BASIC = [b64encode(text.encode()).decode() for text in (SECRET, f"{SECRET}:", f"user:{SECRET}")]
PLACES = {
    **{f"basic {at}": (PATH, f"authorization: Basic {text}") for at, text in enumerate(BASIC)},
    "another scheme": (PATH, f"authorization: Token {SECRET}"),
    "quoted": (PATH, f'authorization: Bearer "{SECRET}"'),
    "two schemes": (PATH, f"Authorization: bearer Bearer {SECRET}"),
    "behind another": (PATH, f"x-api-key: sk-own, {SECRET}"),
    "inside a word": (PATH, f"x-goog-api-key: sk-fp-{SECRET}"),
    "a header of its own": (PATH, f"x-custom: {SECRET}"),
    "a cookie": (PATH, f"cookie: a=b; key={SECRET}"),
    "a referer": (PATH, f"referer: http://localhost/?key={SECRET}"),
    "a protocol": (PATH, f"sec-websocket-protocol: openai-insecure-api-key.{SECRET}"),
    "the query": (f"/gemini/v1beta/models/m:generateContent?alt=sse&key={SECRET}", "x-n: 1"),
    "the query, escaped": (f"/v1beta/models/m:generateContent?key=%66p%2D{SECRET[3:]}", "x-n: 1"),
    "the path": (f"/v1/files/{SECRET}", "x-n: 1"),
    "a count": (f"{PATH}/count_tokens?key={SECRET}", "x-n: 1"),
    "several": (PATH, f"x-api-key: {SECRET}\r\nauthorization: Bearer {OTHER}"),
    "the admin key": (PATH, f"x-api-key: {ADMIN}"),
    "the admin key as bearer": (PATH, f"authorization: Bearer\t {ADMIN}"),
    "the admin key in the query": (f"/gemini/v1beta/models/m:generateContent?a&key={ADMIN}", "x-n: 1"),
}


async def asked(it: Gateway, path: str, *lines: str, body: bytes = BODY) -> bytes:
    """The answer to a request with those header lines."""
    head = "\r\n".join([f"POST {path} HTTP/1.1", "host: localhost", "connection: close", *lines])
    return await raw_exchange(it.url, f"{head}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)


@pytest.mark.parametrize("auth", ["keys", "pass_through"])
@pytest.mark.parametrize(("path", "line"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("limit", [1 << 20, 10], ids=["read", "streamed"])
def test_a_key_that_would_go_on_is_refused(auth: str, path: str, line: str, limit: int) -> None:
    """Alone and beside a good one, with a body that is read and with one that is passed on: 401, nothing is sent."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        keys.add(OTHER, revoked=1.0)
        async with gateway(keys=keys, auth=auth, admin_key=ADMIN, max_body_bytes=limit) as it:
            answers = [await asked(it, path, line), await asked(it, path, line, f"x-foldpoint-key: {SECRET}")]
            assert [answer.split()[1] for answer in answers] == [b"401"] * 2
            assert [key in b"".join(answers) for key in (SECRET.encode(), ADMIN.encode())] == [False, False]
            assert it.provider.got == []

    run(main())


def test_what_only_looks_like_a_key_goes_on() -> None:
    """It is one that nobody made: the header is the client's own."""

    async def main() -> None:
        async with gateway(keys=KeysInMemory(), admin_key=ADMIN) as it:
            lines = (f"x-custom: {UNKNOWN}", "cookie: fp-1", "authorization: Basic !", f"x-note: {ADMIN}")
            assert (await asked(it, f"{PATH}?key={UNKNOWN}", *lines)).split()[1] == b"200"
            sent = {name: value for name, value in it.provider.got[-1].headers if name in ("x-custom", "cookie")}
            assert sent == {"x-custom": UNKNOWN, "cookie": "fp-1"}

    run(main())


def test_what_cannot_be_told_from_a_key_does_not_go_on() -> None:
    """While the store is away, and where there are more of them than anyone has."""

    async def main() -> None:
        keys = KeysInMemory()
        many = ", ".join(f"fp-{at:043}" for at in range(20))
        async with gateway(keys=keys) as it:
            assert (await asked(it, PATH, f"x-custom: {many}")).split()[1] == b"401"
            keys.away = True
            assert (await asked(it, PATH, f"x-custom: {SECRET}")).split()[1] == b"503"
            assert it.provider.got == []

    run(main())


def test_a_key_never_comes_in_a_trailer() -> None:
    """Trailers are not sent on."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        async with gateway(keys=keys, max_body_bytes=10) as it:
            head = f"POST {PATH} HTTP/1.1\r\nhost: l\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
            body = b"%x\r\n%s\r\n0\r\nx-api-key: %s\r\n\r\n" % (len(BODY), BODY, SECRET.encode())
            assert (await raw_exchange(it.url, head.encode() + body)).split()[1] == b"200"
            assert SECRET not in str(it.provider.got[-1])

    run(main())


@pytest.mark.parametrize("line", [f"authorization: Bearer {SECRET}", f"x-api-key: {SECRET}"])
@pytest.mark.parametrize("more", ["x-n: 1", "origin: https://page.example"])
def test_with_a_key_of_ours_a_request_is_signed_for_aws(line: str, more: str) -> None:
    """A key of ours is no credential for AWS, in whichever place it comes, and a page in a browser may bring one."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        async with gateway(Canned(), keys=keys, auth="keys", aws=LENT) as it:
            assert (await asked(it, "/bedrock/model/m/converse", line, more)).split()[1] == b"200"
            (authorization,) = it.provider.got[-1].values("authorization")
            assert authorization.startswith("AWS4-HMAC-SHA256 Credential=AKIDOURS/")

    run(main())


@pytest.mark.parametrize(
    ("query", "sent"),
    [("", ["sk-ours"]), ("?alt=sse&key=", ["sk-ours"]), ("?alt=sse&key=own", []), ("?access_token=own", [])],
)
@pytest.mark.parametrize("key", [f"x-foldpoint-key: {SECRET}", "x-n: 1"])
def test_a_provider_gets_one_key(query: str, sent: list[str], key: str) -> None:
    """Gemini's clients may send their own in the query: none of ours is put beside it."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        async with gateway(Canned(), keys=keys, api_key="sk-ours") as it:
            assert (await asked(it, f"/v1beta/models/m:generateContent{query}", key)).split()[1] == b"200"
            assert it.provider.got[-1].values("x-goog-api-key") == sent

    run(main())


@pytest.mark.parametrize("host", ["a:b:c", "localhost:99999", "\xff", "evil.example"])
def test_a_host_that_is_none_is_not_this_machine(host: str) -> None:
    """403, as for any name that is not ours."""

    async def main() -> bytes:
        async with gateway() as it:
            request = f"GET /api/v1/tenant/ring HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
            return await raw_exchange(it.url, request.encode("latin-1"))

    assert run(main()).split()[1] == b"403"
