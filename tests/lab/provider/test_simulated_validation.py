"""What the simulated provider refuses, and in whose words."""

import json
import typing
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import message_create_params as plain_params
from anthropic.types.beta import message_create_params as beta_params
from openai.types.chat import completion_create_params as chat_params

from foldpoint.lab.provider import signing, validate_anthropic, validate_openai_chat
from foldpoint.lab.provider.refusal import Refused

Body = dict[str, Any]
MARK = {"cache_control": {"type": "ephemeral"}}


def text(said: str, **members: Any) -> Body:
    return {"type": "text", "text": said, **members}


def use(name: str, **members: Any) -> Body:
    return {"type": "tool_use", "id": name, "name": "f", "input": {}, **members}


def result(name: str, **members: Any) -> Body:
    return {"type": "tool_result", "tool_use_id": name, "content": "r", **members}


def user(*blocks: Body | str) -> Body:
    return {"role": "user", "content": blocks[0] if isinstance(blocks[0], str) else list(blocks)}


def assistant(*blocks: Body | str) -> Body:
    return {**user(*blocks), "role": "assistant"}


def system(*blocks: Body | str) -> Body:
    return {"role": "system", "content": blocks[0] if isinstance(blocks[0], str) else list(blocks)} if blocks else QUIET


QUIET: Body = {"role": "system", "content": [], "output_config": {"effort": "low"}}
HI = user("hi")
LOOP = [HI, assistant(text("a"), use("t1"), use("t2")), user(result("t2"), result("t1"), text("and"))]


def anthropic(*messages: Body, **members: Any) -> Body:
    return {"model": "m", "max_tokens": 9, "messages": list(messages), **members}


def said(check: typing.Callable[[Body], None], body: Body) -> str:
    """The refusal's message, "" where the body is accepted."""
    try:
        check(body)
    except Refused as refused:
        return str(refused)
    return ""


SERVER = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
SEARCHED = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "EqFo"}

ACCEPTED = {
    "one message": anthropic(HI),
    "calls answered in any order, text behind the results": anthropic(*LOOP),
    "an answer begun": anthropic(HI, assistant("So")),
    "a system message behind a user message": anthropic(HI, system("s"), assistant("a"), user("b"), system("s")),
    "silent system messages anywhere": anthropic(system(), HI, system(), assistant("a"), system(), user("b")),
    "foreign signatures": anthropic(HI, assistant(SIGNED, text("a")), user("b")),
    "server calls with their results": anthropic(HI, assistant(SERVER, SEARCHED, text("a")), user("b")),
    "a paused turn": anthropic(HI, assistant(text("a"), SERVER)),
    "a server call that waits for the client's tool": anthropic(
        HI, assistant(SERVER, use("t1")), user(result("t1")), assistant(SEARCHED, text("a")), user("b")
    ),
    "an empty result": anthropic(HI, assistant(use("t1")), user(result("t1", content=[]))),
    "four marks": anthropic(user(text("a", **MARK), text("b", **MARK)), system=[text("s", **MARK)], tools=[{**MARK}]),
    "long-lived marks first": anthropic(
        user(text("a", cache_control={"type": "ephemeral", "ttl": "1h"}), text("b", **MARK))
    ),
    "ids used again in a later turn": anthropic(*LOOP, assistant(use("t1")), user(result("t1"))),
}

REFUSED = {
    "model: Field required": {"max_tokens": 1, "messages": [HI]},
    "max_tokens: Field required": {"model": "m", "messages": [HI]},
    "messages: Field required": {"model": "m", "max_tokens": 1},
    "max_tokens: Input should be a valid integer": anthropic(HI, max_tokens="9"),
    "session_id: Extra inputs are not permitted": anthropic(HI, session_id="s"),
    "thread: this model does not hold threads": anthropic(HI, thread={"type": "create"}),
    "messages: at least one message is required": anthropic(),
    "messages.0.role: Input should be 'user'": anthropic({"role": "tool", "content": "x"}),
    "messages.0.content: Input should be a valid string or list": anthropic({"role": "user", "content": None}),
    "messages.0: user messages must have non-empty content": anthropic(user("")),
    "messages.1: all messages must have non-empty content": anthropic(HI, assistant(""), user("b")),
    'messages: first message must use the "user" role': anthropic(assistant("a"), HI),
    'messages.1: roles must alternate between "user" and "assistant", but found multiple "user"': anthropic(HI, HI),
    "messages.1: a `system` message must directly follow": anthropic(HI, system("s"), user("b")),
    "messages.2: a `system` message must directly follow": anthropic(HI, assistant("a"), system("s"), user("b")),
    "messages.1: a `system`": anthropic(HI, system("s"), system("t")),
    "messages: text content blocks must be non-empty": anthropic(user(text("a"), text(""))),
    "messages: text content blocks must contain non-whitespace text": anthropic(user(text(" \n"))),
    "system: text content blocks must be non-empty": anthropic(HI, system=[text("")]),
    "messages: final assistant content cannot end with trailing whitespace": anthropic(HI, assistant("So ")),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1.": anthropic(
        HI, assistant(use("t1"))
    ),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2.": anthropic(
        HI, assistant(use("t1"), use("t2")), user(result("t1"))
    ),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after": anthropic(
        HI, assistant(use("t1")), user(text("first"), result("t1"))
    ),
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1.": anthropic(user(result("t1"))),
    "messages.4.content.0: unexpected `tool_use_id` found": anthropic(*LOOP, assistant("a"), user(result("t1"))),
    "messages.2.content.2: unexpected `tool_use_id` found": anthropic(
        HI, assistant(use("t1")), user(result("t1"), text("a"), result("t1"))
    ),
    "messages.2: each tool_use must have a single result.": anthropic(
        HI, assistant(use("t1")), user(result("t1"), result("t1"))
    ),
    "messages.1: `tool_use` ids must be unique": anthropic(HI, assistant(use("t1"), use("t1")), user(result("t1"))),
    "messages.1.content.0.tool_use.id: String should match": anthropic(HI, assistant(use("t 1")), user(result("t 1"))),
    "messages.1.content.0.tool_use.input: Input should be a valid dictionary": anthropic(
        HI, assistant(use("t1", input="{}")), user(result("t1"))
    ),
    "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages": anthropic(user(use("t1"))),
    "messages.1.content.0: `tool_result` blocks can only be in `user` messages": anthropic(HI, assistant(result("t1"))),
    "messages.1.content.0.thinking.signature: Field required": anthropic(
        HI, assistant({"type": "thinking", "thinking": "hm"}, text("a")), user("b")
    ),
    "messages.1.content.0: Invalid `signature` in `thinking` block": anthropic(
        HI, assistant({**SIGNED, "signature": signing.signature("other")}, text("a")), user("b")
    ),
    "messages.1: server tool use `s1` was found without its result": anthropic(HI, assistant(SERVER), user("b")),
    "messages.1.content.0: `web_search_tool_result` block without its call: s1": anthropic(
        HI, assistant(SEARCHED), user("b")
    ),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.": anthropic(
        user(*[text("a", **MARK)] * 4), **MARK
    ),
    "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after": anthropic(
        user(text("a", **MARK), text("b", cache_control={"type": "ephemeral", "ttl": "1h"}))
    ),
    "messages.0.content.0.cache_control: Input should be": anthropic(user(text("a", cache_control={"type": "x"}))),
    "messages.1.content.0.cache_control: Extra inputs": anthropic(HI, assistant({**SIGNED, **MARK}, text("a"))),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_messages_accepts_what_the_api_accepts(body: Body) -> None:
    """Odd, and right."""
    assert said(validate_anthropic.check, body) == ""


@pytest.mark.parametrize(("begins", "body"), REFUSED.items(), ids=REFUSED)
def test_messages_refuses_what_the_api_refuses(begins: str, body: Body) -> None:
    """The message says which place is wrong."""
    assert said(validate_anthropic.check, body)[: len(begins)] == begins


def test_neighbours_of_one_role_are_joined_where_that_is_wanted() -> None:
    """Results may then come in two messages, as the API has it."""
    body = anthropic(HI, user("b"), assistant(use("t1"), use("t2")), user(result("t1")), user(result("t2")))
    validate_anthropic.check(body, merge_roles=True)
    assert said(validate_anthropic.check, body).startswith("messages.1: roles must alternate")


def test_thinking_of_ours_is_checked_in_the_last_assistant_message_only() -> None:
    """Older thinking isn't looked at."""
    forged = assistant({**SIGNED, "signature": signing.signature("other")}, text("a"))
    mine = assistant({**SIGNED, "signature": signing.signature("hm")}, text("a"))
    assert said(validate_anthropic.check, anthropic(HI, forged, user("b"), mine, user("c"))) == ""


def tool(name: str, content: Any = "r") -> Body:
    return {"role": "tool", "tool_call_id": name, "content": content}


def calling(*names: str, **members: Any) -> Body:
    calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls, **members}


def chat(*messages: Body, **members: Any) -> Body:
    return {"model": "m", "messages": list(messages), **members}


CHAT_ACCEPTED = {
    "calls answered in any order": chat(HI, calling("c1", "c2"), tool("c2"), tool("c1", ""), HI),
    "system messages anywhere, two user messages": chat(HI, {"role": "system", "content": "s"}, HI, HI),
    "ids used again in a later turn": chat(HI, calling("c1"), tool("c1"), calling("c1"), tool("c1")),
    "an assistant message without a text": chat(HI, {"role": "assistant", "content": ""}),
    "parts": chat(user(text("a"), {"type": "image_url", "image_url": {"url": "data:"}})),
}
CHAT_REFUSED = {
    "you must provide a model parameter": {"messages": [HI]},
    "Missing required parameter: 'messages'.": {"model": "m"},
    "Unknown parameter: 'session_id'.": chat(HI, session_id="s"),
    "Invalid 'messages': empty array.": chat(),
    "Invalid value: 'model'. Supported values are: 'system'": chat({"role": "model", "content": "x"}),
    "Invalid value for 'content': expected a string, got null.": chat({"role": "user", "content": None}),
    "Invalid value for 'content'": chat(HI, {"role": "assistant", "content": None}),
    "Invalid 'messages[0].content': empty content.": chat(user("")),
    "Missing required parameter: 'messages[0].content[0].text'.": chat(user({"type": "text"})),
    "Invalid 'messages[1].tool_calls': empty array.": chat(HI, calling(content="a")),
    "Missing required parameter: 'messages[1].tool_call_id'.": chat(HI, {"role": "tool", "content": "r"}),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message": chat(HI, tool("c1")),
    "Invalid parameter: messages with role 'tool'": chat(HI, calling("c1"), tool("c1"), HI, tool("c1")),
    "An assistant message with 'tool_calls' must be followed by tool messages": chat(HI, calling("c1")),
    "An assistant message with 'tool_calls'": chat(HI, calling("c1", "c2"), tool("c1"), HI, tool("c2")),
}


@pytest.mark.parametrize("body", CHAT_ACCEPTED.values(), ids=CHAT_ACCEPTED)
def test_chat_accepts_what_the_api_accepts(body: Body) -> None:
    """Odd, and right."""
    assert said(validate_openai_chat.check, body) == ""


@pytest.mark.parametrize(("begins", "body"), CHAT_REFUSED.items(), ids=CHAT_REFUSED)
def test_chat_refuses_what_the_api_refuses(begins: str, body: Body) -> None:
    """The message says what is wrong."""
    assert said(validate_openai_chat.check, body)[: len(begins)] == begins


def test_every_parameter_of_the_clients_is_known() -> None:
    """The lists of known parameters are those of the real SDKs."""
    ours = {
        *typing.get_type_hints(plain_params.MessageCreateParamsBase),
        *typing.get_type_hints(beta_params.MessageCreateParamsBase),
    }
    assert ours - {"betas"} - validate_anthropic.FIELDS == set()
    assert set(typing.get_type_hints(chat_params.CompletionCreateParamsBase)) - validate_openai_chat.FIELDS == set()


UNSIGNED = "messages.1.content.0: Invalid `signature` in `thinking` block"
ODD = {"claude-code-agentic-wallet": UNSIGNED, "claude-code-tax-app": UNSIGNED}
"""Real bodies with the thinking of another vendor's model, unsigned: the API itself would refuse them."""


@pytest.mark.shared
@pytest.mark.parametrize(
    ("surface", "check"), [("anthropic", validate_anthropic.check), ("openai-chat", validate_openai_chat.check)]
)
def test_real_requests_are_accepted(shared: Path, surface: str, check: typing.Callable[[Body], None]) -> None:
    """Every request of the corpus, but for two whose fault has a name."""
    found = {
        path.stem: said(check, json.loads(path.read_bytes()))
        for path in sorted((shared / "corpus" / "requests" / surface).glob("*.json"))
    }
    assert found
    assert {name: why for name, why in found.items() if why} == (ODD if surface == "anthropic" else {})


@pytest.mark.shared
def test_real_clients_are_accepted(shared: Path) -> None:
    """Every recorded request, neighbours of one role joined; threads alone are refused, so that the client resends."""
    refusals = set()
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        for line in path.read_text().splitlines():
            request = json.loads(line)
            if request["path"].startswith("/v1/messages") and request["body"]:
                counting = "count_tokens" in request["path"]
                try:
                    validate_anthropic.check(request["body"], counting=counting, merge_roles=True)
                except Refused as refused:
                    refusals.add((path.stem, str(refused)))
            elif request["path"].startswith("/v1/chat/completions"):
                assert said(validate_openai_chat.check, request["body"]) == ""
    assert refusals == {
        ("anthropic_tool_runner", "thread: this model does not hold threads; send the messages in full")
    }
