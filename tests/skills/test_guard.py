"""The loop guard."""

from typing import Any

import pytest

from foldpoint.skills.guard import loops
from foldpoint.surfaces import SURFACES
from transcripts import Turn as T
from transcripts import anthropic_turn, chat_turn, compact, ledger, messages, text

SURFACE = SURFACES["anthropic"]
NOTE = "<system-reminder>{}</system-reminder>"


def looping(written: list[Any], repeats: int, surface: str = "anthropic") -> bool:
    """Does the guard trip on the messages?"""
    return loops(SURFACES[surface], [compact(each) for each in written], ledger(surface, written), repeats)


def repeated(times: int, *results: Any, surface: str = "anthropic") -> list[Any]:
    """The same call again and again, with the results in turn, behind two other turns."""
    write = anthropic_turn if surface == "anthropic" else chat_turn
    written = messages(surface, 2)
    for at in range(times):
        written += write(9, T(result=results[at % len(results)]))
    return written


@pytest.mark.parametrize("surface", ["anthropic", "openai-chat"])
@pytest.mark.parametrize(("times", "trips"), [(2, False), (3, True), (4, True)])
def test_one_more_than_the_repeats_is_a_loop(surface: str, times: int, trips: bool) -> None:
    """Two repeats are three equal calls."""
    assert looping(repeated(times, "same", surface=surface), 2, surface) is trips


def test_no_guard_no_loop() -> None:
    """0 never trips."""
    assert looping(repeated(9, "same"), 0) is False


def test_a_poll_whose_result_changes_is_no_loop() -> None:
    """The newest result is another one."""
    assert looping([*repeated(3, "running"), *anthropic_turn(9, T(result="done"))], 2) is False


def test_other_arguments_are_no_loop() -> None:
    """One call of another spelling among them."""
    assert looping([*repeated(2, "same"), *anthropic_turn(8, T(result="same"))], 2) is False


def test_another_name_is_no_loop() -> None:
    """The same arguments of another tool."""
    last = anthropic_turn(9, T(result="same"))
    last[0]["content"][0]["name"] = "list"
    assert looping([*repeated(2, "same"), *last], 2) is False


def test_a_loop_that_ended_is_none() -> None:
    """Only the last calls count."""
    assert looping([*repeated(5, "same"), *anthropic_turn(8, T())], 2) is False


def test_a_reminder_behind_a_result_makes_no_other_result() -> None:
    """What the client hangs behind changes, the result does not."""
    results = [f"same\n{NOTE.format(at)}" for at in range(3)]
    assert looping(repeated(3, *results), 2) is True


def test_the_form_of_a_result_makes_no_other_result() -> None:
    """A string, or a list of one text."""
    assert looping(repeated(3, "same", [text("same")]), 2) is True


def test_parallel_calls_are_calls() -> None:
    """Three equal calls in one turn are three."""
    turn = anthropic_turn(9, T(calls=3, result="ok"))
    assert looping([*messages("anthropic", 1), *turn], 2) is True


def test_words_between_make_no_difference() -> None:
    """A loop is one of calls, whatever is said in between."""
    spoken = [{"role": "assistant", "content": "Again."}, {"role": "user", "content": "Go on."}]
    assert looping([*repeated(2, "same"), *spoken, *anthropic_turn(9, T(result="same"))], 2) is True


def test_a_call_without_its_result_is_no_repeat() -> None:
    """The live call is not known to be one yet."""
    assert looping(repeated(3, "same")[:-1], 2) is False


def test_fewer_calls_than_repeats_are_no_loop() -> None:
    """A short transcript has too few."""
    assert looping(messages("anthropic", 1), 2) is False
