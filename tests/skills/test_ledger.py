"""Running sums over a transcript's turns."""

from typing import Any

import msgspec
import pytest

from foldpoint.core.text import weight
from foldpoint.core.transcript import Call, Shape, View, action_view, result_of, result_view
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.seal import Move, folds_of
from foldpoint.skills.turns import LEAD, turn_of
from foldpoint.surfaces import SURFACES
from transcripts import SAID, Turn, image, ledger, messages, text, views

TURN = 58 + 2_046
"""Bytes of a usual turn on Anthropic: action 24 + 16 + 6 + 5 + 7, results 24 + 16 + 6 + 2,000."""
LINE = 9 + 30 + 3 + 27 + 323
"""Bytes of its line: number, call, bar, result, head."""


def test_the_head_and_the_turns_make_the_size() -> None:
    """Head 24 + 16 + 15, then the turns."""
    read = ledger("anthropic", messages("anthropic", 3))
    assert (read.head_size, read.full, read.size) == (55, [0, TURN, 2 * TURN, 3 * TURN], 55 + 3 * TURN)


def test_a_block_is_its_lines() -> None:
    """16, the marker, the sentence of the first block, and each line behind its line break."""
    assert ledger("anthropic", messages("anthropic", 6)).lines(False, 0, 4) == 16 + 20 + 1 + 49 + 4 * (1 + LINE)


def test_a_later_block_has_the_marker_alone() -> None:
    """The sentence stands in the first one only."""
    assert ledger("anthropic", messages("anthropic", 6)).lines(False, 2, 4) == 16 + 20 + 2 * (1 + LINE)


def test_what_is_carried_is_part_of_the_lines() -> None:
    """A text beside results: 16 + 6 for itself, 23 for its mark."""
    plain = ledger("anthropic", messages("anthropic", 6)).lines(False, 0, 4)
    beside = ledger("anthropic", messages("anthropic", 6, {2: Turn(beside="Hurry.")})).lines(False, 0, 4)
    assert beside - plain == 16 + 6 + len(" | (message kept below)")


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_a_block_counts_what_it_weighs(surface: str) -> None:
    """The sums say what the text that is written says."""
    odd = {2: Turn(said="é", calls=3), 3: Turn(result=""), 4: Turn(failed=True)}
    read = ledger(surface, messages(surface, 7, odd))
    block = folds_of(read, 0, [Move(7, 5, False, 0, {})])[0].block
    assert read.lines(False, 0, 5) == 16 + weight(msgspec.json.decode(block.json, type=str))


@pytest.mark.parametrize(
    ("odd", "texts"),
    [
        ({}, [True, False, False, False]),
        ({1: SAID, 2: SAID}, [True, True, True, False]),
        ({1: SAID, 2: SAID, 3: SAID}, [True, True, True, True]),
        ({2: SAID, 3: SAID}, [True, False, False, False]),
    ],
)
def test_the_kind_is_read_from_the_turns_so_far(odd: dict[int, Turn], texts: list[bool]) -> None:
    """A trajectory is one of texts up to its first tool result, and never again behind it."""
    read = ledger("anthropic", messages("anthropic", 3, odd))
    assert [read.texts(turn) for turn in range(4)] == texts


def test_an_action_without_results_answers_nothing() -> None:
    """A live call is no observation."""
    assert ledger("anthropic", messages("anthropic", 2, {1: SAID})[:-1]).texts(2) is True


@pytest.mark.parametrize(
    ("surface", "system", "behind"),
    [("anthropic", True, 24 + 16 + 9), ("anthropic", False, 0), ("openai-chat", True, 0)],
)
def test_what_the_head_has_behind_the_place_of_a_block(surface: str, system: bool, behind: int) -> None:
    """Where roles take turns a system message in the head stands behind the first block."""
    written = messages(surface, 1)
    if system:
        written.insert(1, {"role": "system", "content": "Be brief."})
    assert ledger(surface, written).behind == behind


def test_images_are_seen() -> None:
    """A transcript knows whether it has any."""
    found = [ledger("anthropic", messages("anthropic", 3, odd)).pictured for odd in ({}, {2: Turn(images=("A",))})]
    assert found == [[], [2]]


def test_the_first_block_says_what_it_is() -> None:
    """Its first line is the marker, its second the one fixed sentence."""
    assert ledger("anthropic", []).opening == (
        "[trajectory summary]\nEarlier turns, one line each; later ones in full:"
    )


def test_the_first_block_names_recall_where_the_agent_has_it() -> None:
    """Only where the policy says so, and its sentence is counted."""
    told = Ledger(views("anthropic", messages("anthropic", 6)), SURFACES["anthropic"].shape, recall=True)
    assert (told.opening, told.lines(False, 0, 1)) == (
        "[trajectory summary]\nEarlier turns, one line each (recall(id) gives a result in full); later ones in full:",
        16 + 21 + 85 + 1 + LINE,
    )


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_a_plain_turn_weighs_and_says_what_it_does_read_whole(surface: str) -> None:
    """One call and its result, of which nearly all turns are, is read a shorter way; with more than nine turns."""
    turns = [Turn(said="é", result=""), Turn(), Turn(failed=True), Turn(thinking="hm", result='\n \t"ü"')]
    written = messages(surface, 12, {number: turns[number % 4] for number in range(1, 13)})
    read = ledger(surface, written)
    whole = [turn_of(read.views, read.starts[number - 1], number, read.shape) for number in range(1, 13)]
    plain = [
        (read.full[number] - read.full[number - 1], read.sealed[0][number] - read.sealed[0][number - 1])
        for number in range(1, 13)
    ]
    assert (read.odd, plain) == ({}, [(turn.size, turn.by_results.size) for turn in whole])
    assert b"".join(read.said(False, 0, 12)) == b"".join(
        LEAD % number + turn.by_results.line for number, turn in enumerate(whole, 1)
    )


def test_two_actions_of_one_id_are_no_plain_turn() -> None:
    """The second of them answers nothing."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "q", "input": {}}]}
    assert ledger("anthropic", [{"role": "user", "content": "go"}, use, use]).starts == [1, 3]


def test_a_call_without_a_name_takes_that_of_its_result() -> None:
    """So such a turn is read whole."""
    call = {"id": "c", "type": "function", "function": {"name": "", "arguments": "{}"}}
    written = [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [call]}]
    written.append({"role": "tool", "tool_call_id": "c", "name": "q", "content": "r"})
    assert (
        b"".join(ledger("openai-chat", written).said(False, 0, 1))
        == rb"\nturn 1 | tool_use[c]  {} | tool_result[c] q: r"
    )


ODD = {
    2: Turn(calls=3),
    3: SAID,
    4: Turn(beside="Hurry."),
    5: Turn(marked=True),
    6: Turn(system="Be brief."),
    7: Turn(calls=2, missing=1),
    8: Turn(beside=[text("See."), image("A")]),
}


def sums(read: Ledger) -> tuple[Any, ...]:
    """All that a ledger knows."""
    kept = (read.odd, read.pictured, read.answered, read.carries, read.opening)
    return (read.head, read.head_size, read.behind, read.starts, read.full, read.sealed, *kept)


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_a_ledger_that_goes_on_is_the_same_as_a_new_one(surface: str) -> None:
    """Whatever part of an older transcript it takes over."""
    shape = SURFACES[surface].shape
    read = views(surface, messages(surface, 9, {**ODD, 8: Turn()} if surface == "openai-chat" else ODD))
    fresh = sums(Ledger(read, shape))
    older = [(end, same) for end in range(1, len(read) + 1) for same in range(end + 1)]
    assert [at for at in older if sums(Ledger(read, shape, Ledger(read[: at[0]], shape), at[1])) != fresh] == []


def test_a_ledger_takes_over_only_what_is_the_same() -> None:
    """A history that was rewritten from turn 3 on is read anew from there."""
    shape = SURFACES["anthropic"].shape
    old = views("anthropic", messages("anthropic", 6))
    new = views("anthropic", messages("anthropic", 6, {3: Turn(result="rewritten")}))
    read = Ledger(new, shape, Ledger(old, shape), 6)
    assert (read.known, sums(read)) == (2, sums(Ledger(new, shape)))


def items(roles: str) -> list[View]:
    """A view of each role, no two alike; `call` asks for what the tool behind it answers."""
    return [
        action_view(size, ["said"], [Call("c", "q")] if role == "call" else [], [], False)
        if role in ("assistant", "call")
        else result_view("tool", size, result_of("c", "x"), False)
        if role == "tool"
        else View(role=role, size=size, own=size)  # type: ignore[arg-type]
        for size, role in enumerate(roles.split(), 30)
    ]


@pytest.mark.parametrize(
    ("roles", "strict"),
    [
        ("user assistant assistant tool call tool", False),
        ("user call tool assistant assistant call tool", True),
        ("system assistant assistant user call tool", False),
        ("system call tool call tool user call tool", False),
        ("system assistant system user assistant user", False),
    ],
)
def test_a_ledger_that_goes_on_is_one_from_nothing(roles: str, strict: bool) -> None:
    """Wherever the request before ended: in the middle of an action, before the first user message."""
    shape = Shape(strict_turns=strict)
    for end in range(1, len(roles.split())):
        views, before = items(roles), Ledger(items(roles)[:end], shape)
        on, fresh = Ledger(views, shape, before, end), Ledger(views, shape)
        assert (on.head, on.starts, on.full, on.odd) == (fresh.head, fresh.starts, fresh.full, fresh.odd)
