"""What the dialects write from a log: what a strict provider takes, the same each time, longer only at its end."""

import msgspec
import pytest
from asking import MODELS, SURFACES, SYSTEM, TOOLS
from hypothesis import assume, given
from hypothesis import strategies as st

from foldpoint.agent.dialects import dialect_of
from foldpoint.agent.ports import Row, ToolCall
from foldpoint.core.errors import FoldpointError, UnknownSurface
from foldpoint.lab.cache import Segment, segments
from foldpoint.lab.provider import validate_anthropic, validate_openai_chat, validate_openai_responses

CHECKS = {
    "anthropic": validate_anthropic.check,
    "openai-chat": validate_openai_chat.check,
    "openai-responses": validate_openai_responses.check,
}
MARK = {"cache_control": {"type": "ephemeral"}}
LS = ToolCall("c1", "ls", '{"path":"a"}')
CAT = ToolCall("c2", "cat", "")


def body(surface: str, *rows: Row, system: str = "", **extra: object) -> dict[str, object]:
    found = dialect_of(surface, "a-model", extra).body(rows, system, (), 100)
    return dict(msgspec.json.decode(found))


def test_anthropic_takes_results_first_and_words_behind_them() -> None:
    """In one message of the user, in the order of the calls; a failed result says so, the newest block is marked."""
    found = body(
        "anthropic",
        Row(1, "user", "Begin."),
        Row(2, "assistant", "Both.", (LS, CAT)),
        Row(3, "user", "Hurry!"),
        Row(4, "tool", "two", tool_call_id="c2", failed=True),
        Row(5, "tool", "", tool_call_id="c1"),
    )
    assert found == {
        "model": "a-model",
        "max_tokens": 100,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Begin.", **MARK}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Both."},
                    {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "a"}},
                    {"type": "tool_use", "id": "c2", "name": "cat", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "two", "is_error": True},
                    {"type": "text", "text": "Hurry!", **MARK},
                ],
            },
        ],
    }


def test_chat_answers_each_call_with_a_message() -> None:
    """In the order of the calls; usage is asked for."""
    found = body(
        "openai-chat",
        Row(1, "user", "Begin."),
        Row(2, "assistant", "", (LS, CAT)),
        Row(3, "tool", "two", tool_call_id="c2", failed=True),
        Row(4, "tool", "one", tool_call_id="c1"),
        system="Be brief.",
        temperature=0.5,
    )
    function = {"type": "function"}
    assert found == {
        "model": "a-model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 100,
        "temperature": 0.5,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Begin."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", **function, "function": {"name": "ls", "arguments": '{"path":"a"}'}},
                    {"id": "c2", **function, "function": {"name": "cat", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
            {"role": "tool", "tool_call_id": "c2", "content": "[the tool failed]\ntwo"},
        ],
    }


def test_responses_is_asked_to_store_nothing() -> None:
    """And for the reasoning, encrypted."""
    found = body(
        "openai-responses",
        Row(1, "user", "Begin."),
        Row(2, "assistant", "Look.", (LS,)),
        Row(3, "tool", "one", tool_call_id="c1"),
        system="Be brief.",
        reasoning={"effort": "low"},
    )
    assert found == {
        "model": "a-model",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 100,
        "reasoning": {"effort": "low"},
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Begin."},
            {"role": "assistant", "content": "Look."},
            {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"path":"a"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
        ],
    }


@pytest.mark.parametrize(("system", "tools", "marks"), [("S", TOOLS, (0, 1)), ("", TOOLS, (1, 0)), (" ", (), (0, 0))])
def test_anthropic_marks_the_end_of_what_never_changes(system: str, tools: tuple[()], marks: tuple[int, int]) -> None:
    """The system prompt, the tools with it; the last tool where there is none."""
    found = dialect_of("anthropic", "a-model").body([Row(1, "user", "Hi")], system, tools, 9)
    decoded = msgspec.json.decode(found)
    counts = tuple(str(decoded.get(name, "")).count("cache_control") for name in ("tools", "system"))
    assert (counts, found.count(b"cache_control")) == (marks, sum(marks) + 1)


def test_a_native_message_goes_back_as_it_came() -> None:
    """Byte for byte, on its own surface; elsewhere it is written anew."""
    thinking = '{"type":"thinking","thinking":"Hm","signature":"c2ln"}'
    call = '{"type":"tool_use","id":"c1","name":"ls","input":{"path" : 1.0}}'
    native = f'{{"role":"assistant","content":[{thinking},{call}]}}'.encode()
    rows = [
        Row(1, "user", "Begin."),
        Row(2, "assistant", "", (LS,), surface="anthropic", native=native),
        Row(3, "tool", "one", tool_call_id="c1"),
    ]
    found = {surface: dialect_of(surface, "a-model").body(rows, "", (), 100) for surface in SURFACES}
    assert {surface: f"[{thinking},{call}]".encode() in found[surface] for surface in SURFACES} == {
        "anthropic": True,
        "openai-chat": False,
        "openai-responses": False,
    }


def test_responses_items_go_back_unless_they_can_not() -> None:
    """Reasoning that is not encrypted can't, nor what was made with it under its name."""
    message = '{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}'
    found = []
    for secret in ('"abc"', "null"):
        native = f'[{{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":{secret}}},{message}]'.encode()
        row = Row(2, "assistant", "Hi", surface="openai-responses", native=native)
        found.append(b"msg_1" in dialect_of("openai-responses", "m").body([row], "", (), 100))
    assert found == [True, False]


@pytest.mark.parametrize("surface", SURFACES)
def test_what_the_agent_writes_itself_is_no_extra(surface: str) -> None:
    """It is said at the start."""
    with pytest.raises(FoldpointError, match="'model'"):
        dialect_of(surface, "m", {"model": "n"})


def test_an_unknown_surface_is_named() -> None:
    """With those there are."""
    with pytest.raises(UnknownSurface, match="did you mean 'anthropic'"):
        dialect_of("antropic", "m")


def test_chat_says_max_tokens_where_the_settings_do() -> None:
    """For providers that know no other name."""
    found = body("openai-chat", Row(1, "user", "Hi"), max_tokens=7)
    assert (found["max_tokens"], "max_completion_tokens" in found) == (7, False)


WORDS = st.text(alphabet="ab \n", max_size=4) | st.sampled_from(["Hello.", "ä", "\x00", "[trajectory summary]"])
IDS = st.sampled_from(["c1", "c2", "call_9", "functions.ls:0", "", "x" * 90, "ä b"])
ARGUMENTS = st.sampled_from(["", "{}", '{"a": 1}', "[1]", '{"a', "null", " ", '{"a":"\\ud83d"}'])
CALLS = st.builds(ToolCall, IDS, st.sampled_from(["ls", "a.b", "", "y" * 80]), ARGUMENTS)


def native_of(surface: str, text: str, calls: list[ToolCall], thought: str) -> bytes:
    """A message as a provider might have sent it, oddities included."""
    if surface == "anthropic":
        blocks: list[object] = [{"type": "thinking", "thinking": thought, "signature": thought}] if thought else []
        blocks += [{"type": "text", "text": text}]
        blocks += [
            {"type": "tool_use", "id": call.id, "name": "ls", "input": {}} for call in calls if call.id.isalnum()
        ]
        return msgspec.json.encode({"role": "assistant", "content": blocks})
    if surface == "openai-chat":
        function = {"name": "ls", "arguments": "{}"}
        asked = [{"id": call.id, "type": "function", "function": function} for call in calls]
        return msgspec.json.encode({"role": "assistant", "content": text or None, "tool_calls": asked or None})
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": thought or None}
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    items = [{"type": "function_call", "call_id": call.id, "name": "ls", "arguments": "{}"} for call in calls]
    return msgspec.json.encode([reasoning, message, *items])


@st.composite
def logs(draw: st.DrawFn, whole: bool = False) -> list[Row]:
    """A log of any kind; whole: the results of a message's calls stand behind it, as the runtime writes them."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 7))):
        match draw(st.sampled_from(["user", "assistant", "assistant", "tool"])):
            case "user":
                rows.append(Row(len(rows) + 1, "user", draw(WORDS)))
            case "tool" if not whole:
                name, failed = draw(IDS), draw(st.booleans())
                rows.append(Row(len(rows) + 1, "tool", draw(WORDS), tool_call_id=name, name="ls", failed=failed))
            case _:
                text, calls = draw(WORDS), draw(st.lists(CALLS, max_size=3))
                surface = draw(st.sampled_from(["", *SURFACES]))
                native = native_of(surface, text, calls, draw(st.sampled_from(["", "c2ln"]))) if surface else b""
                native = draw(st.sampled_from([native, native, b"", b"{", b"[]", b'"x"']))
                rows.append(Row(len(rows) + 1, "assistant", text, tuple(calls), surface=surface, native=native))
                for call in calls if whole or draw(st.booleans()) else ():
                    rows.append(Row(len(rows) + 1, "tool", draw(WORDS), tool_call_id=call.id, name=call.name))
    return rows


@pytest.mark.parametrize("surface", SURFACES)
@given(rows=logs(), system=st.sampled_from(["", " ", SYSTEM]), tools=st.sampled_from([(), TOOLS]))
def test_any_log_is_a_request_that_a_strict_provider_takes(
    surface: str, rows: list[Row], system: str, tools: tuple[()]
) -> None:
    """Whatever stands in it, of whichever surface; and the same log is the same bytes."""
    dialect = dialect_of(surface, MODELS[surface])
    written = dialect.body(rows, system, tools, 100)
    CHECKS[surface](msgspec.json.decode(written))
    assert dialect_of(surface, MODELS[surface]).body(list(rows), system, tools, 100) == written


@pytest.mark.parametrize("surface", SURFACES)
@given(rows=logs(whole=True), data=st.data())
def test_a_longer_log_only_appends(surface: str, rows: list[Row], data: st.DataObject) -> None:
    """What was asked before an answer came stays, but for the word of ours at its end where the answer said nothing."""
    answers = [at for at, row in enumerate(rows) if row.role == "assistant"]
    assume(answers)
    at = data.draw(st.sampled_from(answers))
    dialect = dialect_of(surface, MODELS[surface])
    bodies = [dialect.body(part, SYSTEM, TOOLS, 100) for part in (rows[:at], rows[: at + 1], rows)]
    asked, _, later = (list(map(segment_of, segments(surface, body))) for body in bodies)
    stays = asked[:-1] if bodies[0] == bodies[1] else asked
    assert later[: len(stays)] == stays


def segment_of(segment: Segment) -> bytes:
    """A part of a prompt, cache marks left out."""
    return segment.content


@pytest.mark.parametrize("surface", SURFACES)
def test_calls_of_one_id_have_their_own_results(surface: str) -> None:
    """In their order, though the provider gave the id twice."""
    calls = (ToolCall("same", "poll", "{}"), ToolCall("same", "poll", "{}"))
    rows = [Row(1, "user", "Go."), Row(2, "assistant", "", calls)]
    rows += [Row(3 + at, "tool", f"result {at}", tool_call_id="same", name="poll") for at in range(2)]
    body = dialect_of(surface, MODELS[surface]).body(rows, SYSTEM, TOOLS, 1000).decode()
    assert 0 < body.index("result 0") < body.index("result 1")
    assert "Result of poll" not in body
