"""The asker against the simulated provider and against servers that misbehave, on loopback."""

import asyncio
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import msgspec
import pytest
from asking import MODELS, SURFACES, SYSTEM, TOOLS, Talk, Wire, response, serving

from foldpoint.agent.asker import HttpAsker
from foldpoint.agent.dialects import dialect_of
from foldpoint.agent.errors import AskError
from foldpoint.agent.ports import Answer, Row
from foldpoint.core.errors import FoldpointError
from foldpoint.core.usage import Usage
from foldpoint.lab.provider import Call, Fault, Provider, Script, Step

KEY = "sk-very-secret-key"
STEPS = [
    Step("Two at once.", (Call("read_file", {"path": "ä.txt"}), Call("poll")), "Both may help."),
    Step("", (Call("poll", {"deep": {"er": [1, 2.5, None]}}),), "Calls alone."),
    Step("All is read."),
]


def body_of(surface: str) -> bytes:
    return dialect_of(surface, MODELS[surface]).body([Row(1, "user", "Go.")], SYSTEM, TOOLS, 100)


async def failed(surface: str, url: str, **settings: float) -> AskError:
    """The error that one question meets."""
    async with HttpAsker(surface, url, KEY, **settings) as asker:
        with pytest.raises(AskError) as raised:
            await asker.ask(body_of(surface), lambda text: None)
    return raised.value


async def failed_at(surface: str, raw: bytes, close: bool = True) -> AskError:
    """The error that one question meets at a server that sends this."""

    def send(wire: Wire) -> None:
        wire.write(raw)
        if close:
            wire.close()

    async with serving(send) as server:
        return await failed(surface, server.url)


async def simulated(surface: str, *faults: Fault) -> AskError:
    """The error that one question meets at a provider with faults."""
    async with Provider(faults=faults) as provider:
        return await failed(surface, provider.url)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_conversation_comes_back_whole(surface: str) -> None:
    """Texts are said piece by piece, calls have their arguments, usage is the provider's bill, all is valid."""

    async def talked() -> tuple[list[Answer], Talk, Provider]:
        talk = Talk()
        async with Provider(answers=Script(STEPS)) as provider, HttpAsker(surface, provider.url, KEY) as asker:
            return [await talk.turn(asker, surface) for _ in STEPS], talk, provider

    answers, talk, provider = asyncio.run(talked())
    assert [answer.text for answer in answers] == [step.text for step in STEPS]
    assert [[(c.name, msgspec.json.decode(c.arguments)) for c in answer.calls] for answer in answers] == [
        [(call.name, call.arguments) for call in step.calls] for step in STEPS
    ]
    assert [answer.stop for answer in answers] == ["calls", "calls", "end"]
    assert "".join(talk.said) == "Two at once.All is read."
    billed = [exchange.charge.usage for exchange in provider.log.exchanges if exchange.charge]
    outputs = [exchange.output for exchange in provider.log.exchanges]
    assert [answer.usage for answer in answers] == [
        Usage(one.input, one.cache_read, one.cache_write, output) for one, output in zip(billed, outputs, strict=True)
    ]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_growing_conversation_reads_what_it_wrote(surface: str) -> None:
    """From the second long request on, most of the prompt comes from the cache."""

    async def talked() -> list[Usage | None]:
        steps = [Step(f"Part {n}.", (Call("read_file", {"path": f"{n}"}),) * 12, "Next.") for n in range(5)]
        talk = Talk()
        async with Provider(answers=Script(steps)) as provider, HttpAsker(surface, provider.url) as asker:
            return [(await talk.turn(asker, surface)).usage for _ in steps]

    read = [usage.cache_read / usage.prompt for usage in asyncio.run(talked())[2:] if usage]
    assert [share > 0.4 for share in read] == [True, True, True]


@pytest.mark.parametrize("surface", SURFACES)
def test_one_connection_carries_a_conversation(surface: str) -> None:
    """A connection is taken again for the next question."""

    async def asked() -> int:
        seen: set[object] = set()
        async with Provider(answers=Script(STEPS)) as provider, HttpAsker(surface, provider.url) as asker:
            talk = Talk()
            for _ in STEPS:
                await talk.turn(asker, surface)
                seen |= set(provider.runner.server.connections if provider.runner.server else ())
        return len(seen)

    assert asyncio.run(asked()) == 1


@pytest.mark.parametrize("surface", SURFACES)
def test_a_stream_that_is_cut_is_no_answer(surface: str) -> None:
    """Cut after any of its events, the answer is an error that may be retried; cut after the last, it is whole."""

    async def cut_after(events: int) -> Answer | AskError:
        answers = Script([Step("Hello there, all of you.", (Call("poll", {"a": 1}),), "Thought.")])
        provider = Provider(answers=answers, faults=[Fault("cut", events)])
        async with provider, HttpAsker(surface, provider.url) as asker:
            try:
                return await asker.ask(body_of(surface), lambda text: None)
            except AskError as error:
                return error

    found: list[Answer | AskError] = []
    while not found or isinstance(found[-1], AskError):
        found.append(asyncio.run(cut_after(len(found))))
    *errors, answer = found
    assert isinstance(answer, Answer)
    assert (answer.text, [call.arguments for call in answer.calls]) == ("Hello there, all of you.", ['{"a":1}'])
    assert len(errors) > 5
    assert all(isinstance(error, AskError) and error.retryable for error in errors)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (401, False), (404, False), (413, False), (429, True), (500, True), (529, True)],
)
def test_a_status_says_whether_to_ask_again(surface: str, status: int, retryable: bool) -> None:
    """With the provider's own words."""
    error = asyncio.run(simulated(surface, Fault("status", status)))
    assert (error.status, error.retryable) == (status, retryable)
    assert "imulated" in str(error) or "Overloaded" in str(error)
    assert error.retry_after == (1.0 if status in (429, 529) else None) or status == 500


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("retry-after: 7", 7, 7),
        ("retry-after-ms: 1500", 1.5, 1.5),
        (f"retry-after: {format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)}", 3000, 3600),
        ("retry-after: -3", 0, 0),
    ],
)
def test_a_provider_says_how_long_to_wait(header: str, least: float, most: float) -> None:
    """In seconds, in milliseconds, or as a date."""
    error = asyncio.run(failed_at("anthropic", response(b"{}", status=429, further=[header])))
    assert error.retry_after is not None
    assert least <= error.retry_after <= most


@pytest.mark.parametrize("header", ["x-other: 1", "retry-after: soon"])
def test_a_wait_that_is_not_told_is_none(header: str) -> None:
    """Nothing is made up."""
    assert asyncio.run(failed_at("anthropic", response(b"{}", status=429, further=[header]))).retry_after is None


@pytest.mark.parametrize(("said", "status", "retryable"), [("true", 400, True), ("false", 500, False)])
def test_a_provider_may_say_itself_whether_to_ask_again(said: str, status: int, retryable: bool) -> None:
    """`x-should-retry` wins over the status."""
    raw = response(b"{}", status=status, further=[f"x-should-retry: {said}"])
    assert asyncio.run(failed_at("openai-chat", raw)).retryable is retryable


ERRORS = [
    (
        "anthropic",
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
        True,
    ),
    ("anthropic", b'data: {"type":"error","error":{"type":"invalid_request_error","message":"Busy"}}\n\n', False),
    ("openai-chat", b'data: {"error":{"message":"Busy","code":502}}\n\n', True),
    ("openai-chat", b'data: {"error":{"message":"Busy","code":"context_length_exceeded"}}\n\n', False),
    ("openai-chat", b'data: {"choices":[{"delta":{},"finish_reason":"error","error":{"message":"Busy"}}]}\n\n', True),
    ("openai-responses", b'data: {"type":"error","code":"server_error","message":"Busy"}\n\n', True),
    (
        "openai-responses",
        b'data: {"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"Busy"}}}\n\n',
        False,
    ),
]


@pytest.mark.parametrize(("surface", "events", "retryable"), ERRORS)
def test_an_error_in_a_stream_is_an_error(surface: str, events: bytes, retryable: bool) -> None:
    """With the provider's own words, and whether the same request meets it again."""
    error = asyncio.run(failed_at(surface, response(events, "text/event-stream")))
    assert ("Busy" in str(error), error.retryable) == (True, retryable)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("raw", "retryable"),
    [
        (response(b"<html>hello</html>", "text/html"), False),
        (response(b'{"ok": tru'), True),
        (response(b"{}"), True),
        (response(b'{"error": {"message": "no"}}'), True),
        (response(b"", "text/event-stream"), True),
        (response(b"data: {broken\n\n", "text/event-stream"), True),
        (response(b'data: {"type"', "text/event-stream"), True),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\ncontent-type: application/json\r\n\r\n{}", True),
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nno", True),
        (b"", True),
        (b"what?\r\n\r\n", True),
        (b"HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n", False),
    ],
)
def test_what_is_no_answer_is_an_error(surface: str, raw: bytes, retryable: bool) -> None:
    """Whatever it is that comes."""
    assert asyncio.run(failed_at(surface, raw)).retryable is retryable


def test_nobody_there_may_be_asked_again() -> None:
    """A refused connection is an error that names the address."""

    async def asked() -> tuple[AskError, str]:
        async with serving(lambda wire: None) as server:
            url = server.url
        return await failed("anthropic", url), url

    error, url = asyncio.run(asked())
    assert (error.retryable, f"{url}/v1/messages" in str(error)) == (True, True)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n"])
def test_silence_ends(head: bytes) -> None:
    """Before the head of the answer, and between its events."""

    async def asked() -> AskError:
        async with serving(lambda wire: wire.write(head)) as server:
            return await failed("openai-chat", server.url, idle_seconds=0.1)

    error = asyncio.run(asked())
    assert (error.retryable, "silent" in str(error)) == (True, True)


def test_a_question_that_is_cancelled_leaves_the_provider() -> None:
    """Its connection is closed."""

    async def asked() -> bool:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n"
        async with serving(lambda wire: wire.write(head)) as server, HttpAsker("anthropic", server.url) as asker:
            asking = asyncio.create_task(asker.ask(body_of("anthropic"), lambda text: None))
            await asyncio.wait_for(server.asked.wait(), 10)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await asyncio.wait_for(server.left.wait(), 10)
            return server.left.is_set()

    assert asyncio.run(asked())


def test_what_goes_wrong_in_say_goes_through() -> None:
    """It is the caller's fault, and none of the provider's."""

    def say(text: str) -> None:
        raise BrokenPipeError

    async def asked() -> None:
        async with Provider() as provider, HttpAsker("openai-chat", provider.url) as asker:
            await asker.ask(body_of("openai-chat"), say)

    with pytest.raises(BrokenPipeError):
        asyncio.run(asked())


@pytest.mark.parametrize(
    ("surface", "wanted"),
    [
        ("anthropic", [b"x-api-key: " + KEY.encode(), b"anthropic-version: 2023-06-01", b"POST /v1/messages "]),
        ("openai-chat", [b"authorization: Bearer " + KEY.encode(), b"POST /v1/chat/completions "]),
        ("openai-responses", [b"authorization: Bearer " + KEY.encode(), b"POST /v1/responses "]),
    ],
)
def test_a_request_bears_the_key_and_the_conversation(surface: str, wanted: list[bytes]) -> None:
    """And headers of the settings; a conversation within another bears its own name."""

    async def asked() -> list[bytes]:
        async with serving(lambda wire: wire.write(response(b"{}", status=400))) as server:
            first = HttpAsker(surface, server.url, KEY, conversation="one", headers={"X-More": "1"})
            async with first:
                for asker in first, first.within("zwölf 2"):
                    with pytest.raises(AskError):
                        await asker.ask(body_of(surface), lambda text: None)
            return server.requests

    one, other = asyncio.run(asked())
    assert [
        part for part in [*wanted, b"x-more: 1", b"x-ace-session: one\r\n"] if part.lower() not in one.lower()
    ] == []
    assert b"x-ace-session: zw%c3%b6lf 2\r\n" in other.lower()
    assert one.endswith(b"\r\n\r\n" + body_of(surface))


@pytest.mark.parametrize("surface", SURFACES)
def test_the_key_is_in_no_message(surface: str) -> None:
    """Not where a provider repeats it, nor in a traceback or a repr."""
    said = msgspec.json.encode({"error": {"message": f"Incorrect key: {KEY}"}})
    error = asyncio.run(failed_at(surface, response(said, status=401)))
    shown = "".join(traceback.format_exception(error)) + repr(error)
    assert ("Incorrect key" in shown, KEY in shown) == (True, False)

    async def made() -> str:
        async with HttpAsker(surface, f"http://u:{KEY}@127.0.0.1:1/?key={KEY}", KEY) as asker:
            with pytest.raises(AskError) as raised:
                await asker.ask(b"{}", lambda text: None)
            return repr(asker) + str(raised.value)

    assert KEY not in asyncio.run(made())


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown() -> None:
    """At once, and naming the header."""
    with pytest.raises(FoldpointError) as raised:
        HttpAsker("anthropic", "https://api.anthropic.com", "se\ncret")
    assert ("x-api-key" in str(raised.value), "se\ncret" in str(raised.value)) == (True, False)


@pytest.mark.parametrize("surface", SURFACES)
def test_an_answer_in_one_document_is_understood(surface: str) -> None:
    """As providers send it that were not asked for a stream, or can't stream: it says what the stream does."""

    async def asked() -> list[tuple[Answer, str]]:
        found = []
        for stream in (True, False):
            body = msgspec.json.encode({**msgspec.json.decode(body_of(surface)), "stream": stream})
            if surface == "openai-chat" and not stream:
                body = msgspec.json.encode(
                    {key: value for key, value in msgspec.json.decode(body).items() if key != "stream_options"}
                )
            said: list[str] = []
            async with Provider(answers=Script(STEPS)) as provider, HttpAsker(surface, provider.url) as asker:
                found.append((await asker.ask(body, said.append), "".join(said)))
        return found

    streamed, whole = asyncio.run(asked())
    assert [c.name for c in whole[0].calls] == ["read_file", "poll"]
    assert said_by(whole[0]) == said_by(streamed[0])
    assert whole[1] == streamed[1] == "Two at once."


def said_by(answer: Answer) -> tuple[object, ...]:
    """What an answer says; names of items are those of the request."""
    return answer.text, answer.calls, answer.stop
