"""The simulated Gemini API: what it refuses and in whose words, its streams, its bill."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from google.genai import types

from foldpoint.core.errors import Unreadable
from foldpoint.lab.cache import segments
from foldpoint.lab.cache.gemini import plain
from foldpoint.lab.provider import Call, Provider, Script, Step, validate_gemini
from foldpoint.lab.provider.gemini import signature
from foldpoint.lab.provider.refusal import Refused

Body = dict[str, Any]
OLD, NEW = "gemini-2.5-pro", "gemini-3.8-flash"
PATH = "/v1beta/models/{}:{}"
SIGNED = {"thoughtSignature": "c2ln"}


def text(said: str) -> Body:
    return {"text": said}


def call(name: str = "f", id: str = "", **beside: Any) -> Body:
    return {"functionCall": {"name": name, **({"id": id} if id else {})}, **beside}


def result(name: str = "f", id: str = "") -> Body:
    return {"functionResponse": {"name": name, **({"id": id} if id else {}), "response": {"output": "x"}}}


def user(*parts: Body) -> Body:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Body) -> Body:
    return {"role": "model", "parts": list(parts)}


def asked(*contents: Any, **members: Any) -> Body:
    return {"contents": list(contents), **members}


HI = user(text("hi"))
CALLED = model(text("I call."), call(), call("g"))
ACCEPTED = {
    "one content": asked(HI),
    "a content alone, one part alone": {"contents": {"parts": {"text": "hi"}}},
    "parallel calls, answered in any order": asked(HI, CALLED, user(result("g"), result())),
    "results in contents of their own": asked(HI, CALLED, user(result()), user(result("g"))),
    "text beside a result": asked(HI, model(call()), user(result(), text("and"))),
    "ids": asked(HI, model(call(id="a"), call(id="b")), user(result(id="b"), result(id="a"))),
    "ids on one side alone": asked(HI, model(call(id="a")), user(result())),
    "neighbours of one role": asked(HI, HI, model(text("a")), model(text("b")), HI),
    "members in snake_case": asked(
        HI,
        {"role": "model", "parts": [{"function_call": {"name": "f"}, "thought_signature": "c2ln"}]},
        {"role": "function", "parts": [{"function_response": {"name": "f"}}]},
        system_instruction={"parts": [text("s")]},
    ),
    "an answer begun": asked(HI, model(text("So"))),
}
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
REFUSED = {
    "* GenerateContentRequest.contents: contents is not specified": asked(),
    'Invalid JSON payload received. Unknown name "session_id": Cannot find field.': asked(HI, session_id="s"),
    "Invalid JSON payload received. Unknown name \"content\" at 'contents[0]': Cannot find field.": asked(
        {"content": "x"}
    ),
    "Please use a valid role: user, model.": asked({"role": "assistant", "parts": [text("x")]}),
    "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.": asked(HI, model()),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field": asked(user(SIGNED)),
    "Invalid value at 'contents[0].parts[0]' (oneof)": asked(user({"text": "x", "inlineData": {}})),
    "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.": asked(
        HI, model(call(""))
    ),
    "Role 'user' must not have a part of the kind functionCall": asked(user(call())),
    "Please ensure that function call turn comes immediately after a user turn": asked(CALLED, user(result())),
    "Please ensure that function response turn comes immediately after a function call turn.": asked(user(result())),
    COUNT: asked(HI, CALLED, user(result())),
    COUNT[:60]: asked(HI, CALLED),
    "Function response name `g` does not match": asked(HI, model(call()), user(result("g"))),
    "Function response id `b` does not match": asked(HI, model(call(id="a")), user(result(id="b"))),
    "CachedContent not found (or permission denied)": asked(HI, cachedContent="cachedContents/1"),
}


def said(body: Body, asked_of: str = OLD) -> str:
    """The refusal's message, "" where the body is accepted."""
    try:
        validate_gemini.check(body, asked_of)
    except Refused as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_what_the_api_accepts_is_accepted(body: Body) -> None:
    """Nothing is said of it."""
    assert said(body) == ""


@pytest.mark.parametrize(("begins", "body"), REFUSED.items())
def test_what_the_api_refuses_is_refused_in_its_words(begins: str, body: Body) -> None:
    """The message says what is wrong."""
    assert said(body)[: len(begins)] == begins


MISSING = "Function call is missing a thought_signature in functionCall parts."


@pytest.mark.parametrize(
    ("contents", "begins"),
    [
        ([HI, model(call(**SIGNED), call("g")), user(result(), result("g"))], ""),
        ([HI, model(call()), user(result())], MISSING),
        ([HI, model(call(), call("g", **SIGNED)), user(result(), result("g"))], MISSING),
        ([HI, model(call(**SIGNED)), user(result()), model(call()), user(result())], MISSING),
        ([HI, model(call()), user(result()), model(text("a")), HI, model(call(**SIGNED)), user(result())], ""),
        ([HI, model(call()), user(result(), text("beside"))], MISSING),
    ],
)
def test_newer_models_want_the_signatures_of_the_current_turn(contents: list[Body], begins: str) -> None:
    """Of the first call of each step behind the newest message of the user's own; older models want none."""
    assert said(asked(*contents), NEW)[: len(begins) or None] == begins
    assert said(asked(*contents), OLD) == ""


def test_every_parameter_of_the_sdk_is_known() -> None:
    """The kinds of data, and what may stand beside them, are those of the SDK's own type."""
    ours = validate_gemini.DATA | validate_gemini.BESIDE
    later = {"audiotranscription", "mediaprocessing"} | {f"{kind}metadata" for kind in (
        "speech", "document", "spreadsheet", "audio")}  # fmt: skip
    assert {plain(name) for name in types.Part.model_fields} - ours == later


@pytest.mark.shared
def test_real_requests_are_accepted(shared: Path) -> None:
    """Every request of the corpus and of the recordings, under the rules of the newest model where it was signed."""
    bodies = [(json.loads(path.read_bytes()), OLD) for path in (shared / "corpus/requests/gemini").iterdir()]
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        for line in path.read_text().splitlines():
            request = json.loads(line)
            if request["path"].partition("?")[0].endswith("enerateContent"):
                bodies.append((request["body"], NEW))
    found = [said(body, name) for body, name in bodies]
    assert len(found) > 100
    assert [why for why in found if why] == []


PLAY = Script([Step("Looking é.", (Call("ls", {"path": "."}), Call("cat", {"file": "a b"})), "I think.")])


def run(provider: Provider, talk: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
    """Talk to a provider that listens meanwhile."""

    async def talking() -> None:
        async with provider, aiohttp.ClientSession(provider.url) as session:
            await asyncio.wait_for(talk(session), 20)

    asyncio.run(talking())


async def post(session: aiohttp.ClientSession, path: str, body: Body) -> tuple[int, Any]:
    """(status, decoded answer)"""
    async with session.post(path, json=body) as response:
        return response.status, await response.json()


def ids_of(content: Body) -> list[Any]:
    return [part["functionCall"].get("id") for part in content["parts"] if "functionCall" in part]


def test_an_answer_has_the_form_of_its_model() -> None:
    """Newer models give their calls ids and sign the first one; both count thoughts and calls."""

    async def talk(session: aiohttp.ClientSession) -> None:
        _, old = await post(session, PATH.format("gemini-2.5-pro", "generateContent"), asked(HI))
        _, new = await post(session, PATH.format(NEW, "generateContent"), asked(HI))
        one, two = (answer["candidates"][0]["content"] for answer in (old, new))
        assert [[*part] for part in one["parts"]] == [
            ["text", "thought"], ["text"], ["functionCall", "thoughtSignature"], ["functionCall"]]  # fmt: skip
        assert ids_of(one) == [None, None]
        assert all(id.startswith("call_s0000") for id in ids_of(two))
        assert (old["modelVersion"], old["candidates"][0]["finishReason"]) == ("gemini-2.5-pro", "STOP")
        assert old["usageMetadata"]["totalTokenCount"] == sum(
            old["usageMetadata"][name] for name in ("promptTokenCount", "candidatesTokenCount")
        )

    run(Provider(answers=PLAY), talk)


@pytest.mark.parametrize("sse", [True, False])
def test_a_stream_says_what_the_whole_answer_says(sse: bool) -> None:
    """As events or as one array; the counts of the answer come at its end."""

    async def talk(session: aiohttp.ClientSession) -> None:
        _, whole = await post(session, PATH.format(NEW, "generateContent"), asked(HI))
        path = PATH.format(NEW, "streamGenerateContent") + ("?alt=sse" if sse else "")
        async with session.post(path, json=asked(HI)) as response:
            kind, raw = response.headers["content-type"], await response.text()
        assert kind.startswith("text/event-stream" if sse else "application/json")
        lines = [line[6:] for line in raw.split("\r\n\r\n")[:-1]]
        events = [json.loads(line) for line in lines] if sse else json.loads(raw)
        parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
        assert "".join(part["text"] for part in parts if "text" in part) == "I think.Looking é."
        calls = [part for part in whole["candidates"][0]["content"]["parts"] if "functionCall" in part]
        assert [part for part in parts if "functionCall" in part] == calls
        assert [event["candidates"][0].get("finishReason") for event in events][-2:] == [None, "STOP"]
        assert "candidatesTokenCount" not in events[0]["usageMetadata"]
        assert events[-1]["usageMetadata"] == whole["usageMetadata"] | {
            name: events[-1]["usageMetadata"][name] for name in events[-1]["usageMetadata"]
        }

    run(Provider(answers=PLAY), talk)


def test_a_prompt_is_read_from_the_cache_to_the_token() -> None:
    """What an earlier request of the same key and model began with; another key shares nothing."""

    async def talk(session: aiohttp.ClientSession) -> None:
        path = PATH.format("gemini-2.5-pro", "generateContent")
        first = asked(user(text("word " * 3000)))
        longer = asked(*first["contents"], model(text("Yes.")), HI)
        counts = [(await post(session, path + key, body))[1]["usageMetadata"]
                  for key, body in (("", first), ("", longer), ("?key=other", longer))]  # fmt: skip
        whole = counts[0]["promptTokenCount"] - 1  # the last token is no whole one
        assert [count.get("cachedContentTokenCount") for count in counts] == [None, whole, None]

    run(Provider(), talk)


def test_a_signature_of_ours_is_bound_to_its_call() -> None:
    """On another call it is refused; one of another provider's is not looked into."""

    async def talk(session: aiohttp.ClientSession) -> None:
        path, given = PATH.format(NEW, "generateContent"), call()
        right, wrong = ({"thoughtSignature": signature(one)} for one in (given["functionCall"], {"name": "g"}))
        for signed, status in ((right, 200), (wrong, 400), (SIGNED, 200)):
            got, answer = await post(session, path, asked(HI, model({**given, **signed}), user(result())))
            assert got == status
        assert (await post(session, path, asked(HI, model({**given, **wrong}), user(result()))))[1]["error"] == {
            "code": 400, "message": "Thought signature is not valid.", "status": "INVALID_ARGUMENT"}  # fmt: skip
        assert answer["candidates"]

    run(Provider(), talk)


def test_paths_of_vertex_and_counts_are_served() -> None:
    """Of the Gemini API and of Vertex; a whole request is counted as its contents are."""

    async def talk(session: aiohttp.ClientSession) -> None:
        vertex = "/v1beta1/projects/p/locations/l/publishers/google/models/g"
        assert (await post(session, vertex + ":generateContent", asked(HI)))[0] == 200
        counts = [
            (await post(session, path, body))[1]["totalTokens"]
            for path, body in (
                (vertex + ":countTokens", asked(HI)),
                ("/v1/models/g:countTokens", {"generateContentRequest": {"model": "models/g", **asked(HI)}}),
                ("/v1/models/g:countTokens", asked(user(result()))),
            )
        ]
        assert counts[0] == counts[1] == 12
        async with session.get("/v1beta/models") as response:
            assert (await response.json())["models"][0]["name"].startswith("models/gemini")
        status, answer = await post(session, "/v1beta/nothing", {})
        assert (status, answer["error"]["status"]) == (404, "NOT_FOUND")

    run(Provider(), talk)


def test_an_answer_is_cut_at_the_limit() -> None:
    """It ends with the reason of the API."""

    async def talk(session: aiohttp.ClientSession) -> None:
        body = asked(user(text("a long sentence " * 9)), generationConfig={"maxOutputTokens": 2})
        _, answer = await post(session, PATH.format("gemini-2.5-pro", "generateContent"), body)
        candidate = answer["candidates"][0]
        assert (candidate["finishReason"], candidate["content"]["parts"]) == ("MAX_TOKENS", [{"text": "Echo: "}])

    run(Provider(), talk)


def test_the_prompt_is_the_same_in_both_spellings() -> None:
    """System, tools, contents; a part more changes only what comes behind it."""
    camel = asked(HI, model(call(**SIGNED)), systemInstruction={"parts": text("s")}, tools=[{"googleSearch": {}}])
    snake = {
        "system_instruction": {"parts": [text("s")]},
        "tools": [{"googleSearch": {}}],
        "contents": [HI, {"role": "model", "parts": [{"function_call": {"name": "f"}, "thought_signature": "c2ln"}]}],
    }
    one, two = (segments("gemini", json.dumps(body).encode()) for body in (camel, snake))
    assert [segment.content for segment in one] == [segment.content for segment in two]
    more = segments("gemini", json.dumps({**camel, "contents": [user(text("hi"), text("S"))]}).encode())
    assert more[2].content.startswith(one[2].content)
    with pytest.raises(Unreadable):
        segments("gemini", b'{"contents": [5]}')
