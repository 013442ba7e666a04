"""The tool results in an item: every form that a surface has, what is no result of the caller's, and odd spellings."""

from typing import Any

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.core.told import retold
from foldpoint.surfaces import SURFACES
from transcripts import compact

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
SEARCHED = {"type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": "inside"}]}
ROWS = {"rows": [f"row {number} of many" for number in range(20)]}


def answer(content: Any, role: str = "user", kind: str = "tool_result") -> dict[str, Any]:
    return {"role": role, "content": [{"type": kind, "tool_use_id": "a", "content": content}]}


def put_out(kind: str, output: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "call_id": "a", "output": output, **more}


def converse(*blocks: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": [{"toolResult": {"toolUseId": "a", "content": list(blocks)}}]}


def responded(response: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": response, **more}}]}


def found(surface: str, message: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    return [told[:3] for told in SURFACES[surface].results(compact(message))]


def said_again(surface: str, item: bytes, *texts: str | None) -> bytes:
    """The item whose one result is told by those texts."""
    return retold(item, SURFACES[surface].results(item), [texts])


FORMS = [
    ("anthropic", answer("said"), ("a", "", ("said",))),
    (
        "anthropic",
        answer([{"type": "text", "text": "one"}, IMAGE, {"type": "text", "text": "two"}]),
        ("a", "", ("one", "two")),
    ),
    (
        "anthropic",
        answer([IMAGE, SEARCHED, {"type": "document", "source": {"type": "text", "data": "d"}}]),
        ("a", "", ()),
    ),
    ("anthropic", answer(None), ("a", "", ())),
    ("anthropic", answer([{"type": "later", "text": "said"}]), ("a", "", ())),
    ("openai-chat", {"role": "tool", "tool_call_id": "a", "content": "said"}, ("a", "", ("said",))),
    (
        "openai-chat",
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "one"}]},
        ("a", "", ("one",)),
    ),
    ("openai-chat", {"role": "tool", "tool_call_id": 7, "name": "look", "content": None}, ("look", "look", ())),
    ("openai-chat", {"role": "function", "name": "look", "content": "said"}, ("look", "look", ("said",))),
    ("openai-responses", put_out("function_call_output", "said"), ("a", "", ("said",))),
    (
        "openai-responses",
        put_out("custom_tool_call_output", [{"type": "input_text", "text": "one"}]),
        ("a", "", ("one",)),
    ),
    ("openai-responses", {"type": "local_shell_call_output", "id": "own", "output": "said"}, ("own", "", ("said",))),
    (
        "openai-responses",
        put_out("shell_call_output", [{"stdout": "out", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]),
        ("a", "", ("out", "")),
    ),
    ("openai-responses", put_out("apply_patch_call_output", "done", status="completed"), ("a", "", ("done",))),
    (
        "openai-responses",
        put_out("computer_call_output", {"type": "computer_screenshot", "image_url": "x"}),
        ("a", "", ()),
    ),
    ("openai-responses", put_out("function_call_output", "said", caller={"type": "program"}), ("a", "", ())),
    ("openai-responses", put_out("later_call_output", "said"), ("a", "", ())),
    (
        "openai-responses",
        {"type": "tool_search_output", "call_id": "a", "execution": "client", "tools": []},
        ("a", "", ()),
    ),
    (
        "bedrock",
        converse({"text": "one"}, {"image": {"format": "png"}}, {"json": {"n": 1}}),
        ("a", "", ("one", '{"n":1}')),
    ),
    ("bedrock", converse(), ("a", "", ())),
    ("gemini", responded({"output": "said", "exit_code": 0}, id="a"), ("a", "look", ("said",))),
    ("gemini", responded({"output": "said"}), ("look#", "look", ("said",))),
    ("gemini", responded({"stdout": "one", "stderr": "two"}), ("look#", "look", ("one", "two"))),
    ("gemini", responded(ROWS), ("look#", "look", (compact(ROWS).decode(),))),
    ("gemini", responded(None), ("look#", "look", ())),
]


@pytest.mark.parametrize(("surface", "message", "told"), FORMS)
def test_a_result_says_its_id_its_name_and_its_texts(
    surface: str, message: Any, told: tuple[str, str, tuple[str, ...]]
) -> None:
    """In every form; images, documents and search results are no texts, nor is what a reader of ours can't know."""
    assert found(surface, message) == [told]


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        ("anthropic", answer("said", role="assistant")),
        ("anthropic", answer([{"type": "web_search_result"}], role="assistant", kind="web_search_tool_result")),
        ("anthropic", answer({"stdout": "x"}, kind="bash_code_execution_tool_result")),
        ("anthropic", {"role": "user", "content": "a tool_result in words"}),
        ("openai-chat", {"role": "user", "content": "tool"}),
        (
            "openai-chat",
            {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x"}}]},
        ),
        ("openai-responses", {"type": "program_output", "call_id": "a", "result": "said"}),
        ("openai-responses", {"type": "tool_search_output", "execution": "server", "tools": []}),
        ("openai-responses", {"type": "mcp_call", "id": "m", "name": "x", "output": "said"}),
        (
            "openai-responses",
            {"type": "code_interpreter_call", "id": "m", "outputs": [{"type": "logs", "logs": "said"}]},
        ),
        ("bedrock", converse({"text": "said"}, role="assistant")),
        ("gemini", {**responded({"output": "said"}), "role": "model"}),
        ("gemini", {"role": "user", "parts": [{"toolResponse": {"id": "s", "response": {"output": "found"}}}]}),
        ("gemini", {"role": "model", "parts": [{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}]}),
    ],
)
def test_what_the_caller_did_not_make_is_no_result(surface: str, message: Any) -> None:
    """A server's tools, a model's words, a text that only speaks of results."""
    assert found(surface, message) == []


@pytest.mark.parametrize(
    ("surface", "item", "text", "told"),
    [
        (
            "anthropic",
            answer([IMAGE, {"type": "text", "text": "long"}]),
            '"é\n',
            answer([IMAGE, {"type": "text", "text": '"é\n'}]),
        ),
        ("bedrock", converse({"json": ROWS}), "short", converse({"text": "short"})),
        ("gemini", responded(ROWS, id="a"), "short", responded({"output": "short"}, id="a")),
        ("gemini", responded({"error": ROWS}), "short", responded({"error": "short"})),
        ("gemini", responded({"error": "long", "code": 5}), "short", responded({"error": "short", "code": 5})),
    ],
)
def test_another_text_takes_the_place_of_the_old_one(surface: str, item: Any, text: str, told: Any) -> None:
    """JSON becomes a text; what failed stays an error."""
    assert said_again(surface, compact(item), text) == compact(told)


def test_what_stands_beside_strings_decides_whatever_they_say() -> None:
    """An object with much beside its strings is told as a whole: a cap on the strings alone would not bound it."""
    long = responded({"output": "x" * 9_000, **ROWS})
    (told,) = SURFACES["gemini"].results(compact(long))
    assert told.texts == (compact({"output": "x" * 9_000, **ROWS}).decode(),)


@pytest.mark.parametrize(
    ("surface", "item", "told"),
    [
        (
            "anthropic",
            rb'{ "role" : "user","content": [ {"tool_use_id":"a","x":1.50,'
            rb'"type":"tool_result","content" : "\u006fld\/" ,"y":"\n"} ] }',
            rb'{ "role" : "user","content": [ {"tool_use_id":"a","x":1.50,'
            rb'"type":"tool_result","content" : "new" ,"y":"\n"} ] }',
        ),
        (
            "anthropic",
            rb'{"role":"user","content":[{"type":"tool\u005fresult","tool_use_id":"a","content":"first","content":"last"}]}',
            rb'{"role":"user","content":[{"type":"tool\u005fresult","tool_use_id":"a","content":"first","content":"new"}]}',
        ),
        (
            "openai-chat",
            rb'{"role":"t\u006fol","tool_call_id":"a","content":"half \ud83d","z":"\udc00"}',
            rb'{"role":"t\u006fol","tool_call_id":"a","content":"new","z":"\udc00"}',
        ),
        (
            "openai-responses",
            rb'{"output":"old","call_id":"a","type":"function_call\u005foutput"}',
            rb'{"output":"new","call_id":"a","type":"function_call\u005foutput"}',
        ),
        (
            "bedrock",
            rb'{"role":"user","content":[{"tool\u0052esult":{"toolUseId":"a","content":[ {"json" : [1,  2]} ]}}]}',
            rb'{"role":"user","content":[{"tool\u0052esult":{"toolUseId":"a","content":[ {"text":"new"} ]}}]}',
        ),
        (
            "gemini",
            rb'{"parts":{"function\u005fresponse":{"name":"look","response":{"a":"one","\u0061":"last"}}}}',
            rb'{"parts":{"function\u005fresponse":{"name":"look","response":{"a":"one","\u0061":"new"}}}}',
        ),
    ],
)
def test_all_else_stays_as_it_is_spelled(surface: str, item: bytes, told: bytes) -> None:
    """Blanks, escapes in names, halves of surrogate pairs; of members that come twice the last counts."""
    assert said_again(surface, item, "new") == told


def test_members_that_come_twice_around_another_are_told_in_their_places() -> None:
    """The text that counts may stand behind one that is read after it."""
    item = b'{"parts":[{"functionResponse":{"name":"look","response":{"a":"first","b":"b","a":"last"}}}]}'
    told = b'{"parts":[{"functionResponse":{"name":"look","response":{"a":"first","b":"B","a":"A"}}}]}'
    assert said_again("gemini", item, "A", "B") == told


def test_half_a_surrogate_pair_is_read_as_elsewhere() -> None:
    """As U+FFFD; told the same it is not touched."""
    item = rb'{"role":"tool","tool_call_id":"a","content":"half \ud83d, \\ud83d and \ud83d\ude00"}'
    (told,) = SURFACES["openai-chat"].results(item)
    assert told.texts == ("half \ufffd, \\ud83d and \U0001f600",)
    assert said_again("openai-chat", item, *told.texts) is item


def test_members_that_nest_deep_stay() -> None:
    """Of an object of 400 lists within lists the text is the whole object."""
    deep = b"[" * 400 + b"]" * 400
    item = b'{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"output":' + deep + b"}}}]}"
    (told,) = SURFACES["gemini"].results(item)
    assert told.texts == ('{"output":' + deep.decode() + "}",)


@pytest.mark.parametrize(
    ("surface", "item"),
    [
        ("anthropic", b'{"role":"user","content":[{"type":"tool_result"},7]}'),
        ("openai-chat", b'{"role":"tool","content":[7]}'),
        ("openai-responses", b'{"type":"function_call_output","output":[7]}'),
        ("bedrock", b'{"role":"user","content":[{"toolResult":7}]}'),
        ("gemini", b'{"parts":[{"functionResponse":7}]}'),
        ("gemini", b'{"parts":[{"functionResponse":{"response":' + b"[" * 100_000),
    ],
)
def test_what_a_view_refuses_is_refused(surface: str, item: bytes) -> None:
    """With the error that leaves a request as it is."""
    with pytest.raises(Unreadable):
        SURFACES[surface].results(item)
