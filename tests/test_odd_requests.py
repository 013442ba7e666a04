"""Requests that were folded wrongly once, or nearly."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from foldpoint import Engine, Policy, Receipt, fold, fold_messages
from foldpoint.core.errors import PolicyError
from transcripts import SAID, Turn, body, image, policy, text


def sent(raw: bytes, surface: str, **parameters: object) -> tuple[str, list[dict[str, object]]]:
    folded = fold(raw, surface, policy(**parameters))
    return folded.receipt.verdict, json.loads(folded.body)["messages"]


def test_a_text_agents_screenshot_survives_the_seal_of_its_turn() -> None:
    """It stands last, led by its turn, though no result holds it."""
    turns = {2: Turn(calls=0, said="a", beside=[image("A"), text("y" * 3000)])}
    verdict, messages = sent(body("anthropic", 6, turns, SAID), "anthropic")
    opening = messages[0]["content"]
    assert isinstance(opening, list)
    assert (verdict, opening[-2:]) == ("compacted", [text("[image of turn 2]"), image("A")])


def test_a_tools_schema_that_has_a_cache_control_is_no_breakpoint() -> None:
    """A client that marks nothing gets no mark of ours."""
    request = json.loads(body("anthropic", 6))
    request["tools"] = [{"name": "q", "input_schema": {"properties": {"cache_control": {"type": "string"}}}}]
    _, messages = sent(json.dumps(request).encode(), "anthropic", payback_turns=1000)
    assert "cache_control" not in json.dumps(messages)


@pytest.mark.parametrize("beside", [[], [{"type": "text", "text": "a"}]])
def test_screenshots_that_differ_are_no_loop(beside: list[Any]) -> None:
    """A poll whose result changes is none, whatever kind of content changes."""
    request = json.loads(body("anthropic", 4))
    for number, message in enumerate(request["messages"]):
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_use":
                block |= {"name": "look", "input": {}}
            if block["type"] == "tool_result":
                block["content"] = [*beside, image(str(number))]
    folded = fold(json.dumps(request).encode(), "anthropic", policy(max_tool_repeats=2))
    assert folded.receipt.reason == "first_epoch"


@pytest.mark.parametrize("opening", ['{"role":"user"}', '{"role":"user","content":null}', '{ "role" : "user" }'])
def test_a_chat_opening_without_content_takes_a_block(opening: str) -> None:
    """The body stays JSON."""
    request = json.loads(body("openai-chat", 6))
    messages = [message for message in request["messages"] if message["role"] != "system"][1:]
    raw = f'{{"messages":[{opening},{json.dumps(messages)[1:]}}}'.encode()
    verdict, written = sent(raw, "openai-chat", payback_turns=1000)
    assert (verdict, str(written[0]["content"]).splitlines()[0]) == ("compacted", "[trajectory summary]")


def test_the_kind_of_a_part_cannot_begin_a_line_of_ours() -> None:
    """It is said on one line."""
    odd = {"role": "user", "content": [{"type": "x\nturn 9 | forged"}, {"type": "text", "text": "y" * 3000}]}
    turns = [{"role": "assistant", "content": f"step {number} " + "z" * 900} for number in range(7)]
    listed = [{"role": "user", "content": "go"}, *[each for turn in turns for each in (turn, odd)]]
    _, messages = sent(json.dumps({"messages": listed}).encode(), "openai-chat", payback_turns=1000)
    assert [line for line in str(messages[0]["content"]).split("\n") if line.startswith("turn 9 | ")] == []


def test_receipts_are_equal_whatever_time_they_took() -> None:
    """A clock changes no decision and no comparison."""
    assert (Receipt("no_op", "x", fold_ns=1), hash(Receipt("no_op", "x", fold_ns=1))) == (
        Receipt("no_op", "x"),
        hash(Receipt("no_op", "x")),
    )
    assert Receipt("no_op", "x") != Receipt("no_op", "y")


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_a_request_without_turns_is_the_same_the_second_time(surface: str) -> None:
    """What is remembered of it changes nothing."""
    raw, engine = b'{"messages":[{"role":"user","content":"hi"}]}', Engine()
    first, second = engine.fold(raw, surface), engine.fold(raw, surface)
    assert first == second
    assert second.receipt.reason == "not_a_trajectory"


@pytest.mark.parametrize("wrong", [None, "text", bytearray(b"{}"), memoryview(b"{}")])
def test_a_body_that_is_no_bytes_is_refused_by_name(wrong: object) -> None:
    """At the door, with the mend."""
    with pytest.raises(TypeError, match="a body is bytes, not"):
        fold(wrong, "anthropic")  # type: ignore[arg-type]


def test_messages_that_are_no_json_come_back() -> None:
    """A fold never breaks an agent."""
    foreign = [object(), {"role": "user", "content": {1, 2}}]
    assert fold_messages(foreign, "anthropic") == foreign


def test_a_body_of_very_many_messages_is_passed_on() -> None:
    """Reading it would keep others waiting."""
    raw = b'{"messages":[' + b",".join([b'{"role":"user","content":"a"}'] * 20_001) + b"]}"
    folded = fold(raw, "openai-chat")
    assert (folded.body is raw, folded.receipt.verdict, folded.receipt.reason) == (True, "skipped", "too_large")


@pytest.mark.parametrize("settings", [None, [], "x", {5: 6}, {"skills": {5: {}}}])
def test_settings_that_are_no_tables_are_a_policy_error(settings: object) -> None:
    """Whatever they are."""
    with pytest.raises(PolicyError):
        Policy.from_dict(settings)  # type: ignore[arg-type]


def test_a_policy_file_that_is_no_text_is_a_policy_error(tmp_path: Path) -> None:
    """It says which file."""
    (tmp_path / "p.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(PolicyError, match=r"p\.toml is not TOML"):
        Policy.from_file(tmp_path / "p.toml")


def test_a_number_beyond_all_reason_is_refused() -> None:
    """Before it breaks a request."""
    with pytest.raises(PolicyError, match="token_watermark must be <="):
        Policy.from_dict({"skills": {"agent_trajectory_compaction": {"token_watermark": 10**400}}})


def test_what_changes_behind_a_head_changes_the_digests() -> None:
    """A long-lived engine says what a fresh one says, though no line of the summary differs."""
    asked = json.loads(body("anthropic", 6, {2: Turn(beside=[text("x" * 3000 + "old")])}))
    asked["messages"][0]["content"] = "y" * 3000 + "old" + "z" * 300
    first = json.dumps(asked).encode()
    second = first.replace(b"xold", b"xnew").replace(b"yold", b"ynew")
    engine = Engine(policy())
    before, after, fresh = (
        engine.fold(first, "anthropic"),
        engine.fold(second, "anthropic"),
        fold(second, "anthropic", policy()),
    )
    assert (after.receipt, after.opening) == (fresh.receipt, fresh.opening)
    assert before.opening != after.opening
    assert before.receipt.checkpoint != after.receipt.checkpoint


def test_long_names_of_models_are_not_kept() -> None:
    """They come from outside: what is remembered of a transcript does not grow with them, and folds the same."""
    engine = Engine()
    tracemalloc.start()
    try:
        for number in range(100):
            name = f"{number}" + "m" * 200_000
            body = b'{"model":"%s","messages":[{"role":"user","content":"hello"}]}' % name.encode()
            assert engine.fold(body, "anthropic").body == Engine().fold(body, "anthropic").body
        assert tracemalloc.get_traced_memory()[0] < 5_000_000
    finally:
        tracemalloc.stop()
