"""Nothing secret of a request, and nothing of its body, is in a log line, an error of ours, the store or the spool."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from loopback import Canned, Got, Provider, gateway, raw_exchange, silent

from foldpoint.gateway.modes import Consulted
from foldpoint.gateway.serving import log_fault, run

MARK = b"MARKED-"
HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization", "x-amz-date")
QUERY = "?key=MARKED-query&access_token=MARKED-token"
BODY = b'{"model":"m","system":"MARKED-system","messages":[{"role":"user","content":"MARKED-content"}]}'
PATHS = (
    "/v1/messages",
    "/anthropic/v1/messages/count_tokens",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/models",
    "/gemini/v1beta/models/m:generateContent",
    "/v1beta/models/m:streamGenerateContent",
    "/bedrock/model/m/converse",
    "/bedrock/model/m/invoke-with-response-stream",
    "/nowhere",
    "/api/v1/tenant/requests",
    "/api/v1/tenant/request/none",
    "/readyz",
)
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03MARKED-hello" + b"\x00" * 40
"""How a client begins that speaks TLS to the plain port."""


def head(path: str, *more: str, method: str = "POST") -> bytes:
    """A request's head with something secret wherever it may stand."""
    secrets = [f"{name}: Bearer MARKED-{name}" for name in HEADERS]
    lines = [f"{method} {path}{QUERY} HTTP/1.1", "host: localhost", "connection: close", *secrets, *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def whole() -> Iterator[bytes]:
    """Requests that are right, on every path, with bodies of all kinds."""
    for path in PATHS:
        yield head(path, f"content-length: {len(BODY)}") + BODY
        yield head(path, method="GET")
    for path in PATHS[:3]:
        odd = (b"MARKED-no-json", b'{"messages":"MARKED-text"}', b'{"session_id":"s","messages":[{"MARKED-key":1}]}')
        for body in (*odd, b"x" * 5000 + b"MARKED-large"):
            yield head(path, f"content-length: {len(body)}") + body
        yield head(path, "content-encoding: gzip", f"content-length: {len(BODY)}") + BODY
        yield head(path, "transfer-encoding: chunked") + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)


def malformed() -> Iterator[bytes]:
    """Requests that are none."""
    path = PATHS[0]
    yield HELLO
    yield b"MARKED-line\r\n\r\n"
    yield b"GET MARKED-target HTTP/1.1\r\n\r\n"
    yield b"GET /MARKED-version HTTP/9.MARKED\r\n\r\n"
    yield b"POST /v1/messages HTTP/1.1\r\nx-api-key: MARKED-no-host\r\n\r\n"
    yield head(path, "content-length: MARKED-length")
    yield head(path, "content-length: 2", "content-length: 3") + b"MARKED"
    yield head(path, "x-bad: MARKED-cr\rx")
    yield head(path, "x-bad\x00: MARKED-null")
    yield head(path, "x-long: MARKED-long" + "x" * 70_000)
    yield head(path, *[f"x-{n}: MARKED-many" for n in range(300)])
    yield head(path, "transfer-encoding: chunked") + b"MARKED-chunk\r\n\r\n"
    yield head(path, "transfer-encoding: chunked") + b"5\r\nMARKED-more\r\n"
    yield head(path, "transfer-encoding: MARKED-coding")
    yield head(path, "expect: MARKED-expectation", "content-length: 2") + b"{}"
    yield head(path, "upgrade: websocket", "sec-websocket-key: MARKED-key")
    yield head(path, "content-encoding: MARKED-encoding", "content-length: 2") + b"{}"
    yield head(path, "content-length: 99") + b"MARKED-half"
    yield head(path)[:-30]
    yield b"CONNECT MARKED-host:443 HTTP/1.1\r\nhost: g\r\n\r\n"
    yield b"OPTIONS * HTTP/1.1\r\nhost: g\r\ncookie: MARKED-cookie\r\nconnection: close\r\n\r\n"


async def no_http(got: Got, writer: asyncio.StreamWriter) -> None:
    """An answer that is none and quotes the request."""
    writer.write(repr(got).encode() + b"\r\n\r\n")
    writer.close()


async def bad_head(got: Got, writer: asyncio.StreamWriter) -> None:
    """An answer with a head that breaks off, which quotes the request."""
    writer.write(b"HTTP/1.1 200 OK\r\nx: " + got.line.encode() + b"\x00\r\n" + got.body)
    writer.close()


async def breaking(got: Got, writer: asyncio.StreamWriter) -> None:
    """An answer that breaks off."""
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nMARKED-piece\r\n")
    writer.close()


@contextlib.asynccontextmanager
async def debugged(home: Path, **settings: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The gateway with every log line there is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOLDPOINT_", "ACE_", "AWS_"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "dev", "-W", "ignore", str(Path(__file__).parent / "debugged.py")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        limit=1 << 26,
        env={**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **settings},
    )
    assert process.stdout is not None
    address = ""
    while not address.startswith("http"):
        address = (await process.stdout.readline()).decode().strip()
    try:
        yield address, process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def heard(address: str, request: bytes) -> bytes:
    """What comes back; nothing where the connection is cut or stays still."""
    with contextlib.suppress(ConnectionError, TimeoutError):
        return await asyncio.wait_for(raw_exchange(address, request), 5)
    return b""


@pytest.mark.parametrize(
    "answer", [None, no_http, bad_head, breaking, silent()], ids=lambda it: getattr(it, "__name__", it)
)
def test_nothing_marked_is_told(answer: object, tmp_path: Path) -> None:
    """Whatever a client sends and a provider does (None: nobody is there), bodies are not kept, all is logged."""

    async def main() -> tuple[list[bytes], bytes, int]:
        async with Provider().running() as provider:
            url = provider.url.replace("//", "//MARKED-user:MARKED-password@") if answer else "http://127.0.0.1:9"
            if answer:
                provider.answer = answer  # type: ignore[assignment]
            upstreams = {f"FOLDPOINT_UPSTREAMS__{name}__BASE_URL": url for name in ("OPENAI", "GEMINI", "BEDROCK")}
            upstreams["FOLDPOINT_UPSTREAMS__ANTHROPIC__BASE_URL"] = provider.url if answer else url
            limits = {
                "FOLDPOINT_GATEWAY__MAX_BODY_BYTES": "4000",
                "FOLDPOINT_GATEWAY__CLIENT_TIMEOUT_SECONDS": "1",
                "FOLDPOINT_GATEWAY__UPSTREAM_TIMEOUT_SECONDS": "1",
                "FOLDPOINT_STORE__MESSAGES": "off",
                "FOLDPOINT_GATEWAY__PORT": "0",
                "FOLDPOINT_TELEMETRY__LOG_REQUESTS": "true",
            }
            async with debugged(tmp_path, **upstreams, **limits) as (address, process):
                answers = await asyncio.gather(*(heard(address, each) for each in (*whole(), *malformed())))
                process.send_signal(signal.SIGTERM)
                assert process.stdout is not None
                return answers, await process.stdout.read(), await process.wait()

    answers, output, code = run(main())
    # A path that is nobody's and a parameter that is none are told to the one who asked for them, and what a provider
    # had sent when it broke off is its own.
    errors = [each for each in answers if b"foldpoint: " in each or b'"error"' in each]
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".local/share/foldpoint").iterdir())
    assert (code, len(errors) > 20, b"MARKED" in b"".join(errors), b"MARKED" in kept) == (0, True, False, False)
    assert [line for line in output.splitlines() if MARK in line] == []


def test_no_key_of_ours_is_told(tmp_path: Path) -> None:
    """A right one, wrong ones, the admin key, what keys are hashed with, and the key for the provider."""

    async def main() -> tuple[bytes, list[bytes], bytes]:
        secrets = {
            "FOLDPOINT_GATEWAY__AUTH": "keys",
            "FOLDPOINT_GATEWAY__ADMIN_KEY": "MARKED-admin-0123456789abcdef0123456789",
            "FOLDPOINT_GATEWAY__KEY_SECRET": "MARKED-hash-0123456789abcdef0123456789",
            "FOLDPOINT_UPSTREAMS__ANTHROPIC__API_KEY": "MARKED-upstream",
            "FOLDPOINT_UPSTREAMS__ANTHROPIC__BASE_URL": "http://127.0.0.1:9",
            "FOLDPOINT_GATEWAY__PORT": "0",
            "FOLDPOINT_STORE__MESSAGES": "off",
            "FOLDPOINT_TELEMETRY__LOG_REQUESTS": "true",
        }
        async with debugged(tmp_path, **secrets) as (address, process):

            async def with_key(method: str, path: str, key: str, body: bytes = b"{}") -> bytes:
                lines = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: {key}\r\n"
                return await heard(address, f"{lines}content-length: {len(body)}\r\n\r\n".encode() + body)

            made = await with_key("POST", "/api/v1/dev_keys", secrets["FOLDPOINT_GATEWAY__ADMIN_KEY"])
            ours = json.loads(made.partition(b"\r\n\r\n")[2])["secret"]
            wrong = "fp-MARKED-" + "a" * 36
            asked = [
                with_key(method, path, key, BODY)
                for method, path in (
                    ("POST", "/v1/messages"),
                    ("POST", "/api/v1/dev_keys"),
                    ("GET", "/api/v1/dev_keys"),
                )
                for key in (ours, wrong, ours[:-1], "fp-MARKED", secrets["FOLDPOINT_GATEWAY__ADMIN_KEY"][:-1])
            ]
            answers = await asyncio.gather(*asked)
            process.send_signal(signal.SIGTERM)
            assert process.stdout is not None
            return ours.encode(), answers, await process.stdout.read()

    ours, answers, output = run(main())
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".local/share/foldpoint").iterdir() if path.is_file())
    told = b"".join(answers) + output + kept
    assert sorted(answer.split()[1] for answer in answers) == [b"401"] * 14 + [b"502"]
    assert (ours in told, MARK in told) == (False, False)


class Breaking(Canned):
    """An engine that fails with the body in its error."""

    def fold(self, body: bytes, surface: str, path: str | None = None, *, tenant: str = "local") -> Consulted:
        raise RuntimeError(body.decode())


def test_a_fault_of_the_engine_quotes_no_body(caplog: pytest.LogCaptureFixture) -> None:
    """Its kind and place are logged."""
    caplog.set_level(0)

    async def main() -> bytes:
        async with gateway(Breaking()) as it:
            return await raw_exchange(it.url, head(PATHS[0], f"content-length: {len(BODY)}") + BODY)

    answer = run(main())
    faults = [vars(record)["fault"].partition(" at ")[0] for record in caplog.records if record.levelname == "ERROR"]
    assert (answer.split()[1], faults, MARK in answer) == (b"500", ["RuntimeError"], False)
    assert MARK.decode() not in caplog.text + str([vars(record) for record in caplog.records])


def test_a_fault_that_nobody_waited_for_is_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    """asyncio would write what was called with what."""

    def broken(secret: bytes) -> None:
        raise RuntimeError(secret)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(log_fault)
        loop.call_soon(broken, MARK)
        await asyncio.sleep(0.01)

    run(main())
    assert [(record.message, vars(record)["fault"].split()[0]) for record in caplog.records] == [
        ("fault beside the requests", "RuntimeError")
    ]
    assert MARK.decode() not in str([vars(record) for record in caplog.records])
