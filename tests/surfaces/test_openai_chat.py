"""Chat completions: what is read in a message, and how content of ours is written into one."""

from typing import Any

import pytest

from foldpoint.core.edit import Carried, KeptImage
from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Exchange
from foldpoint.core.transcript import Call, Limits, View
from foldpoint.surfaces import SURFACES
from transcripts import HEAD, LONG, MARK, block, compact, image_url, said, text

SURFACE = SURFACES["openai-chat"]
LIMITS = Limits()


def view(limits: Limits = LIMITS, **message: Any) -> View:
    """The view of a message."""
    return SURFACE.view(compact(message), limits)


def call(id: str = "call_1", name: str = "query", arguments: str = '{"n":1}') -> dict[str, Any]:
    """A tool call."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def head(content: Any, limits: Limits = LIMITS) -> str:
    """What a line says of a result."""
    return said(view(limits, role="tool", tool_call_id="call_1", content=content).results[0].head)


# Reading


def test_a_body_is_read_into_spans() -> None:
    """Items are the caller's bytes, the model is as it is named."""
    request = SURFACE.read(b'{"messages":[ {"role":"user"},{}],"model":"gpt-x"}')
    assert (list(request.items), request.model) == ([b'{"role":"user"}', b"{}"], "gpt-x")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"messages":{}}', b'{"messages":null}', b'{"messages":[]', b"\xff"]
)
def test_what_is_no_body_is_unreadable(body: bytes) -> None:
    """Broken JSON and other shapes are refused by name of the error."""
    with pytest.raises(Unreadable):
        SURFACE.read(body)


@pytest.mark.parametrize(
    "item",
    [
        b'{"role":"model","content":"a"}',
        b'{"content":"a"}',
        b'{"role":"user","content":5}',
        b'{"role":"user","content":[1]}',
        b"[]",
    ],
)
def test_a_message_of_another_shape_is_unreadable(item: bytes) -> None:
    """Roles and contents that the format does not have are not guessed at."""
    with pytest.raises(Unreadable):
        SURFACE.view(item, Limits())


@pytest.mark.parametrize(
    ("message", "size"),
    [
        ({"role": "user", "content": "abc"}, 24 + 16 + 3),
        ({"role": "user", "content": [text("abc")]}, 24 + 16 + 3),
        ({"role": "user", "content": [{**text("abc"), "cache_control": MARK}]}, 24 + 16 + 3),
        ({"role": "user", "content": [image_url("A" * 9_000)]}, 24 + 16 + 4_800),
        ({"role": "tool", "tool_call_id": "call_1", "content": "abc"}, 24 + 6 + 16 + 3),
        ({"role": "assistant", "content": None}, 24),
        ({"role": "assistant", "tool_calls": [call()]}, 24 + 16 + 6 + 5 + 7),
        ({"role": "assistant", "content": "ab", "reasoning_content": "hmm"}, 24 + 16 + 2 + 16 + 3),
        ({"role": "system", "content": "abc"}, 24 + 16 + 3),
    ],
)
def test_a_size_is_of_what_is_said(message: dict[str, Any], size: int) -> None:
    """24 a message, 16 a part, its texts, ids and names, and arguments as they are sent."""
    assert view(**message).size == size


def test_an_action_is_its_text_and_calls() -> None:
    """In order; reasoning has no part in it."""
    read = view(
        role="assistant", content="I look.", reasoning_content="hm", tool_calls=[call(), call("call_2", "list", "{}")]
    )
    assert (said(read.line), read.calls) == (
        'I look. | tool_use[call_1] query {"n":1} | tool_use[call_2] list {}',
        (Call("call_1", "query"), Call("call_2", "list")),
    )


def test_arguments_are_never_parsed() -> None:
    """Broken arguments stand as they were sent."""
    read = view(role="assistant", tool_calls=[call(arguments='{"n": 1.50,')])
    assert said(read.line) == 'tool_use[call_1] query {"n": 1.50,'


def test_a_custom_tool_has_its_input() -> None:
    """A custom call's input is its arguments."""
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}
    assert said(view(role="assistant", tool_calls=[custom]).line) == "tool_use[call_1] sh ls -l"


def test_a_refusal_is_said() -> None:
    """What the assistant declined is part of the action."""
    assert said(view(role="assistant", content=None, refusal="I can't.").line) == "I can't."


def test_a_result_is_a_head() -> None:
    """320 characters of it."""
    assert head(LONG) == HEAD


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("ok\n then", "ok then"),
        ("", "(empty)"),
        (None, "(empty)"),
        ([], "(empty)"),
        ([text("a"), text("b")], "a b"),
        ([text("a"), image_url("A")], "a [image]"),
        ("[trajectory summary]", "  [trajectory summary]"),
    ],
)
def test_a_head_says_what_a_result_holds(content: Any, line: str) -> None:
    """Texts on one line, what is no text as its kind, nothing as `(empty)`."""
    assert head(content) == line


@pytest.mark.parametrize("role", ["system", "developer"])
def test_developer_messages_are_system_messages(role: str) -> None:
    """Both are protected alike."""
    assert view(role=role, content="a").role == "system"


def test_a_user_message_with_a_name_stands_alone() -> None:
    """A merge would lose its other members."""
    assert view(role="user", content="a", name="Ann").alone is True


def test_a_user_message_of_a_text_can_be_merged() -> None:
    """Role and content are all it has."""
    assert view(role="user", content="a").alone is False


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "a", "cache_control": MARK},
        {"role": "user", "content": [{**text("a"), "cache_control": MARK}]},
        {"role": "user", "content": [{**text("a"), "prompt_cache_breakpoint": {"mode": "x"}}]},
        {"role": "tool", "tool_call_id": "c", "content": [{**text("a"), "cache_control": MARK}]},
        {"role": "assistant", "content": [{**text("a"), "cache_control": MARK}]},
    ],
)
def test_a_mark_is_seen_wherever_it_stands(message: dict[str, Any]) -> None:
    """On a message or on a part, in either spelling."""
    assert view(**message).marked is True


# Writing


def extended(content: Any, *added: Any, items: list[Any] | None = None) -> bytes:
    """A user message of the content with additions."""
    return SURFACE.extended(
        compact({"role": "user", "content": content}), added, [compact(item) for item in items or []]
    )


def test_a_string_stays_a_string() -> None:
    """Blocks go in front of its closing quote, in order, each behind a blank line; its own spelling stays."""
    item = rb'{"role":"user","content":"\u0061\ud83d" , "x":1.0}'
    assert SURFACE.extended(item, (block('s "1"'), block("t")), []) == (
        rb'{"role":"user","content":"\u0061\ud83d\n\ns \"1\"\n\nt" , "x":1.0}'
    )


def test_a_carried_string_is_led_by_its_turn() -> None:
    """Its literal stands behind one line that says whose it is."""
    item = rb'{"role":"user","content":"\u0061"}'
    assert SURFACE.extended(b'{"role":"user","content":"a"}', (Carried(0, 3),), [item]) == (
        rb'{"role":"user","content":"a\n\n[user message of turn 3]\n\u0061"}'
    )


@pytest.mark.parametrize("content", ["", None])
def test_nothing_is_no_empty_text(content: Any) -> None:
    """An empty content leaves no blank line in front."""
    assert extended(content, block("s")) == b'{"role":"user","content":"s"}'


def test_a_list_gets_further_parts() -> None:
    """The parts that are there stay as they are written."""
    item = b'{"content":[ {"type":"text", "text":"a"} ],"role":"user"}'
    assert SURFACE.extended(item, (block("s"),), []) == (
        b'{"content":[ {"type":"text", "text":"a"},{"type":"text","text":"s"}],"role":"user"}'
    )


def test_an_empty_list_gets_parts() -> None:
    """No comma stands in front of the first."""
    assert extended([], block("s")) == b'{"role":"user","content":[{"type":"text","text":"s"}]}'


def test_a_new_message_of_a_text_is_a_string() -> None:
    """A message of ours is written as the shortest form."""
    assert SURFACE.extended(None, (block("s"), block("t")), []) == rb'{"role":"user","content":"s\n\nt"}'


def test_an_image_makes_parts_of_a_string() -> None:
    """What can't be said in a string follows it as parts; the texts in front stay one string."""
    item = {"role": "tool", "tool_call_id": "c", "content": [text("t"), image_url("A")]}
    assert extended("a", block("s"), KeptImage(0, 0, "[image]"), items=[item]) == compact(
        {"role": "user", "content": [text("a\n\ns"), text("[image]"), image_url("A")]}
    )


def test_a_dropped_image_leaves_its_place() -> None:
    """An older image of a carried message becomes a word, and an empty text is left out."""
    item = {"role": "user", "content": [image_url("A"), text(""), text("note"), image_url("B")]}
    assert extended([], Carried(0, 1, (0,)), items=[item]) == compact(
        {"role": "user", "content": [text("[image]"), text("note"), image_url("B")]}
    )


# Exchanges


def test_an_exchange_is_a_call_with_its_result() -> None:
    """Name, arguments as sent, and the text of the result without the client's reminder."""
    items = [
        compact({"role": "assistant", "tool_calls": [call()]}),
        compact({"role": "tool", "tool_call_id": "call_1", "content": "a <system-reminder>x</system-reminder>"}),
    ]
    assert SURFACE.exchanges(items) == [Exchange("query", b'{"n":1}', "a")]


def test_an_id_that_is_used_again_is_a_new_call() -> None:
    """A result belongs to the newest call of its id."""
    asked = [compact({"role": "assistant", "tool_calls": [call(arguments=str(n))]}) for n in (1, 2)]
    answer = compact({"role": "tool", "tool_call_id": "call_1", "content": "a"})
    assert SURFACE.exchanges([asked[0], answer, asked[1], answer]) == [
        Exchange("query", b"1", "a"),
        Exchange("query", b"2", "a"),
    ]


def test_a_call_without_a_result_is_no_exchange() -> None:
    """The live call has not been answered yet."""
    assert SURFACE.exchanges([compact({"role": "assistant", "tool_calls": [call()]})]) == []
