"""What each mode sends, and what the answer's headers say of it."""

import asyncio
import re

import pytest
from loopback import COMPACTED, Canned, gateway, plain

from foldpoint.core.receipt import Receipt, Verdict
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.gateway.serving import run

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "long"}]}'
FOLDED = b'{"model": "m", "messages": []}'
SURFACES = [
    ("/v1/chat/completions", "openai-chat", "/v1/chat/completions"),
    ("/anthropic/v1/messages?beta=true", "anthropic", "/v1/messages"),
    ("/v1/messages", "anthropic", "/v1/messages"),
    ("/gemini/v1beta/models/g:streamGenerateContent?alt=sse", "gemini", "/v1beta/models/g:streamGenerateContent"),
    ("/v1/models/g:generateContent?key=k", "gemini", "/v1/models/g:generateContent"),
]


def ours(headers: dict[str, str]) -> dict[str, str]:
    """The headers of the skill."""
    return {name.lower(): value for name, value in headers.items() if name.lower().startswith("x-ace-")}


@pytest.mark.parametrize(("path", "surface", "provider_path"), SURFACES)
def test_prod_sends_the_folded_body(path: str, surface: str, provider_path: str) -> None:
    """With its length, and every header of the receipt on the answer."""
    engine = Canned(FOLDED)

    async def main() -> tuple[bytes, list[str], dict[str, str]]:
        async with gateway(engine) as it:
            async with it.client.post(it.url + path, data=BODY) as answer:
                await answer.read()
            got = it.provider.got[0]
            return got.body, got.values("content-length"), ours(dict(answer.headers))

    assert run(main()) == (FOLDED, [str(len(FOLDED))], COMPACTED.headers())
    assert engine.asked == [(BODY, surface, provider_path)]


def test_shadow_sends_the_clients_body() -> None:
    """The engine gives the caller's body back, and the headers say what it would have done."""
    receipt = Receipt("would_compact", "fold_moved", tokens_would_save=5, moved=True, stages=COMPACTED.stages)

    async def main() -> tuple[bytes, dict[str, str]]:
        async with gateway(Canned(None, receipt), mode="shadow") as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                await answer.read()
            return it.provider.got[0].body, ours(dict(answer.headers))

    assert run(main()) == (BODY, receipt.headers())


def test_off_does_not_ask_and_says_nothing() -> None:
    """No call of the engine, no header, no stage."""
    engine = Canned(FOLDED)

    async def main() -> tuple[bytes, dict[str, str], str]:
        async with gateway(engine, mode="off") as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                await answer.read()
            return it.provider.got[0].body, ours(dict(answer.headers)), (await it.recorder.first()).mode

    assert (run(main()), engine.asked) == ((BODY, {}, "off"), [])


def test_other_paths_are_not_folded() -> None:
    """Neither other methods nor other paths ask the engine, and no record is made of them."""
    engine = Canned(FOLDED)

    async def main() -> list[Record]:
        async with gateway(engine) as it:
            for method, path in (
                ("GET", "/v1/chat/completions"),
                ("POST", "/v1/embeddings"),
                ("POST", "/anthropic/v1/files"),
            ):
                async with it.client.request(method, it.url + path, data=BODY) as answer:
                    await answer.read()
            assert [got.body for got in it.provider.got] == [BODY] * 3
            return it.recorder.records

    assert (run(main()), engine.asked) == ([], [])


def test_an_error_of_the_provider_keeps_status_and_body_and_gets_our_headers() -> None:
    """Clients match on the wording of provider errors."""
    error = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'

    async def main() -> tuple[int, bytes, dict[str, str], int]:
        async with gateway(Canned(FOLDED)) as it:
            it.provider.answer = plain(error, "HTTP/1.1 529 Overloaded\r\ncontent-type: application/json\r\n")
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                body = await answer.read()
            return answer.status, body, ours(dict(answer.headers)), (await it.recorder.first()).status

    assert run(main()) == (529, error, COMPACTED.headers(), 529)


def test_every_answer_names_its_request_and_our_time() -> None:
    """The id is a UUIDv7 and the record's; the time has three decimals."""

    async def main() -> tuple[str, str, Record]:
        async with gateway() as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                await answer.read()
            names = "x-foldpoint-request-id", "x-foldpoint-overhead-ms"
            return answer.headers[names[0]], answer.headers[names[1]], await it.recorder.first()

    id, overhead, record = run(main())
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", id)
    assert re.fullmatch(r"\d+\.\d{3}", overhead)
    assert (record.id, record.overhead_us) == (id, round(float(overhead) * 1000))


def test_a_request_is_recorded_with_its_figures_usage_and_folded_body() -> None:
    """Once its answer ended."""
    answer_body = b'{"usage": {"input_tokens": 7, "cache_read_input_tokens": 90, "output_tokens": 3}}'

    async def main() -> tuple[Record, bytes | None]:
        async with gateway(Canned(FOLDED)) as it:
            it.provider.answer = plain(answer_body)
            headers = {"x-ace-session": "s-1", "x-claude-code-agent-id": "a-1"}
            async with it.client.post(it.url + "/v1/messages", data=BODY, headers=headers) as answer:
                await answer.read()
            return await it.recorder.first(), it.recorder.messages[0]

    record, messages = run(main())
    assert (record.session, record.transcript, record.surface, record.model, record.mode, record.status) == (
        "s-1", "a-1:00112233aabbccdd", "anthropic", "a-model", "prod", 200,
    )  # fmt: skip
    assert (record.verdict, record.sealed, record.total, record.tokens_saved, record.messages_compacted_count) == (
        "compacted", 4, 6, 500, 6,
    )  # fmt: skip
    assert record.usage == Usage(input=7, cache_read=90, output=3)
    assert record.overhead_us > 0
    assert record.upstream_ms > 0
    assert messages == FOLDED


def test_only_a_folded_body_is_kept() -> None:
    """What was sent as it came is not."""

    async def main() -> tuple[int, bytes | None]:
        async with gateway(Canned(None, Receipt("no_op", "first_epoch", stages=COMPACTED.stages))) as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                await answer.read()
            return (await it.recorder.first()).messages_compacted_count, it.recorder.messages[0]

    assert run(main()) == (0, None)


@pytest.mark.parametrize(
    ("verdict", "sealed", "sent", "kept"),
    [
        ("failed", 4, FOLDED, FOLDED),
        ("refused", 4, FOLDED, FOLDED),
        ("failed", 0, None, None),
        ("refused", 4, None, None),
        ("no_op", 4, FOLDED, None),
    ],
)
def test_what_was_sent_is_kept_where_an_earlier_fold_stands(
    verdict: Verdict, sealed: int, sent: bytes | None, kept: bytes | None
) -> None:
    """A fold that failed or was refused sends the one before it; the record has that conversation."""
    receipt = Receipt(verdict, "internal", sealed=sealed, messages_after=6, stages=COMPACTED.stages)

    async def main() -> tuple[int, bytes | None]:
        async with gateway(Canned(sent, receipt)) as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                await answer.read()
            return (await it.recorder.first()).messages_compacted_count, it.recorder.messages[0]

    assert run(main()) == (6 if kept else 0, kept)


@pytest.mark.parametrize("mode", ["off", "shadow", "prod"])
def test_session_id_is_cut_out_in_every_mode(mode: str) -> None:
    """The provider does not know the field; the rest of the body is untouched."""

    async def main() -> tuple[bytes, str]:
        async with gateway(mode=mode) as it:
            body = b'{"model": "m", "session_id": "s-9", "messages": [ ]}'
            async with it.client.post(it.url + "/v1/messages", data=body) as answer:
                await answer.read()
            return it.provider.got[0].body, (await it.recorder.first()).session

    assert run(main()) == (b'{"model": "m", "messages": [ ]}', "s-9")


def test_session_id_stays_where_the_provider_knows_it() -> None:
    """`keep_session_id` of the upstream."""
    body = b'{"session_id": "s-9", "messages": []}'

    async def main() -> bytes:
        async with gateway(keep_session_id=True) as it:
            async with it.client.post(it.url + "/v1/messages", data=body) as answer:
                await answer.read()
            return it.provider.got[0].body

    assert run(main()) == body


@pytest.mark.parametrize(
    "body",
    [b"", b"not json", b'{"session_id": "\\ud83d", "messages": [', b'{"session_id": "\\ud83d"}', b"[1]", b"\xff\xfe"],
)
def test_a_body_that_is_none_reaches_the_provider(body: bytes) -> None:
    """Refusing to fold is fine, refusing the request is not."""

    async def main() -> tuple[int, bytes]:
        async with gateway() as it:
            async with it.client.post(it.url + "/v1/chat/completions", data=body) as answer:
                await answer.read()
            return answer.status, it.provider.got[0].body

    status, got = run(main())
    assert (status, got) == (200, b"{}" if body.endswith(b'd"}') else body)


@pytest.mark.parametrize("key", ["messages", "metadata", "session_id", "prompt_cache_key"])
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_a_deep_body_reaches_the_provider(path: str, key: str) -> None:
    """Deeper than any reader of ours goes, wherever it is deep."""
    deep = "[" * 100_000 + "]" * 100_000
    body = f'{{"{key}": {deep}, "metadata": 1, "prompt_cache_key": 1, "messages": []}}'.encode()

    async def main() -> tuple[int, bool]:
        async with gateway(Canned(opening="")) as it:
            async with it.client.post(it.url + path, data=body) as answer:
                await answer.read()
            return answer.status, it.provider.got[0].body in (
                body,
                body.replace(f'"session_id": {deep}, '.encode(), b""),
            )

    assert run(main()) == (200, True)


def test_a_fault_of_ours_is_said_in_the_callers_shape(caplog: pytest.LogCaptureFixture) -> None:
    """Never a broken connection; the log names the kind and place of the fault, and quotes nothing."""

    class Broken(Canned):
        def fold(self, body: bytes, surface: str, path: str | None = None, *, tenant: str = "local") -> object:  # type: ignore[override]
            raise ZeroDivisionError(body)

    async def main() -> tuple[int, str, int]:
        async with gateway(Broken()) as it:
            async with it.client.post(it.url + "/v1/messages", data=BODY) as answer:
                said = await answer.json()
            await asyncio.sleep(0)
            return answer.status, said["error"]["type"], (await it.recorder.first()).status

    assert run(main()) == (500, "api_error", 500)
    faults = [vars(record).get("fault", "") for record in caplog.records if record.message == "request failed"]
    assert [fault.partition(" at ")[0] for fault in faults] == ["ZeroDivisionError"]
    assert "long" not in caplog.text
