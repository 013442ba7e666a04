"""Responses: what is read in an item of each type, and how content of ours is written."""

import json
from typing import Any

import pytest

from foldpoint.core.edit import Carried, KeptImage
from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Exchange, Request
from foldpoint.core.transcript import Call, Limits, View
from foldpoint.surfaces import SURFACES
from transcripts import HEAD, LONG, block, compact, said

SURFACE = SURFACES["openai-responses"]
LIMITS = Limits()
PNG = "data:image/png;base64,iVBORw0KGgo="


def view(type: str | None = None, **members: Any) -> View:
    """The view of an item."""
    return SURFACE.view(compact({"type": type, **members} if type else members), LIMITS)


def read(**members: Any) -> Request:
    """A request body, read."""
    return SURFACE.read(compact({"model": "gpt-5.1", **members}))


def text(said: str) -> dict[str, str]:
    """A text part."""
    return {"type": "input_text", "text": said}


def image(url: str = PNG) -> dict[str, str]:
    """An image part."""
    return {"type": "input_image", "detail": "auto", "image_url": url}


# Reading


def test_a_body_is_read_into_spans() -> None:
    """Items are the caller's bytes, the model is as it is named."""
    request = SURFACE.read(b'{"input":[ {"role":"user"},{}],"model":"gpt-x","previous_response_id":null}')
    assert (request.items[0], request.model) == (b'{"role":"user"}', "gpt-x")


def test_an_input_may_be_one_string() -> None:
    """It is a message of the user, and the span is its literal."""
    request = SURFACE.read(rb'{"input" : "caf\u00e9" ,"model":"m"}')
    assert (list(request.items), request.state) == ([rb'"caf\u00e9"'], False)
    assert SURFACE.view(request.items[0], LIMITS).size == 24 + 16 + 5


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"input":{}}', b'{"input":null}', b'{"input":5}', b'{"input":[]', b"\xff"]
)
def test_what_is_no_body_is_unreadable(body: bytes) -> None:
    """Broken JSON and other shapes are refused by name of the error."""
    with pytest.raises(Unreadable):
        SURFACE.read(body)


@pytest.mark.parametrize(
    "members",
    [
        {"input": [], "previous_response_id": "resp_1"},
        {"input": "and now?", "previous_response_id": "resp_1"},
        {"previous_response_id": "resp_1"},
        {"input": [], "conversation": "conv_1"},
        {"input": [], "conversation": {"id": "conv_1"}},
        {"input": [{"type": "item_reference", "id": "msg_1"}]},
        {"input": [{"role": "user", "content": "a"}, {"id": "msg_1"}]},
        {"input": [{"type": None, "id": "msg_1"}]},
    ],
)
def test_history_may_be_held_by_the_provider(members: dict[str, Any]) -> None:
    """By the response before, by a conversation, or item by item."""
    assert read(**members).state is True


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": "see item_reference"},
        {"type": "function_call_output", "call_id": "c", "output": '{"type":"item_reference","id":"x"}'},
        {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ],
)
def test_what_only_speaks_of_a_reference_is_none(item: dict[str, Any]) -> None:
    """Items with a type of their own, or a role."""
    assert read(input=[item]).state is False


@pytest.mark.parametrize(
    "item",
    [
        {"role": "critic", "content": "a"},
        {"type": "hologram"},
        {"role": "user", "content": 5},
        {"role": "user", "content": [1]},
        {"type": "item_reference", "id": "msg_1"},
        {},
    ],
)
def test_an_item_of_another_shape_is_unreadable(item: dict[str, Any]) -> None:
    """Types, roles and contents that the format does not have are not guessed at."""
    with pytest.raises(Unreadable):
        SURFACE.view(compact(item), LIMITS)


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"role": "user", "content": "abc"}, 24 + 16 + 3),
        ({"type": "message", "role": "user", "content": [text("abc")]}, 24 + 16 + 3),
        ({"role": "user", "content": [text("é"), image("A" * 9_000)]}, 24 + 16 + 2 + 16 + 4_800),
        ({"role": "user", "content": [{"type": "input_file", "file_data": "A" * 90}]}, 24 + 16 + 90),
        ({"role": "developer", "content": "abc"}, 24 + 16 + 3),
        ({"type": "function_call", "call_id": "c1", "name": "ab", "arguments": '{"n":1}'}, 24 + 16 + 2 + 2 + 7),
        ({"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}}, 24 + 16 + 2 + 5 + 19),
        ({"type": "function_call_output", "call_id": "c1", "output": "abc"}, 24 + 16 + 2 + 3),
        ({"type": "function_call_output", "call_id": "c1", "output": [text("abc")]}, 24 + 16 + 2 + 3),
        ({"type": "function_call_output", "call_id": "c1", "output": [image()]}, 24 + 16 + 2 + 4_800),
        ({"type": "reasoning", "summary": [], "encrypted_content": "A" * 900}, 24),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": None}, 24 + 16 + 2),
        ({"type": "web_search_call", "id": "ws", "action": {"q": 1}}, 24 + 16 + 2 + 10 + 7),
        ({"type": "mcp_call", "id": "m", "name": "a", "arguments": "{}", "output": "ok"}, 24 + 16 + 4 + 16 + 3),
        ({"type": "additional_tools", "role": "developer", "tools": [{"name": "a" * 900}]}, 24),
        ({"type": "compaction", "encrypted_content": "A" * 900}, 24),
    ],
)
def test_a_size_is_of_what_is_said(item: dict[str, Any], size: int) -> None:
    """24 an item, 16 a part, a call or a result, its texts, ids and names, and arguments as they are sent."""
    assert view(**item).size == size


@pytest.mark.parametrize("content", ["I look.", [{"type": "output_text", "text": "I look.", "annotations": []}]])
def test_what_the_assistant_says_is_part_of_the_action(content: Any) -> None:
    """In either spelling of a message; a refusal as well."""
    assert said(view(role="assistant", content=content).line) == "I look."
    refused = [{"type": "refusal", "refusal": "I can't."}]
    assert said(view("message", role="assistant", content=refused).line) == "I can't."


@pytest.mark.parametrize(
    ("item", "line", "name"),
    [
        ({"type": "function_call", "name": "q", "arguments": '{"n": 1'}, 'tool_use[c] q {"n": 1', "q"),
        ({"type": "custom_tool_call", "name": "sh", "input": "ls\n-l"}, "tool_use[c] sh ls -l", "sh"),
        ({"type": "shell_call", "action": {"a": 1}}, 'tool_use[c] shell {"a":1}', "shell"),
        ({"type": "local_shell_call", "action": {"a": 1}}, 'tool_use[c] local_shell {"a":1}', "local_shell"),
        ({"type": "apply_patch_call", "operation": {"a": 1}}, 'tool_use[c] apply_patch {"a":1}', "apply_patch"),
        ({"type": "computer_call", "action": {"a": 1}}, 'tool_use[c] computer {"a":1}', "computer"),
        ({"type": "computer_call", "actions": [1]}, "tool_use[c] computer [1]", "computer"),
        (
            {"type": "tool_search_call", "execution": "client", "arguments": {}},
            "tool_use[c] tool_search {}",
            "tool_search",
        ),
        ({"type": "program", "code": "f()"}, "tool_use[c] program f()", "program"),
    ],
)
def test_a_call_is_its_id_name_and_arguments(item: dict[str, Any], line: str, name: str) -> None:
    """Each kind of call that something answers."""
    found = view(**item, call_id="c")
    assert (found.role, said(found.line), found.calls) == ("assistant", line, (Call("c", name),))


def test_a_local_shell_may_be_answered_by_its_id() -> None:
    """Its output has no `call_id` in the API's description."""
    assert view("local_shell_call_output", id="c", output="ok").results[0].id == "c"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "function_call_output", "output": LONG}, HEAD),
        ({"type": "function_call_output", "output": [text("a"), text("b")]}, "a b"),
        ({"type": "function_call_output", "output": [text("a"), image()]}, "a [image]"),
        ({"type": "function_call_output", "output": [{"type": "input_file", "file_id": "f"}]}, "[document]"),
        ({"type": "function_call_output", "output": ""}, "(empty)"),
        ({"type": "custom_tool_call_output", "output": [text("a")]}, "a"),
        ({"type": "apply_patch_call_output", "status": "failed", "output": "no"}, "(error) no"),
        ({"type": "apply_patch_call_output", "status": "completed"}, "(empty)"),
        ({"type": "shell_call_output", "output": [{"stdout": "a", "stderr": "b", "outcome": {"exit_code": 0}}]}, "a b"),
        ({"type": "shell_call_output", "output": [{"stdout": "a", "outcome": {"exit_code": 2}}]}, "(error) a"),
        ({"type": "shell_call_output", "output": [{"stdout": "a", "outcome": {"type": "timeout"}}]}, "(error) a"),
        ({"type": "computer_call_output", "output": {"type": "computer_screenshot", "image_url": PNG}}, "[image]"),
    ],
)
def test_a_head_says_what_an_output_holds(item: dict[str, Any], expected: str) -> None:
    """Texts on one line, whether it failed, what is no text as its kind."""
    found = view(**item, call_id="c")
    assert (found.role, found.results[0].id, said(found.results[0].head)) == ("tool", "c", expected)


@pytest.mark.parametrize(
    ("item", "line"),
    [
        ({"type": "web_search_call", "action": {"query": "a"}}, 'tool_use[x] web_search {"query":"a"}'),
        (
            {"type": "file_search_call", "queries": ["a"], "results": [{"text": "b"}]},
            'tool_use[x] file_search ["a"] | tool_result[x] file_search: b',
        ),
        ({"type": "file_search_call", "queries": ["a"], "results": None}, 'tool_use[x] file_search ["a"]'),
        (
            {"type": "code_interpreter_call", "code": "f()", "outputs": [{"type": "logs", "logs": "1"}]},
            "tool_use[x] code_interpreter f() | tool_result[x] code_interpreter: 1",
        ),
        (
            {"type": "mcp_call", "name": "look", "arguments": "{}", "output": "b", "error": None},
            "tool_use[x] look {} | tool_result[x] look: b",
        ),
        (
            {"type": "mcp_call", "name": "look", "arguments": "{}", "error": {"message": "no"}},
            "tool_use[x] look {} | tool_result[x] look: (error) no",
        ),
        ({"type": "mcp_approval_request", "name": "look", "arguments": "{}"}, "tool_use[x] look {}"),
        (
            {"type": "mcp_approval_response", "approval_request_id": "y", "approve": False, "reason": "not yet"},
            "tool_result[y] approval: denied: not yet",
        ),
        (
            {"type": "image_generation_call", "result": "AAAA"},
            "tool_use[x] image_generation | tool_result[x] image_generation: [image]",
        ),
    ],
)
def test_what_the_provider_ran_is_told_in_the_action(item: dict[str, Any], line: str) -> None:
    """With what came of it; nobody has to answer it."""
    found = view(**item, id="x")
    assert (found.role, said(found.line), found.calls, found.answered) == ("assistant", line, (), ())


def test_reasoning_is_never_in_a_line() -> None:
    """It belongs to the action and says nothing."""
    found = view("reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "secret"}], encrypted_content="x")
    assert (found.role, said(found.line)) == ("assistant", "")


@pytest.mark.parametrize("kind", ["additional_tools", "configuration_update", "compaction_trigger"])
def test_settings_stay_where_they_are(kind: str) -> None:
    """As system messages do."""
    assert (view(kind).role, view(kind).history) == ("system", False)


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary"])
def test_a_compaction_stands_for_turns(kind: str) -> None:
    """What is in front of it is the head."""
    assert view(kind, encrypted_content="x").history is True


@pytest.mark.parametrize(
    "item",
    [
        {"type": "mcp_list_tools", "id": "x", "tools": []},
        {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
        {"type": "tool_search_output", "call_id": "c", "execution": "client", "tools": []},
        {"type": "function_call", "call_id": "c", "name": "f", "caller": {"type": "program", "caller_id": "p"}},
        {"type": "teleport_call", "call_id": "c"},
        {"type": "teleport_call_output", "call_id": "c"},
        {"role": "user", "content": [{**text("a"), "prompt_cache_breakpoint": {"mode": "explicit"}}]},
        {"type": "function_call_output", "call_id": "c", "output": [{**text("a"), "prompt_cache_breakpoint": {}}]},
    ],
)
def test_some_items_keep_their_turn(item: dict[str, Any]) -> None:
    """Loaded tools, calls of a program, types that are not known yet, breakpoints."""
    assert view(**item).marked is True


@pytest.mark.parametrize(
    ("members", "alone"),
    [
        ({"content": "a"}, False),
        ({"content": "a", "type": "message", "id": "msg_1", "status": "completed"}, False),
        ({"content": "a", "internal_metadata": {"turn": 1}}, True),
    ],
)
def test_a_user_message_with_other_members_stands_alone(members: dict[str, Any], alone: bool) -> None:
    """A merge would lose them; id and status name nothing that is not said."""
    assert view(role="user", **members).alone is alone


# Writing


def extended(content: Any, *added: Any, items: list[Any] | None = None) -> Any:
    """The content of a user message with additions."""
    item = compact({"role": "user", "content": content})
    return json.loads(SURFACE.extended(item, added, [compact(each) for each in items or []]))["content"]


def test_a_string_becomes_parts() -> None:
    """The first of them is the caller's literal; its other members stay as they are."""
    item = rb'{"role":"user", "content" : "\u0061\ud83d" , "x":1.0}'
    assert SURFACE.extended(item, (block('s "1"'),), []) == (
        rb'{"role":"user", "content" : [{"type":"input_text","text":"\u0061\ud83d"},'
        rb'{"type":"input_text","text":"s \"1\""}] , "x":1.0}'
    )


def test_a_list_gets_further_parts() -> None:
    """The parts that are there stay as they are written."""
    item = b'{"content":[ {"type":"input_text", "text":"a"} ],"role":"user"}'
    assert SURFACE.extended(item, (block("s"),), []) == (
        b'{"content":[ {"type":"input_text", "text":"a"},{"type":"input_text","text":"s"}],"role":"user"}'
    )


@pytest.mark.parametrize("content", ["", [], None])
def test_nothing_is_no_empty_text(content: Any) -> None:
    """What was empty holds our part alone."""
    assert extended(content, block("s")) == [text("s")]


def test_a_new_message_is_a_user_message_of_parts() -> None:
    """Nothing but type, role and content."""
    assert SURFACE.extended(None, (block("s"), block("t")), []) == compact(
        {"type": "message", "role": "user", "content": [text("s"), text("t")]}
    )


def test_what_is_carried_is_the_callers_parts() -> None:
    """A string as one part; of a list the parts, an older image as a word, an empty text left out."""
    items = [{"role": "user", "content": "note"}, {"role": "user", "content": [image("A"), text(""), image("B")]}]
    assert extended("a", Carried(0, 3), Carried(1, 4, (0,)), items=items) == [
        text("a"),
        text("note"),
        text("[image]"),
        image("B"),
    ]


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ({"type": "function_call_output", "output": [text("a"), image("A")]}, image("A")),
        ({"role": "user", "content": [text("a"), image("A")]}, image("A")),
        ({"type": "computer_call_output", "output": {"type": "computer_screenshot", "image_url": PNG}}, image()),
        (
            {"type": "computer_call_output", "output": {"type": "computer_screenshot", "file_id": "f"}},
            {"type": "input_image", "detail": "auto", "file_id": "f"},
        ),
        ({"type": "image_generation_call", "result": "iVBORw0KGgo="}, image()),
        (
            {"type": "image_generation_call", "result": "AAAA", "output_format": "webp"},
            image("data:image/webp;base64,AAAA"),
        ),
    ],
)
def test_an_image_is_kept_as_a_user_sends_it(item: dict[str, Any], kept: dict[str, str]) -> None:
    """Whatever it was: a part of an output, a screenshot, an image that the provider made."""
    assert extended("a", KeptImage(0, 0, "[image]"), items=[item]) == [text("a"), text("[image]"), kept]


# Exchanges and digests


def test_an_exchange_is_a_call_with_its_output() -> None:
    """Name, arguments as sent, and the text of the output without the client's reminder."""
    items = [
        {"type": "function_call", "call_id": "c", "name": "q", "arguments": '{"n": 1}'},
        {"type": "shell_call", "call_id": "d", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "d", "output": [{"stdout": "x"}]},
        {"type": "function_call_output", "call_id": "c", "output": "a <system-reminder>x</system-reminder>"},
        {"type": "function_call_output", "call_id": "gone", "output": "a"},
    ]
    assert SURFACE.exchanges([compact(item) for item in items]) == [
        Exchange("shell", b'{"commands":["ls"]}', "x"),
        Exchange("q", b'{"n": 1}', "a"),
    ]


@pytest.mark.parametrize(
    "spelling",
    [
        '"hi"',
        '{"role":"user","content":"hi"}',
        '{"content":"hi","role":"user","type":"message"}',
        '{"role":"user","content":[{"type":"input_text","text":"h\\u0069"}]}',
        '{"role":"user","content":[{"text":"hi","type":"input_text","prompt_cache_breakpoint":{"mode":"explicit"}}]}',
    ],
)
def test_one_message_has_one_normal_form(spelling: str) -> None:
    """A string, a list of one text, with or without its type, with or without a breakpoint."""
    assert SURFACE.normal(spelling.encode()) == b'{"content":"hi","role":"user"}'
