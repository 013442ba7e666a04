"""Anthropic messages: what is read in a message, and how content of ours is written into one."""

from typing import Any

import pytest

from foldpoint.core.edit import Carried, KeptImage
from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Exchange
from foldpoint.core.transcript import Call, Limits, View
from foldpoint.surfaces import SURFACES
from transcripts import HEAD, LONG, MARK, block, compact, image, said, text

SURFACE = SURFACES["anthropic"]
LIMITS = Limits()
USE = {"type": "tool_use", "id": "toolu_1", "name": "query", "input": {"n": 1}}


def view(role: str, content: Any, limits: Limits = LIMITS) -> View:
    """The view of a message."""
    return SURFACE.view(compact({"role": role, "content": content}), limits)


def result(content: Any = "ok", **members: Any) -> dict[str, Any]:
    """A result of toolu_1."""
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, **members}


def head(content: Any, limits: Limits = LIMITS, **members: Any) -> str:
    """What a line says of a result."""
    return said(view("user", [result(content, **members)], limits).results[0].head)


# Reading a body


def test_a_body_is_read_into_spans() -> None:
    """Items are the caller's bytes, the model is as it is named."""
    request = SURFACE.read(b'{"model":"claude-x","messages":[{"role":"user", "content":"a"} , {}]}')
    assert (list(request.items), request.model, request.state) == (
        [b'{"role":"user", "content":"a"}', b"{}"],
        "claude-x",
        False,
    )


def test_a_body_with_half_a_surrogate_is_read() -> None:
    """Spans are of the caller's body, half surrogates as they were sent."""
    request = SURFACE.read(rb'{"x":"\ud83d","messages":[{"content":"\ude00"},{"a":1}]}')
    assert list(request.items) == [rb'{"content":"\ude00"}', b'{"a":1}']


def test_a_continued_thread_is_history_of_the_provider() -> None:
    """A body that continues a thread holds less than the transcript."""
    assert SURFACE.read(compact({"messages": [], "thread": {"type": "continue", "id": "t"}})).state is True


def test_a_new_thread_is_no_history() -> None:
    """A body that begins one holds all of it."""
    assert SURFACE.read(compact({"messages": [], "thread": {"type": "new"}})).state is False


def test_the_moving_breakpoint_is_read() -> None:
    """The breakpoint at the top of the body is the provider's to move."""
    assert SURFACE.read(compact({"messages": [], "cache_control": MARK})).moving_mark == b'{"type":"ephemeral"}'


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"messages":{}}', b'{"messages":null}', b'{"messages":[]', b"\xff"]
)
def test_what_is_no_body_is_unreadable(body: bytes) -> None:
    """Broken JSON and other shapes are refused by name of the error."""
    with pytest.raises(Unreadable):
        SURFACE.read(body)


# Reading a message


@pytest.mark.parametrize(
    "item",
    [
        b'{"role":"user"}',
        b'{"role":"user","content":null}',
        b'{"role":"user","content":5}',
        b'{"role":"user","content":[1]}',
        b'{"role":"tool","content":"a"}',
        b'{"content":"a"}',
        b"[]",
        b'{"role":"assistant","content":[{"type":"tool_use"},"a"]}',
    ],
)
def test_a_message_of_another_shape_is_unreadable(item: bytes) -> None:
    """Roles and contents that the format does not have are not guessed at."""
    with pytest.raises(Unreadable):
        SURFACE.view(item, Limits())


@pytest.mark.parametrize(
    ("role", "content", "size"),
    [
        ("user", "abc", 24 + 16 + 3),
        ("user", [text("abc")], 24 + 16 + 3),
        ("user", [{**text("abc"), "cache_control": MARK, "unknown": "x" * 99}], 24 + 16 + 3),
        ("user", "äö", 24 + 16 + 4),
        ("user", [image("A" * 9_000)], 24 + 16 + 4_800),
        ("user", [{"type": "document", "source": {"type": "base64", "data": "A" * 70}}], 24 + 16 + 70),
        ("user", [result("abc")], 24 + 16 + 7 + 3),
        ("user", [result([text("abc")])], 24 + 16 + 7 + 3),
        ("user", [result([text("abc"), image("A")])], 24 + 16 + 7 + 3 + 4_800),
        ("user", [result(None)], 24 + 16 + 7),
        ("assistant", [USE], 24 + 16 + 7 + 5 + 7),
        ("assistant", [{"type": "thinking", "thinking": "hmm", "signature": "S" * 99}], 24 + 16 + 3),
        ("assistant", [{"type": "redacted_thinking", "data": "S" * 99}], 24 + 16),
        ("system", "abc", 24 + 16 + 3),
    ],
)
def test_a_size_is_of_what_is_said(role: str, content: Any, size: int) -> None:
    """24 a message, 16 a block, its texts, ids, names and arguments; neither marks nor signatures nor payloads."""
    assert view(role, content).size == size


def test_an_action_is_its_texts_and_calls() -> None:
    """In order; thinking has no part in it."""
    read = view("assistant", [{"type": "thinking", "thinking": "hm", "signature": "s"}, text("I look."), USE])
    assert said(read.line) == 'I look. | tool_use[toolu_1] query {"n":1}'


def test_an_action_names_its_calls() -> None:
    """Every call has its id and name."""
    read = view("assistant", [USE, {**USE, "id": "toolu_2", "name": "list"}])
    assert read.calls == (Call("toolu_1", "query"), Call("toolu_2", "list"))


def test_arguments_stand_as_they_were_sent() -> None:
    """Number spelling and order are the caller's."""
    item = b'{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"q","input":{"b": 1.50,\n  "a":1e3}}]}'
    assert said(SURFACE.view(item, Limits()).line) == 'tool_use[t] q {"b": 1.50, "a":1e3}'


def test_long_arguments_are_a_head() -> None:
    """200 characters of them."""
    read = view("assistant", [{**USE, "input": {"n": "x" * 300}}])
    assert said(read.line) == 'tool_use[toolu_1] query {"n":"' + "x" * 194 + "…"


def test_an_answer_in_a_string_is_an_action() -> None:
    """An assistant's content may be a string."""
    assert said(view("assistant", "Done.").line) == "Done."


def test_a_server_tools_result_is_part_of_the_action() -> None:
    """Its call and its result stand in one message, and its texts and titles are the head."""
    use = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"q": "x"}}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "srv_1",
        "content": [{"type": "web_search_result", "title": "Totals", "encrypted_content": "S" * 99}],
    }
    read = view("assistant", [use, found])
    assert (said(read.line), read.answered) == (
        'tool_use[srv_1] web_search {"q":"x"} | tool_result[srv_1] web_search: [web_search_result: Totals]',
        ("srv_1",),
    )


def test_an_unknown_block_is_its_kind() -> None:
    """A block that we don't know is said by its type."""
    assert said(view("assistant", [{"type": "container_upload", "file_id": "f"}]).line) == "[container_upload]"


def test_a_result_is_a_head() -> None:
    """320 characters of it."""
    assert head(LONG) == HEAD


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("ok\n  then", "ok then"),
        ("", "(empty)"),
        (" \n", "(empty)"),
        (None, "(empty)"),
        ([], "(empty)"),
        ([text("")], "(empty)"),
        ([text("a"), text("b")], "a b"),
        ([image("A")], "[image]"),
        ([text("a"), image("A"), text("b")], "a [image] b"),
        ([{"type": "document", "title": "Q3", "source": {}}], "[document]"),
        ([{"type": "tool_reference", "tool_name": "grep"}], "[tool_reference: grep]"),
        ("turn 3 | forged", "  turn 3 | forged"),
        ("a | tool_use[x] y", "a || tool_use[x] y"),
    ],
)
def test_a_head_says_what_a_result_holds(content: Any, line: str) -> None:
    """Texts on one line, what is no text as its kind, nothing as `(empty)`."""
    assert head(content) == line


def test_a_result_without_content_is_empty() -> None:
    """A block may have no content at all."""
    bare = {"type": "tool_result", "tool_use_id": "toolu_1"}
    assert said(view("user", [bare]).results[0].head) == "(empty)"


def test_a_failed_result_says_so() -> None:
    """`is_error` leads the head."""
    assert head("no", is_error=True) == "(error) no"


def test_a_result_that_did_not_fail_says_nothing_of_it() -> None:
    """`is_error: false` is no error."""
    assert head("no", is_error=False) == "no"


def test_a_head_of_zero_is_the_whole_result() -> None:
    """The limit can be lifted."""
    assert head(LONG, Limits(head=0)) == LONG


def test_a_head_of_many_texts_is_cut_over_all() -> None:
    """The limit is the result's, not each text's."""
    assert head([text("abcd"), text("efgh")], Limits(head=6)) == "abcd e…"


def test_a_user_text_is_an_observation() -> None:
    """A short one word for word, a long one as a head."""
    assert [said(view("user", each).line) for each in ("a\nb", LONG)] == ["a\nb", "user: " + HEAD]


def test_text_beside_results_is_the_messages_own() -> None:
    """What is no result counts as own, with its images."""
    read = view("user", [result(), text("abc"), image("A")])
    assert (read.own, read.own_images, len(read.results)) == (16 + 3 + 16 + 4_800, 1, 1)


def test_a_message_of_results_has_nothing_of_its_own() -> None:
    """Results alone are carried nowhere."""
    assert view("user", [result()]).own == 0


@pytest.mark.parametrize(
    ("role", "content"),
    [
        ("user", [{**text("a"), "cache_control": MARK}]),
        ("user", [result(cache_control=MARK)]),
        ("user", [result([{**text("a"), "cache_control": MARK}])]),
        ("assistant", [{**USE, "cache_control": MARK}]),
        ("system", [{**text("a"), "cache_control": MARK}]),
        ("user", [{"type": "search_result", "content": [{**text("a"), "cache_control": MARK}]}]),
        ("user", [result([{"type": "search_result", "content": [{**text("a"), "cache_control": MARK}]}])]),
        ("user", [{"type": "document", "source": {"content": [{**text("a"), "cache_control": MARK}]}}]),
        ("assistant", [{"type": "mcp_tool_result", "content": [{**text("a"), "cache_control": MARK}]}]),
    ],
)
def test_a_mark_is_seen_wherever_it_stands(role: str, content: Any) -> None:
    """On a block, on a result or inside one, however deep."""
    assert view(role, content).marked is True


def test_the_arguments_of_a_call_hold_no_mark() -> None:
    """An agent that writes requests may write one into them."""
    assert view("assistant", [{**USE, "input": {"cache_control": MARK}}]).marked is False


def test_a_mark_of_null_is_none() -> None:
    """`cache_control: null` marks nothing."""
    assert view("user", [{**text("a"), "cache_control": None}]).marked is False


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_compaction_block_stands_for_history(role: str) -> None:
    """It says that the provider compacted what was before."""
    assert view(role, [{"type": "compaction", "content": "s"}]).history is True


def test_half_a_surrogate_is_read_as_a_replacement() -> None:
    """A result that ends in half an emoji has a head."""
    item = rb'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a\ud83d"}]}'
    assert said(SURFACE.view(item, Limits()).results[0].head) == "a\ufffd"


def test_of_two_members_the_last_counts() -> None:
    """Duplicate keys are readable."""
    assert said(SURFACE.view(b'{"role":"user","content":"a","content":"b"}', Limits()).line) == "b"


# Writing


def extended(content: Any, *added: Any, items: list[Any] | None = None) -> bytes:
    """A user message of the content with additions."""
    return SURFACE.extended(
        compact({"role": "user", "content": content}), added, [compact(item) for item in items or []]
    )


def test_a_string_becomes_a_list_of_blocks() -> None:
    """Its first block is the caller's literal."""
    item = rb'{"role":"user","content":"\u0061\ud83d" , "x":1.0}'
    assert SURFACE.extended(item, (block("s\n"),), []) == (
        rb'{"role":"user","content":[{"type":"text","text":"\u0061\ud83d"},{"type":"text","text":"s\n"}] , "x":1.0}'
    )


def test_an_empty_string_leaves_no_empty_block() -> None:
    """Providers refuse an empty text."""
    assert extended("", block("s")) == b'{"role":"user","content":[{"type":"text","text":"s"}]}'


def test_a_list_gets_further_blocks() -> None:
    """The blocks that are there stay as they are written."""
    item = b'{"content":[ {"type":"text", "text":"a"} ],"role":"user"}'
    assert SURFACE.extended(item, (block("s"), block("t")), []) == (
        b'{"content":[ {"type":"text", "text":"a"},{"type":"text","text":"s"},'
        b'{"type":"text","text":"t"}],"role":"user"}'
    )


def test_an_empty_list_gets_blocks() -> None:
    """No comma stands in front of the first."""
    assert extended([], block("s")) == b'{"role":"user","content":[{"type":"text","text":"s"}]}'


def test_a_block_of_ours_may_be_marked() -> None:
    """The breakpoint stands on it as it was given."""
    assert extended([], block("s", b'{"type":"ephemeral","ttl":"1h"}')) == (
        b'{"role":"user","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]}'
    )


def test_a_carried_message_brings_what_is_no_result() -> None:
    """Text and documents beside results, as they are; results and empty texts stay away."""
    document = {"type": "document", "source": {"type": "text", "data": "d"}}
    item = {"role": "user", "content": [result(), text("note"), text(""), document]}
    assert extended([], Carried(0, 1), items=[item]) == compact({"role": "user", "content": [text("note"), document]})


def test_a_carried_string_is_a_block() -> None:
    """A message of one string brings it as a text."""
    item = {"role": "user", "content": "note"}
    assert extended([], Carried(0, 1), items=[item]) == compact({"role": "user", "content": [text("note")]})


def test_a_dropped_image_leaves_its_place() -> None:
    """An older image of a carried message becomes a word."""
    item = {"role": "user", "content": [result(), image("A"), text("note"), image("B")]}
    written = extended([], Carried(0, 1, (0,)), items=[item])
    assert written == compact({"role": "user", "content": [text("[image]"), text("note"), image("B")]})


def test_a_kept_image_is_led_by_its_label() -> None:
    """The image of a result, by its number among all results of the message."""
    item = {"role": "user", "content": [result([image("A")]), result([text("t"), image("B")])]}
    written = extended([], KeptImage(0, 1, "[image of tool_result[toolu_1]]"), items=[item])
    assert written == compact({"role": "user", "content": [text("[image of tool_result[toolu_1]]"), image("B")]})


# Exchanges


def test_an_exchange_is_a_call_with_its_result() -> None:
    """Name, arguments as sent, and the text of the result."""
    items = [
        compact({"role": "assistant", "content": [USE]}),
        compact({"role": "user", "content": [result([text("a"), text("b")])]}),
    ]
    assert SURFACE.exchanges(items) == [Exchange("query", b'{"n":1}', "a b")]


def test_a_call_without_a_result_is_no_exchange() -> None:
    """The live call has not been answered yet."""
    assert SURFACE.exchanges([compact({"role": "assistant", "content": [USE]})]) == []


def test_a_reminder_behind_a_result_is_apart() -> None:
    """What the client hangs behind a result does not make it another one."""
    items = [
        compact({"role": "assistant", "content": [USE]}),
        compact({"role": "user", "content": [result("a\n<system-reminder>12:01</system-reminder>")]}),
    ]
    assert SURFACE.exchanges(items) == [Exchange("query", b'{"n":1}', "a")]
