"""What is looked at before a folded request is sent."""

from typing import Any

import pytest

from foldpoint.core.edit import Layout, Slot
from foldpoint.skills.check import fault
from transcripts import Turn, block, ledger, messages

OURS = (block("s"),)


def found(surface: str, slots: list[int | None], tail: int, odd: dict[int, Turn] | None = None, keep: int = 2) -> str:
    """The fault of a layout of six turns: items 1-2 are turn 1, 11-12 turn 6; None is a message of ours."""
    read = ledger(surface, messages(surface, 6, odd))
    return fault(read, Layout(tuple(Slot(item, OURS if item is None else ()) for item in slots), tail), keep)


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_the_request_as_it_is_passes(surface: str) -> None:
    """Nothing left out is no fault."""
    assert found(surface, [0], 1) == ""


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_leading_turns_left_out_pass(surface: str) -> None:
    """Four turns sealed, two kept."""
    assert found(surface, [0], 9) == ""


@pytest.mark.parametrize(
    ("tail", "keep", "fails"), [(9, 2, ""), (10, 2, "recent"), (11, 2, "recent"), (11, 1, ""), (3, 9, "recent")]
)
def test_the_newest_turns_must_be_there(tail: int, keep: int, fails: str) -> None:
    """As many as the policy keeps, from their first item on."""
    assert found("anthropic", [0], tail, keep=keep) == fails


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("slots", [[0, 3], [0, 4], [0, 3, 4, 5]])
def test_no_call_and_no_result_loses_its_partner(surface: str, slots: list[int | None]) -> None:
    """A kept call needs its result, a kept result its call."""
    assert found(surface, slots, 9) == "pairing"


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
def test_a_whole_turn_in_between_passes(surface: str) -> None:
    """Turn 2 kept with all its items."""
    assert found(surface, [0, 3, 4], 9) == ""


def test_one_of_two_results_is_not_enough() -> None:
    """Parallel calls keep every result."""
    assert (
        found("openai-chat", [0, 3, 4], 10, {2: Turn(calls=2)}),
        found("openai-chat", [0, 3, 4, 5], 10, {2: Turn(calls=2)}),
    ) == ("pairing", "")


def test_a_fault_of_the_request_is_not_ours() -> None:
    """A call that had no result has none in a kept turn either."""
    assert found("openai-chat", [0, 3, 4], 9, {2: Turn(calls=2, missing=1)}) == ""


@pytest.mark.parametrize(
    ("surface", "slots", "fails"),
    [
        ("anthropic", [0, None], "roles"),
        ("openai-chat", [0, None], "roles"),
        ("anthropic", [0, 3, 4, None], "roles"),
        ("openai-chat", [0, 3, 4, None], ""),
        ("anthropic", [None], ""),
        ("anthropic", [], ""),
    ],
)
def test_a_message_of_ours_stands_where_the_surface_takes_it(surface: str, slots: list[int | None], fails: str) -> None:
    """Never two user messages side by side; on chat a user message may follow a tool message."""
    assert found(surface, slots, 9) == fails


def system_inside(slots: list[int | None], tail: int, behind: tuple[int, ...] = (2,)) -> str:
    """The fault of a layout where turns end in a system message: items 3, 4, 5 are turn 2."""
    odd = {turn: Turn(system="s") for turn in behind}
    read = ledger("anthropic", messages("anthropic", 6, odd))
    return fault(read, Layout(tuple(Slot(item) for item in slots), tail), 2)


@pytest.mark.parametrize(
    ("slots", "tail", "fails"),
    [
        ([0, 3, 4, 5], 10, ""),
        ([0, 5], 10, ""),
        ([0, 5, 4], 10, "pairing"),
    ],
)
def test_a_system_message_stands_between_user_and_assistant(slots: list[Any], tail: int, fails: str) -> None:
    """Where the surface ties it to its place."""
    assert system_inside(slots, tail) == fails


def test_two_system_messages_never_meet() -> None:
    """The second would stand behind the first."""
    assert system_inside([0, 5, 8], 11, (2, 3)) == "roles"


def test_a_system_message_never_stands_in_front_of_a_user_message() -> None:
    """It is followed by an assistant message or by nothing."""
    odd = {2: Turn(system="s")}
    read = ledger("anthropic", messages("anthropic", 6, odd))
    assert fault(read, Layout((Slot(0), Slot(5), Slot(None, OURS)), 10), 2) == "roles"


def test_neighbours_of_the_request_are_no_fault() -> None:
    """Two user messages that stood side by side in it may stay so."""
    written: list[Any] = messages("anthropic", 6)
    written.insert(1, {"role": "user", "content": "And another thing."})
    assert fault(ledger("anthropic", written), Layout((Slot(0), Slot(1)), 10), 2) == ""
