"""Whole Responses requests through the fold: what is written where, and what never comes apart."""

import json
from typing import Any

import pytest

from foldpoint import fold, fold_messages
from foldpoint.core.text import MARKER
from foldpoint.lab.provider import validate_openai_responses
from transcripts import LONG, compact, policy

HEAD: list[Any] = [
    {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]},
    {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
    {"type": "message", "id": "msg_0", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
]
PNG = "data:image/png;base64,iVBORw0KGgo="


def thought(number: int) -> dict[str, Any]:
    """A reasoning item."""
    return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": f"gAAA{number}"}


def call(number: int) -> dict[str, Any]:
    """A call."""
    return {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}", "name": "q", "arguments": "{}"}


def output(number: int, said: Any = LONG) -> dict[str, Any]:
    """Its output."""
    return {"type": "function_call_output", "call_id": f"c{number}", "output": said}


def turn(number: int) -> list[Any]:
    """A turn as reasoning models make them."""
    return [thought(number), call(number), output(number)]


def folded(turns: list[list[Any]], head: list[Any] = HEAD, **parameters: Any) -> list[Any]:
    """The items that are sent; they are such as the API takes."""
    items = [*head, *(item for each in turns for item in each)]
    sent = fold(compact({"model": "m", "input": items}), "openai-responses", policy(**parameters)).body
    given = json.loads(sent)
    validate_openai_responses.check(given)
    found: list[Any] = given["input"]
    return found


def usual(odd: dict[int, list[Any]] | None = None, turns: int = 7) -> list[list[Any]]:
    """Seven turns, some of them given; four are sealed."""
    return [(odd or {}).get(number, turn(number)) for number in range(1, turns + 1)]


def texts(message: Any) -> list[str]:
    """The texts of a message's parts."""
    return [part.get("text", "") for part in message["content"]]


def test_sealed_turns_are_lines_in_the_opening_message() -> None:
    """Head, one block behind the person's words, then the newest turns as they came."""
    sent = folded(usual())
    assert sent[:2] == HEAD[:2]
    assert (sent[2]["id"], texts(sent[2])[0], texts(sent[2])[1].count("\nturn ")) == ("msg_0", "Go.", 4)
    assert "turn 4 | tool_use[c4] q {} | tool_result[c4] q: 0123456789" in texts(sent[2])[1]
    assert sent[3:] == [item for number in (5, 6, 7) for item in turn(number)]


def test_a_later_fold_appends_a_part() -> None:
    """The parts that an earlier one wrote are the same."""
    first, second = folded(usual(turns=7))[2], folded(usual(turns=11))[2]
    assert second["content"][: len(first["content"])] == first["content"]
    assert len(second["content"]) == len(first["content"]) + 1


def test_behind_a_compaction_the_summary_is_an_item_of_its_own() -> None:
    """What stands in front of a compaction is dropped by the provider, so nothing of ours may stand there."""
    compaction = {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}
    sent = folded(usual(), [*HEAD, compaction])
    assert sent[:4] == [*HEAD, compaction]
    assert (sent[4].keys(), sent[4]["role"]) == ({"type", "role", "content"}, "user")
    assert texts(sent[4])[0].startswith(MARKER)


def test_a_word_of_the_person_after_a_compaction_moves_no_fold() -> None:
    """The compaction stands for the opening message: the head ends with it, whatever comes later."""
    compaction = {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}
    note = {"role": "user", "content": "And the tests?"}
    before = folded(usual(), [*HEAD, compaction])
    after = folded([*usual(), [{"role": "assistant", "content": "Done."}, note]], [*HEAD, compaction])
    assert after[: len(before)] == before


def test_what_the_person_says_is_carried() -> None:
    """In order behind the block, in the same message."""
    note = {"role": "user", "content": "Use metric units."}
    sent = folded(usual({2: [*turn(2), note]}))
    assert texts(sent[2])[0] == "Go."
    assert texts(sent[2])[2] == "Use metric units."
    assert "(message kept below)" in texts(sent[2])[1]


def test_a_message_with_other_members_keeps_its_turn() -> None:
    """Merged it would lose them."""
    note = {"type": "message", "role": "user", "content": "Use metric units.", "internal": {"turn": 1}}
    sent = folded(usual({2: [*turn(2), note]}))
    assert sent[3:7] == [*turn(2), note]


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (
            [
                {"type": "computer_call", "call_id": "x", "action": {}, "pending_safety_checks": []},
                {
                    "type": "computer_call_output",
                    "call_id": "x",
                    "output": {"type": "computer_screenshot", "image_url": PNG},
                },
            ],
            ("[image of tool_result[x]]", PNG),
        ),
        (
            [{"type": "image_generation_call", "id": "ig_1", "result": "iVBORw0KGgo="}, call(3), output(3)],
            ("[image of tool_result[ig_1]]", PNG),
        ),
        (
            [call(3), output(3, [{"type": "input_image", "image_url": PNG, "detail": "high"}])],
            ("[image of tool_result[c3]]", PNG),
        ),
    ],
)
def test_the_newest_image_survives(made: list[Any], kept: tuple[str, str]) -> None:
    """A screenshot, one that the provider made, one in an output: as an image of the user, led by its call."""
    label, shown = folded(usual({3: made}))[2]["content"][-2:]
    assert (label["text"], shown["type"], shown["image_url"]) == (kept[0], "input_image", kept[1])


@pytest.mark.parametrize(
    "odd",
    [
        [{"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}, *turn(2)],
        [
            {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}},
            {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
            call(2),
            output(2),
        ],
        [
            {"type": "program", "id": "p", "call_id": "p", "code": "f()", "fingerprint": "x"},
            {**call(2), "caller": {"type": "program", "caller_id": "p"}},
            output(2),
        ],
        [{"type": "teleport_call", "call_id": "c2"}, call(2), output(2)],
        [thought(2), call(2), {"type": "function_call", "call_id": "c2b", "name": "q", "arguments": "{}"}, output(2)],
    ],
)
def test_some_turns_stay_whole(odd: list[Any]) -> None:
    """Tools that were loaded, programs, types that are not known yet, a call without output: all of it, in place."""
    items = [*HEAD, *(item for each in usual({2: odd}) for item in each)]
    body = compact({"model": "m", "input": items})
    sent = json.loads(fold(body, "openai-responses", policy()).body)["input"]
    assert sent[3 : 3 + len(odd)] == odd
    assert "turn 2 | (turn kept below)" in texts(sent[2])[1]


def test_an_approval_stays_with_what_it_approved() -> None:
    """Request, the person's word and the call are one action: sealed apart, the provider could run the call again."""
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "drop", "arguments": "{}", "server_label": "s"}
    word = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    ran = {"type": "mcp_call", "id": "mcp_1", "name": "drop", "arguments": "{}", "output": "ok", "server_label": "s"}
    sent = folded(usual({4: [asked, word, ran, call(4), output(4)]}))
    assert [item.get("type") for item in sent[3:6]] == ["reasoning", "function_call", "function_call_output"]
    line = "tool_use[mcpr_1] drop {} | tool_result[mcpr_1] approval: approved | tool_use[mcp_1] drop {} | "
    assert line in texts(sent[2])[1]


def test_settings_of_the_client_stay_in_place() -> None:
    """Tools that are added on the way, and a change of the configuration."""
    added = {"type": "additional_tools", "role": "developer", "tools": []}
    changed = {"type": "configuration_update", "reasoning": {"effort": "high"}}
    sent = folded(usual({2: [*turn(2), added], 3: [*turn(3), changed]}))
    assert sent[3:5] == [added, changed]


def test_message_objects_fold_too() -> None:
    """What is kept is the caller's own object."""
    items = [*HEAD, *(item for each in usual() for item in each)]
    sent = fold_messages(items, "openai-responses", policy())
    assert len(sent) == len(HEAD) + 9
    assert all(one is two for one, two in zip(sent[3:], items[-9:], strict=True))
