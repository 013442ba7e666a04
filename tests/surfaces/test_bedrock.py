"""Converse messages: what is read in a message, and how content of ours is written into one."""

from typing import Any

import pytest

from foldpoint.core.edit import Carried, KeptImage, Layout, Slot
from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Exchange
from foldpoint.core.transcript import Call, Limits, View
from foldpoint.surfaces import SURFACES
from transcripts import HEAD, LONG, block, compact, said, views

SURFACE = SURFACES["bedrock"]
LIMITS = Limits()
POINT = {"cachePoint": {"type": "default"}}
USE = {"toolUse": {"toolUseId": "tooluse_1", "name": "query", "input": {"n": 1}}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hmm", "signature": "S" * 99}}}
IMAGE = {"image": {"format": "png", "source": {"bytes": "QUFB" * 999}}}
OTHER = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k"}}}}


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"text": words}


def view(role: str, *content: Any) -> View:
    """The view of a message."""
    return SURFACE.view(compact({"role": role, "content": list(content)}), LIMITS)


def result(*content: Any, **members: Any) -> dict[str, Any]:
    """A result of tooluse_1."""
    return {"toolResult": {"toolUseId": "tooluse_1", "content": list(content), **members}}


def head(*content: Any, **members: Any) -> str:
    """What a line says of a result."""
    return said(view("user", result(*content, **members)).results[0].head)


# Reading a body


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/model/us.anthropic.claude-opus-5-5/converse", "us.anthropic.claude-opus-5-5"),
        ("/model/us.anthropic.claude-x-v1%3A0/converse-stream", "us.anthropic.claude-x-v1:0"),
        ("/model/a.m-v1:0/converse?x=1", "a.m-v1:0"),
        ("", "logged"),
    ],
)  # fmt: skip
def test_the_model_is_that_of_the_path(path: str, model: str) -> None:
    """Escapes are read; without a path it is the one that a log wrote into the body."""
    assert SURFACE.read(b'{"modelId":"logged","messages":[]}', path).model == model


def test_a_body_is_read_into_spans() -> None:
    """Items are the caller's bytes, whatever stands around the list."""
    request = SURFACE.read(b'{"system":[],"messages":[{"role":"user", "content":[]} , {}],"toolConfig":{}}', "")
    assert list(request.items) == [b'{"role":"user", "content":[]}', b"{}"]


def test_the_messages_to_be_counted_are_read_where_they_stand() -> None:
    """CountTokens wraps a Converse body."""
    request = SURFACE.read(b'{"input":{"converse":{"messages":[{"a":1}]}}}', "/model/m/count-tokens")
    assert (list(request.items), request.model) == ([b'{"a":1}'], "m")


def test_a_stored_prompt_is_history_of_the_provider() -> None:
    """Its own messages stand in front of those of the body."""
    path = "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aprompt%2FABCDEFGHIJ%3A1/converse"
    assert SURFACE.read(b'{"messages":[]}', path).state is True


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"messages":null}', b'{"prompt":"a"}', b'{"input":{"invokeModel":{"body":"e30="}}}']
)
def test_what_is_no_body_is_unreadable(body: bytes) -> None:
    """Other shapes pass through unread."""
    with pytest.raises(Unreadable):
        SURFACE.read(body, "/model/m/converse")


# Reading a message


@pytest.mark.parametrize(
    "item",
    [b'{"role":"user"}', b'{"role":"user","content":"a"}', b'{"role":"tool","content":[]}', b'{"content":[]}', b"[]"],
)
def test_a_message_of_another_shape_is_unreadable(item: bytes) -> None:
    """Roles and contents that the format does not have are not guessed at."""
    with pytest.raises(Unreadable):
        SURFACE.view(item, LIMITS)


@pytest.mark.parametrize(
    ("role", "content", "size"),
    [
        ("user", [text("äö")], 24 + 16 + 4),
        ("user", [text("abc"), POINT], 24 + 16 + 3),
        ("user", [IMAGE], 24 + 16 + 4_800),
        ("user", [OTHER], 24 + 16 + 4_800),
        ("user", [{"document": {"name": "d", "source": {"bytes": "A" * 70}}}], 24 + 16 + 70),
        ("user", [{"document": {"name": "d", "source": {"text": "ä" * 7}}}], 24 + 16 + 14),
        ("user", [{"document": {"name": "d", "source": {"content": [{"text": "abc"}]}}}], 24 + 16 + 3),
        ("user", [{"guardContent": {"text": {"text": "abc", "qualifiers": []}}}], 24 + 16 + 3),
        ("user", [{"searchResult": {"source": "s", "title": "ab", "content": [{"text": "abc"}]}}], 24 + 16 + 5),
        ("user", [{"video": {"format": "mp4", "source": {"bytes": "A" * 99}}}], 24 + 16),
        ("user", [result(text("abc"))], 24 + 16 + 9 + 3),
        ("user", [result(text("abc"), IMAGE)], 24 + 16 + 9 + 3 + 4_800),
        ("user", [result({"json": {"a": 1}})], 24 + 16 + 9 + 7),
        ("user", [result()], 24 + 16 + 9),
        ("assistant", [USE], 24 + 16 + 9 + 5 + 7),
        ("assistant", [THOUGHT], 24 + 16 + 3),
        ("assistant", [{"reasoningContent": {"redactedContent": "S" * 99}}], 24 + 16),
        ("assistant", [{"citationsContent": {"content": [{"text": "abc"}], "citations": [{}]}}], 24 + 16 + 3),
        ("system", [text("abc")], 24 + 16 + 3),
    ],
)
def test_a_size_is_of_what_is_said(role: str, content: list[Any], size: int) -> None:
    """24 a message, 16 a block, its texts, ids, names and arguments; no cache points, signatures, payloads."""
    assert view(role, *content).size == size


def test_an_action() -> None:
    """Texts as they are said, calls as they were sent, thinking never."""
    found = view("assistant", THOUGHT, text("I look."), USE, {"audio": {"format": "mp3"}}, {"hologram": {}})
    assert said(found.line) == 'I look. | tool_use[tooluse_1] query {"n":1} | [audio] | [other]'
    assert (found.calls, found.thinking) == ((Call("tooluse_1", "query"),), 16 + 3)


def test_a_server_tool_is_answered_in_its_action() -> None:
    """Its call and its result stand in one message of the assistant's."""
    found = view("assistant", {"toolUse": {**USE["toolUse"], "type": "server_tool_use"}}, result(text("found")))
    assert said(found.line) == 'tool_use[tooluse_1] query {"n":1} | tool_result[tooluse_1] query: found'
    assert found.answered == ("tooluse_1",)


def test_a_cache_point_marks_its_message() -> None:
    """And changes nothing else of what is seen."""
    plain, marked = view("user", text("a")), view("user", text("a"), POINT)
    assert (plain.marked, marked.marked, marked.line, marked.own) == (False, True, plain.line, plain.own)


def test_a_cache_point_behind_a_result_leaves_it_the_one_result() -> None:
    """Clients put one behind the newest result."""
    found = view("user", result(text("ok")), POINT)
    assert (found.marked, found.own, [said(one.head) for one in found.results]) == (True, 0, ["ok"])


@pytest.mark.parametrize(
    ("content", "members", "words"),
    [
        ([text("one\n  two")], {}, "one two"),
        ([text("a"), text("b")], {}, "a b"),
        ([], {}, "(empty)"),
        ([text("")], {"status": "success"}, "(empty)"),
        ([text("no")], {"status": "error"}, "(error) no"),
        ([{"json": {"rows": [1, 2]}}], {}, '{"rows":[1,2]}'),
        ([text("a"), IMAGE, {"document": {"name": "d"}}, {"video": {}}], {}, "a [image] [document] [video]"),
        ([{"searchResult": {"title": "Cats", "content": []}}], {}, "[searchResult: Cats]"),
        ([text(LONG)], {}, HEAD),
    ],
)  # fmt: skip
def test_the_head_of_a_result(content: list[Any], members: dict[str, Any], words: str) -> None:
    """One line of at most 320 characters; what is no text as its kind."""
    assert head(*content, **members) == words


def test_a_text_beside_results_is_the_callers_own() -> None:
    """It is carried, the results are not."""
    found = view("user", result(text("ok")), text("and now?"), OTHER)
    assert (said(found.line), found.own, found.own_images) == ("and now? | [image]", 16 + 8 + 16 + 4_800, 1)


# Writing


ITEMS = [
    compact({"role": "user", "content": [text("go")]}),
    compact({"role": "user", "content": [result(text("ok"), IMAGE), text("mind"), OTHER, text("")]}),
]


def written(item: bytes | None, *added: Any) -> str:
    """The message with the additions."""
    return SURFACE.extended(item, added, ITEMS).decode()


def test_a_block_is_a_text_behind_the_content() -> None:
    """What the caller wrote stays as it is spelled."""
    given = b'{ "role":"user" ,"content" : [ {"text":"\\u0061"} ], "x":1}'
    assert written(given, block("s")) == '{ "role":"user" ,"content" : [ {"text":"\\u0061"},{"text":"s"}], "x":1}'


def test_a_block_in_an_empty_content() -> None:
    """No comma in front."""
    assert written(b'{"role":"user","content":[ ]}', block("s")) == '{"role":"user","content":[{"text":"s"}]}'


def test_a_message_of_ours() -> None:
    """A user message of blocks."""
    assert written(None, block("s"), block("t")) == '{"role":"user","content":[{"text":"s"},{"text":"t"}]}'


def test_a_breakpoint_is_a_block_behind_ours() -> None:
    """A cache point."""
    mark = b'{"type":"default"}'
    assert written(ITEMS[0], block("s", mark)) == (
        '{"role":"user","content":[{"text":"go"},{"text":"s"},{"cachePoint":{"type":"default"}}]}'
    )


def test_what_is_carried() -> None:
    """Everything but results and empty texts; an image left out leaves its place."""
    blocks = b'{"role":"user","content":[{"text":"go"},{"text":"mind"},'
    assert written(ITEMS[0], Carried(1, 3)).encode() == blocks + compact(OTHER) + b"]}"
    assert written(ITEMS[0], Carried(1, 3, dropped=(0,))).encode() == blocks + b'{"text":"[image]"}]}'


@pytest.mark.parametrize(("number", "image"), [(0, IMAGE), (1, OTHER)])
def test_a_kept_image(number: int, image: dict[str, Any]) -> None:
    """Those in results first; a label leads it."""
    expected = b'{"role":"user","content":[{"text":"go"},{"text":"[image]"},' + compact(image) + b"]}"
    assert written(ITEMS[0], KeptImage(1, number, "[image]")).encode() == expected


def test_thinking_is_left_out() -> None:
    """The rest as it is spelled."""
    item = compact({"role": "assistant", "content": [THOUGHT, text("a"), USE]})
    assert SURFACE.without_thinking(item) == compact({"role": "assistant", "content": [text("a"), USE]})


@pytest.mark.parametrize("content", [[text("a")], [THOUGHT], [THOUGHT, POINT]])
def test_a_message_without_anything_to_leave_out_stays(content: list[Any]) -> None:
    """Never an empty message."""
    item = compact({"role": "assistant", "content": content})
    assert SURFACE.without_thinking(item) is item


# Breakpoints


def placed(*, system: Any = (), tools: Any = (), tail: Any = (), always: bool = False) -> bytes | None:
    """The mark on our block in a request of three messages whose last two are kept."""
    sent = [{"role": "user", "content": [text("a")]}, {"role": "assistant", "content": [text("b")]}]
    sent.append({"role": "user", "content": [text("c"), *tail]})
    body = compact({"messages": sent, "system": [text("s"), *system], "toolConfig": {"tools": [{}, *tools]}})
    layout = Layout((Slot(0, (block("s"),)),), 1)
    return (
        SURFACE.with_breakpoint(SURFACE.read(body, ""), views("bedrock", sent), layout, always).slots[0].added[0].mark
    )


LONG_POINT = {"cachePoint": {"type": "default", "ttl": "1h"}}


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        ({}, b""),
        ({"always": True}, b'{"type":"default"}'),
        ({"system": [POINT]}, b'{"type":"default"}'),
        ({"tools": [POINT]}, b'{"type":"default"}'),
        ({"tail": [POINT]}, b'{"type":"default"}'),
        ({"tail": [LONG_POINT]}, b'{"type":"default","ttl":"1h"}'),
        ({"system": [LONG_POINT], "tail": [POINT]}, b'{"type":"default"}'),
        ({"system": [POINT, text("t"), POINT], "tools": [POINT], "tail": [POINT]}, b""),
    ],
)
def test_a_breakpoint_of_ours(given: dict[str, Any], mark: bytes) -> None:
    """Where the client marks something and one of four is free; its lifetime is that of the next one behind."""
    assert placed(**given) == mark


# Comparing


def test_calls_with_their_results() -> None:
    """For the loop guard: name, arguments as sent, text of the result without a reminder behind it."""
    asked = compact({"role": "assistant", "content": [USE]})
    answered = compact(
        {"role": "user", "content": [result(text("a <system-reminder>1</system-reminder>"), status="error")]}
    )
    assert SURFACE.exchanges([asked, answered]) == [Exchange("query", b'{"n":1}', "(error) a")]


def test_results_with_other_images_are_other_results() -> None:
    """What is no text is compared, too."""
    asked = compact({"role": "assistant", "content": [USE]})
    one, two = (compact({"role": "user", "content": [result(image)]}) for image in (IMAGE, OTHER))
    assert SURFACE.exchanges([asked, one]) != SURFACE.exchanges([asked, two])


def test_one_spelling_for_digests() -> None:
    """Members sorted, cache points left out."""
    item = b'{"role": "user", "content": [{"text": "a"}, {"cachePoint": {"type": "default"}}]}'
    assert SURFACE.normal(item) == b'{"content":[{"text":"a"}],"role":"user"}'
