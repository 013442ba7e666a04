"""The cap on requests: which results, which tools, and how several texts share it."""

import json
from typing import Any

import pytest

from foldpoint import Engine, Policy, fold, fold_messages
from foldpoint.core.policy import OutputCap, StaleOutput, Trajectory
from foldpoint.core.transcript import Limits, View
from foldpoint.skills.memo import Memo
from foldpoint.skills.output_cap.applying import Callers
from foldpoint.surfaces import SURFACES

OFF = Trajectory(mode="off")
LONG = "\n".join(f"row {number} is as it was" for number in range(200))
MARK = {"type": "ephemeral"}
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def policy(**parameters: Any) -> Policy:
    """The cap alone, at 400 characters."""
    return Policy(OFF, OutputCap(**{"mode": "prod", "max_chars": 400, **parameters}))


def anthropic(content: Any, name: str = "read_file", **more: Any) -> bytes:
    """A request with one call and its result."""
    use = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content, **more}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [use]}]
    return json.dumps({"model": "m", "messages": [*messages, {"role": "user", "content": [result]}]}).encode()


def chat(content: Any, name: str = "read_file") -> bytes:
    """The same of chat completions."""
    call = {"id": "t1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [call]}]
    return json.dumps({"messages": [*messages, {"role": "tool", "tool_call_id": "t1", "content": content}]}).encode()


def responses(content: Any, name: str = "read_file") -> bytes:
    """The same of Responses."""
    call = {"type": "function_call", "call_id": "t1", "name": name, "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "t1", "output": content}
    return json.dumps({"input": [{"role": "user", "content": "Go."}, call, output]}).encode()


def gemini(content: Any, name: str = "read_file") -> bytes:
    """The same of Gemini."""
    call = {"functionCall": {"name": name, "args": {}}}
    answer = {"functionResponse": {"name": name, "response": {"output": content}}}
    contents = [{"role": "user", "parts": [{"text": "Go."}]}, {"role": "model", "parts": [call]}]
    return json.dumps({"contents": [*contents, {"role": "user", "parts": [answer]}]}).encode()


def bedrock(content: Any, name: str = "read_file") -> bytes:
    """The same of Converse."""
    use = {"toolUse": {"toolUseId": "t1", "name": name, "input": {}}}
    result = {"toolResult": {"toolUseId": "t1", "content": [{"text": content}]}}
    messages = [{"role": "user", "content": [{"text": "Go."}]}, {"role": "assistant", "content": [use]}]
    return json.dumps({"messages": [*messages, {"role": "user", "content": [result]}]}).encode()


REQUESTS = {
    "anthropic": anthropic,
    "openai-chat": chat,
    "openai-responses": responses,
    "gemini": gemini,
    "bedrock": bedrock,
}


def told(body: bytes, surface: str = "anthropic") -> tuple[str, ...]:
    """The texts of the one result."""
    format_ = SURFACES[surface]
    return next(texts for item in format_.read(body).items for _, _, texts, _ in format_.results(item))


@pytest.mark.parametrize("surface", REQUESTS)
@pytest.mark.parametrize(
    ("exempt", "stays"), [("", False), ("read_file", True), ("bash, read_*", True), ("read", False), (" , ", False)]
)
def test_tools_are_exempt_by_name(surface: str, exempt: str, stays: bool) -> None:
    """By their whole name or a pattern, whether the result says the name or its call does."""
    body = REQUESTS[surface](LONG)
    done = fold(body, surface, policy(exempt_tools=exempt))
    assert (done.body is body) == stays
    said = told(done.body, surface)[0]
    assert said == LONG if stays else len(said) <= 400
    assert done.receipt.reason == ("nothing_long" if stays else "shortened")


@pytest.mark.parametrize(("length", "stays"), [(399, True), (400, True), (401, False)])
def test_the_longest_that_stays(length: int, stays: bool) -> None:
    """A result of as many characters as the cap."""
    body = anthropic("é" * length)
    assert (fold(body, "anthropic", policy()).body is body) == stays


def test_several_texts_share_the_cap() -> None:
    """Short ones stay as they are, the others get the same of what is left; images and cache marks stay."""
    texts = ["short", LONG, PNG, "x" * 5_000]
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in texts]
    done = fold(anthropic(blocks, cache_control=MARK), "anthropic", policy())
    sent = json.loads(done.body)["messages"][2]["content"][0]
    assert [block["type"] for block in sent["content"]] == ["text", "text", "image", "text"]
    assert sent["content"][2] == PNG
    assert sent["cache_control"] == MARK
    lengths = [len(text) for text in told(done.body)]
    assert lengths[0] == 5
    assert sum(lengths) <= 400
    assert max(lengths[1:]) <= 198


def texts_of(*texts: str) -> bytes:
    """A request whose result has those texts."""
    return anthropic([{"type": "text", "text": text} for text in texts])


def test_the_shares_of_several_texts() -> None:
    """What short ones leave goes to the others, evenly."""
    sent = told(fold(texts_of("a" * 50, "\n".join(LONG.split("\n")[:9]), LONG, LONG), "anthropic", policy()).body)
    assert (len(sent[0]), [len(text) <= 116 for text in sent[1:]]) == (50, [True, True, True])
    assert fold(texts_of("a" * 200, "b" * 200), "anthropic", policy()).receipt.reason == "nothing_long"


@pytest.mark.parametrize(("count", "length", "most"), [(5, 300, 400), (60, 300, 400), (301, 50, 400), (20, 300, 2_000)])
def test_more_texts_than_the_cap_can_tell_apart(count: int, length: int, most: int) -> None:
    """Are told as one or evenly: none is empty, all are within the cap, and the ending says what is left out."""
    texts = [f"row {number} ".ljust(length, "x") for number in range(count)]
    texts[count // 2] = "ERROR: connection to db-7f3a9c refused".ljust(length)
    sent = told(fold(texts_of(*texts), "anthropic", policy(max_chars=most)).body)
    assert len(sent) == count
    assert "" not in sent
    assert sum(map(len, sent)) <= most
    assert "characters left out]" in "".join(sent)


@pytest.mark.parametrize("length", [2, 40])
def test_more_texts_than_the_cap_has_characters(length: int) -> None:
    """Each keeps a sign, for a provider refuses an empty text; the body never grows."""
    body = texts_of(*["x" * length] * 3_000)
    done = fold(body, "anthropic", policy())
    sent = told(done.body)
    assert (len(sent), "" in sent, len(done.body) <= len(body)) == (3_000, False, True)
    assert sum(map(len, sent)) <= 3_099 if length > 3 else done.body is body


def test_the_ending_names_the_call_where_there_is_a_recall_tool() -> None:
    """And not where there is none."""
    assert '; recall("t1") returns them]' in told(fold(anthropic(LONG), "anthropic", policy(recall_hint=True)).body)[0]
    assert "recall" not in told(fold(anthropic(LONG), "anthropic", policy()).body)[0]


def test_shadow_measures_and_changes_nothing() -> None:
    """What it would save is said; the caller's own bytes go on."""
    body = anthropic(LONG)
    done = fold(body, "anthropic", policy(mode="shadow"))
    assert done.body is body
    assert (done.receipt.verdict, done.receipt.tokens_saved) == ("would_compact", 0)
    assert done.receipt.tokens_would_save > 1_000
    assert done.hidden == ()
    assert done.receipt.headers() == {"x-ace-tool-output-cap": "would_compact", "x-ace-tool-output-cap-results": "1/1"}


def test_off_is_off() -> None:
    """No stage, no header; nothing of the body is read. A cap of 0 cuts nothing."""
    body = anthropic(LONG)
    done = fold(body, "anthropic", Policy(OFF))
    assert (done.body is body, done.receipt.stages, done.receipt.headers()) == (True, (), {})
    assert fold(body, "anthropic", policy(max_chars=0)).body is body


def test_headers_of_both() -> None:
    """Each skill has its own, beside the fold's."""
    both = Policy(Trajectory(), OutputCap("prod", 400), StaleOutput("prod", grid=1))
    said = fold(anthropic(LONG), "anthropic", both).receipt.headers()
    assert said["x-ace-trajectory-compaction"] == "no_op"
    assert (said["x-ace-tool-output-cap"], said["x-ace-tool-output-cap-results"]) == ("compacted", "1/1")
    assert (said["x-ace-stale-tool-output"], said["x-ace-stale-tool-output-results"]) == ("no_op", "0/1")


def test_texts_are_remembered_apart() -> None:
    """By tenant and by policy: what one sent does not make another's request quicker."""
    memo = Memo()
    for tenant in ("a", "b", "a"):
        Engine(policy(), memo=memo).fold(anthropic(LONG), "anthropic", tenant=tenant)
    Engine(policy(max_chars=500), memo=memo).fold(anthropic(LONG), "anthropic", tenant="a")
    texts = [known for known, _ in memo._known.values() if type(known).__name__ == "Text"]
    assert len(texts) == 3


def test_a_result_that_cannot_be_read_lets_the_request_through() -> None:
    """As it came, and the receipt says why."""
    body = anthropic(LONG).replace(b'"type": "tool_use"', b'"type": 7')
    done = fold(body, "anthropic", policy())
    assert (done.body is body, done.receipt.verdict, done.receipt.reason) == (True, "skipped", "unreadable")


def test_a_client_that_moves_its_mark_or_rewrites_its_past() -> None:
    """Is read as it now is."""
    engine = Engine(policy())
    for body in (anthropic(LONG), anthropic(LONG, cache_control=MARK), anthropic(LONG[:900]), anthropic("short")):
        assert engine.fold(body, "anthropic").body == fold(body, "anthropic", policy()).body


def test_messages_of_a_framework() -> None:
    """A message with a shorter result is a new object; every other one is the caller's own."""
    messages = json.loads(anthropic(LONG))["messages"]
    done = fold_messages(messages, "anthropic", policy())
    assert [new is old for new, old in zip(done, messages, strict=True)] == [True, True, False]
    assert len(done[2]["content"][0]["content"]) <= 400
    stale = Policy(OFF, stale_tool_output=StaleOutput("prod", grid=1, max_age_messages=0))
    aged = fold_messages([*messages, {"role": "assistant", "content": "Done."}], "anthropic", stale)
    assert aged[2]["content"][0]["content"] == "[long tool output stale/compacted]"


def test_a_name_is_of_the_newest_call_in_front_and_every_item_is_read_once() -> None:
    """Also where ids come twice or nobody called."""
    ids, read = ["a", "b", "a", "c"], list[bytes]()
    calls = [
        {"id": id, "type": "function", "function": {"name": f"tool{at}", "arguments": "{}"}}
        for at, id in enumerate(ids)
    ]
    items = [json.dumps({"role": "assistant", "tool_calls": [call]}).encode() for call in calls]

    class Reading:
        """The surface, and what it read."""

        def view(self, item: bytes, limits: Limits) -> View:
            """As the surface does."""
            read.append(item)
            return SURFACES["openai-chat"].view(item, limits)

    callers = Callers(Reading(), items)
    assert [callers.name(2, id) for id in ("a", "c")] == ["tool0", ""]
    assert [callers.name(4, id) for id in ("a", "b", "c", "d")] == ["tool2", "tool1", "tool3", ""]
    assert sorted(read) == sorted(items)
