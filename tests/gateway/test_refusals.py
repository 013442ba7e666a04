"""What is no request for us is refused in JSON, and quoted neither to the client nor in the log."""

import asyncio
import json

import pytest
from loopback import Got, gateway, raw_exchange

from foldpoint.gateway.serving import run

SECRET = b"sk-secret-0123456789"
POST = b"POST /v1/messages HTTP/1.1\r\nhost: g\r\nconnection: close\r\n"
CHUNKED = POST + b"transfer-encoding: chunked\r\n\r\n"
NOT_HTTP = "foldpoint: the request is not valid HTTP: see its headers and the framing of its body"
NO_LINE = "foldpoint: the request does not begin with an HTTP request line; is it TLS sent to the plain port?"
TOO_LONG = (
    "foldpoint: the request line or a header is longer than 64 KiB, all of them are longer than 256 KiB, "
    "or there are more than 256"
)
NO_TARGET = (
    "foldpoint: there is no such target; provider paths begin with "
    "/anthropic/, /v1/, /gemini/, /v1beta/, /v1beta1/, /bedrock/, /model/"
)
BROKEN = "foldpoint: the request body is not what its framing announces: see its content-length or chunks"


def said(answer: bytes) -> tuple[int, dict[str, object]]:
    """The status of an answer and what its body says."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"\r\ncontent-type: application/json" in head.lower()
    return int(head.split()[1]), json.loads(body)


def refused(request: bytes) -> bytes:
    """All that comes back for these bytes."""

    async def main() -> bytes:
        async with gateway() as it:
            return await raw_exchange(it.url, request)

    return run(main())


@pytest.mark.parametrize(
    ("request_bytes", "status", "message"),
    [
        pytest.param(POST + b"x-api-key: " + SECRET + b"\rx\r\n\r\n", 400, NOT_HTTP, id="a CR in a key"),
        pytest.param(POST + b"authorization: " + SECRET + b"x" * 70_000 + b"\r\n\r\n", 400, TOO_LONG, id="70 KB"),
        pytest.param(POST + b"x: " + SECRET + b"\r\n" + b"x: y\r\n" * 300 + b"\r\n", 400, TOO_LONG, id="300 headers"),
        pytest.param(
            POST + (b"x: " + SECRET + b"x" * 60_000 + b"\r\n") * 5 + b"\r\n", 400, TOO_LONG, id="300 KB of headers"
        ),
        pytest.param(b"GET /" + SECRET + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 400, TOO_LONG, id="a target of 70 KB"),
        pytest.param(SECRET + b"\r\n\r\n", 400, NO_LINE, id="no request line"),
        pytest.param(b"GET " + SECRET + b" HTTP/1.1\r\nhost: g\r\n\r\n", 400, NO_LINE, id="no target"),
        pytest.param(POST + b"content-length: " + SECRET + b"\r\n\r\n", 400, NOT_HTTP, id="a length of letters"),
        pytest.param(CHUNKED + SECRET + b"\r\nabc\r\n", 400, NOT_HTTP, id="a chunk that has no size"),
        pytest.param(
            b"CONNECT " + SECRET + b":443 HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n",
            404,
            NO_TARGET,
            id="CONNECT",
        ),
        pytest.param(
            b"OPTIONS * HTTP/1.1\r\nhost: g\r\nconnection: close\r\nx: " + SECRET + b"\r\n\r\n", 404, NO_TARGET, id="*"
        ),
    ],
)
def test_what_is_no_request_is_refused_unquoted(
    request_bytes: bytes, status: int, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """No path is known, so it is OpenAI's shape; the log has the status and the type."""
    caplog.set_level(0)
    answer = refused(request_bytes)
    kind = "not_found_error" if status == 404 else "invalid_request_error"
    assert said(answer) == (status, {"error": {"message": message, "type": kind, "param": None, "code": None}})
    logged = [record for record in caplog.records if record.name.startswith("foldpoint")]
    assert [(record.message, vars(record)["status"]) for record in logged] == [("request refused", status)]
    assert (SECRET in answer, SECRET.decode() in caplog.text, caplog.text.count("Traceback")) == (False, False, 0)


def test_an_expectation_that_nobody_knows_is_refused_in_the_paths_shape(caplog: pytest.LogCaptureFixture) -> None:
    """417, unquoted."""
    caplog.set_level(0)
    answer = refused(POST + b"expect: " + SECRET + b"\r\ncontent-length: 2\r\n\r\n{}")
    status, body = said(answer)
    message = "foldpoint: the only expectation that is met is 100-continue"
    assert (status, body["type"], body["error"]) == (
        417,
        "error",
        {"type": "invalid_request_error", "message": message},
    )
    assert (SECRET in answer, SECRET.decode() in caplog.text) == (False, False)


@pytest.mark.parametrize("limit", [1 << 20, 1])
def test_a_body_that_breaks_on_its_way_is_refused_in_the_paths_shape(
    limit: int, caplog: pytest.LogCaptureFixture
) -> None:
    """One answer, at once, whether the body is read whole or streamed on; nothing of the body is quoted."""
    caplog.set_level(0)

    async def main() -> bytes:
        async with gateway(max_body_bytes=limit) as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(CHUNKED + b"3\r\nabc\r\n")
            await asyncio.sleep(0.1)
            writer.write(SECRET + b"\r\nabc\r\n")
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer

    answer = run(main())
    status, body = said(answer)
    assert (status, body["error"]) == (400, {"type": "invalid_request_error", "message": BROKEN})
    assert (SECRET in answer, SECRET.decode() in caplog.text) == (False, False)


def test_nonsense_behind_a_request_does_not_spoil_it(caplog: pytest.LogCaptureFixture) -> None:
    """The request is answered, then the nonsense is refused."""
    caplog.set_level(0)

    async def main() -> bytes:
        async with gateway() as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))

            async def nonsense(got: Got, provider: asyncio.StreamWriter) -> None:
                writer.write(SECRET + b"\r\n\r\n")
                await asyncio.sleep(0.1)
                provider.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine")

            it.provider.answer = nonsense
            writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{}")
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer

    first, _, second = run(main()).partition(b"fine")
    assert (first.split()[1], said(second)[0], SECRET.decode() in caplog.text) == (b"200", 400, False)


def test_a_fault_outside_the_providers_paths_is_said_and_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    """A store that breaks in a way nobody knows: JSON, and kind and place in the log."""
    caplog.set_level(0)

    async def main() -> bytes:
        async with gateway() as it:
            target = b"/api/v1/tenant/requests?session=" + SECRET
            return await raw_exchange(it.url, b"GET " + target + b" HTTP/1.1\r\nhost: localhost\r\n\r\n")

    answer = run(main())
    status, body = said(answer)
    message = "foldpoint: a fault of the gateway, logged with the id of this request"
    assert (status, body["error"]) == (500, {"message": message, "type": "server_error", "param": None, "code": None})
    faults = [vars(record)["fault"].partition(" at ")[0] for record in caplog.records if record.levelname == "ERROR"]
    assert (faults, SECRET in answer, SECRET.decode() in caplog.text) == (["AttributeError"], False, False)
