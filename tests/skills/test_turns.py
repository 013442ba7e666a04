"""Turns: an action plus everything that answers it."""

from itertools import pairwise
from typing import Any

import pytest

from foldpoint.core.text import unspelled
from foldpoint.core.transcript import View
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.turns import LEAD, Seal, behind_merge, head_end, mergeable, turn_of
from foldpoint.skills.turns import Turn as Sealed
from foldpoint.surfaces import SURFACES
from transcripts import HEAD, LONG, MARK, SAID, Turn, anthropic_turn, chat_turn, image, text, views

STRICT, LOOSE = SURFACES["anthropic"].shape, SURFACES["openai-chat"].shape
USE = {"type": "tool_use", "id": "t", "name": "q", "input": {}}


def user(content: Any = "go") -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": content}


def acts(*blocks: Any) -> dict[str, Any]:
    """An assistant message."""
    return {"role": "assistant", "content": list(blocks) or "ok"}


def answers(*more: Any) -> dict[str, Any]:
    """A user message that answers the call t."""
    return user([{"type": "tool_result", "tool_use_id": "t", "content": "r"}, *more])


def said(role: str) -> dict[str, Any]:
    """A message of a text."""
    return {"role": role, "content": "x"}


def anthropic(turn: Turn, number: int = 3) -> Sealed:
    """The turn, read."""
    return turn_of(views("anthropic", anthropic_turn(number, turn)), 0, number, STRICT)


def chat(turn: Turn, number: int = 3) -> Sealed:
    """The turn, read."""
    return turn_of(views("openai-chat", chat_turn(number, turn)), 0, number, LOOSE)


def line_of(seal: Seal, number: int = 3) -> str:
    """Its line, as it is read."""
    return unspelled(LEAD % number + seal.line).removeprefix("\n")


def limits(surface: str, written: list[Any]) -> list[tuple[int, int]]:
    """Where the turns of the messages begin and end."""
    shape = SURFACES[surface].shape
    read = views(surface, written)
    return list(pairwise(Ledger(read, shape).starts))


# The head


@pytest.mark.parametrize(
    ("roles", "end"),
    [
        ("user", 1),
        ("user assistant", 1),
        ("system user assistant user", 2),
        ("developer system user assistant", 3),
        ("user user assistant", 2),
        ("user system assistant", 2),
        ("user system user assistant", 3),
        ("assistant user assistant", 2),
        ("system assistant assistant user assistant", 4),
        ("system assistant", 1),
        ("assistant", 0),
        ("system", 1),
    ],
)
def test_the_head_runs_through_the_first_user_message(roles: str, end: int) -> None:
    """And through whatever follows it up to the first action."""
    assert head_end(views("openai-chat", [said(role) for role in roles.split()]), LOOSE) == end


@pytest.mark.parametrize(
    ("kinds", "end"),
    [
        ("user history assistant tool assistant user", 2),
        ("user assistant history user assistant", 4),
        ("history assistant tool user assistant", 1),
        ("history system assistant user", 2),
        ("user history assistant history", 4),
    ],
)
def test_where_nothing_has_to_be_merged_history_is_the_opening(kinds: str, end: int) -> None:
    """The head ends with it: what the person says later is part of a turn, and moves no fold."""
    read = [View(role="system", size=1, history=True) if kind == "history" else a_view(kind) for kind in kinds.split()]
    assert head_end(read, LOOSE) == end


@pytest.mark.parametrize(("roles", "end"), [("system assistant tool assistant tool", 1), ("assistant tool user", 0)])
def test_a_first_user_message_that_comes_late_moves_no_head(roles: str, end: int) -> None:
    """Turns with results in front of it were folded before it came; it is carried."""
    assert head_end([a_view(role) for role in roles.split()], LOOSE) == end


def a_view(role: Any) -> View:
    """A view with nothing but its role."""
    return View(role=role, size=1)


def test_a_system_message_inside_is_of_the_head() -> None:
    """Claude Code's opening: a user message, then a system message."""
    assert head_end(views("anthropic", [user(), said("system"), acts(USE), answers()]), STRICT) == 2


def test_a_compaction_block_ends_the_head() -> None:
    """The head runs through the newest item that stands for history, and the opening behind it."""
    compacted = acts({"type": "compaction", "content": "s"})
    written = [user(), acts(USE), answers(), compacted, user(), acts(USE), answers()]
    assert head_end(views("anthropic", written), STRICT) == 5


def test_the_newest_of_two_compaction_blocks_ends_the_head() -> None:
    """What an older one stood for is in the newer one."""
    compacted = acts({"type": "compaction", "content": "s"})
    written = [user(), compacted, user(), acts(USE), answers(), compacted, user(), acts(USE)]
    assert head_end(views("anthropic", written), STRICT) == 7


def test_results_are_no_opening() -> None:
    """A user message that holds results is not the first user message."""
    assert head_end(views("anthropic", [answers(), user(), acts(USE)]), STRICT) == 2


def test_a_request_that_has_nothing_to_merge_into_is_all_head() -> None:
    """Where roles take turns a block needs a user message in the head."""
    assert head_end(views("anthropic", [acts(USE), answers(), acts(USE), answers()]), STRICT) == 4


@pytest.mark.parametrize(
    ("message", "may"),
    [
        (user(), True),
        (user([text("a"), image("A")]), True),
        (answers(), False),
        (answers(text("a")), False),
        (acts(USE), False),
        (said("system"), False),
    ],
)
def test_only_a_user_message_without_results_takes_content(message: Any, may: bool) -> None:
    """Never into a message that holds tool results."""
    assert mergeable(views("anthropic", [message])[0]) is may


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ([user(), said("system")], 24 + 16 + 1),
        ([user(), user()], 0),
        ([user(), acts(USE), answers()], 24 + 16 + 1 + 1 + 2 + 24 + 16 + 1 + 1),
        ([acts(USE), answers()], -1),
    ],
)
def test_what_stands_behind_the_place_of_a_block_is_counted(written: list[Any], size: int) -> None:
    """Bytes behind the last message that takes content; -1 where none does."""
    assert behind_merge(views("anthropic", written), 0, len(written)) == size


# Turns


def test_a_turn_is_an_action_and_what_answers_it() -> None:
    """One after the other, the last one is the live turn."""
    assert limits("anthropic", [user(), acts(USE), answers(), acts(USE), answers(), acts(USE)]) == [
        (1, 3),
        (3, 5),
        (5, 6),
    ]


def test_neighbouring_assistant_messages_are_one_action() -> None:
    """A run of them, answered by what follows up to the next action."""
    written = [user(), acts(), acts(USE), answers(), user(), said("system"), acts(), user()]
    assert limits("anthropic", written) == [(1, 6), (6, 8)]


def test_parallel_results_are_of_one_turn() -> None:
    """Chat has a message for each result."""
    assert limits("openai-chat", [user(), *chat_turn(1, Turn(calls=3)), *chat_turn(2, Turn())]) == [(1, 5), (5, 7)]


def test_no_action_no_turn() -> None:
    """A request that only opens has no turn."""
    assert limits("openai-chat", [said("system"), user(), user()]) == []


def test_a_turn_has_the_size_of_its_items() -> None:
    """Action 24 + 16 + 6 + 5 + 7, results 24 + 16 + 6 + 2,000."""
    assert anthropic(Turn()).size == 58 + 2_046


# Lines


def test_the_line_of_a_call_and_its_result() -> None:
    """Number, text, call, result, in order."""
    assert line_of(anthropic(Turn(said="I look.", result="a,b\n1,2")).by_results) == (
        'turn 3 | I look. | tool_use[call_3] query {"n":3} | tool_result[call_3] query: a,b 1,2'
    )


def test_the_line_of_a_long_result() -> None:
    """A head of 320 characters."""
    assert line_of(anthropic(Turn()).by_results) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: ' + HEAD
    )


def test_the_line_of_a_chat_turn_is_the_same() -> None:
    """A turn reads alike on every surface."""
    assert line_of(chat(Turn(said="I look.", result="a")).by_results) == (
        'turn 3 | I look. | tool_use[call_3] query {"n":3} | tool_result[call_3] query: a'
    )


@pytest.mark.parametrize("read", [anthropic, chat])
def test_parallel_calls_stand_in_one_line(read: Any) -> None:
    """Every call, then every result with its tool's name."""
    assert line_of(read(Turn(result="a", calls=2)).by_results) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_use[call_3_2] query {"n":3}'
        " | tool_result[call_3] query: a | tool_result[call_3_2] query: ok"
    )


def test_a_failed_result_says_so_in_its_line() -> None:
    """`(error)` leads its head."""
    assert line_of(anthropic(Turn(result="no", failed=True)).by_results) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: (error) no'
    )


@pytest.mark.parametrize("read", [anthropic, chat])
def test_thinking_is_in_no_line(read: Any) -> None:
    """Neither thinking nor signatures."""
    assert line_of(read(Turn(result="a", thinking="hm")).by_results) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: a'
    )


@pytest.mark.parametrize("read", [anthropic, chat])
def test_a_message_beside_results_leaves_a_mark(read: Any) -> None:
    """On a result trajectory the user's words are carried, and the line says so."""
    assert line_of(read(Turn(result="a", beside="Hurry.")).by_results) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: a | (message kept below)'
    )


@pytest.mark.parametrize("read", [anthropic, chat])
def test_on_a_text_trajectory_a_message_is_said(read: Any) -> None:
    """There it is an observation like any other."""
    assert line_of(read(Turn(result="a", beside="Hurry.")).by_texts) == (
        'turn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: a | Hurry.'
    )


def test_a_plain_observation_is_said_or_carried() -> None:
    """A user message behind an answer: carried on a result trajectory, else in the line."""
    turn = chat(Turn(calls=0, said="I look.", result="It\nis there."))
    assert (line_of(turn.by_results), line_of(turn.by_texts)) == (
        "turn 3 | I look. | (message kept below)",
        "turn 3 | I look. | It\nis there.",
    )


def test_a_long_plain_observation_is_a_head() -> None:
    """Led by its role."""
    assert line_of(chat(SAID).by_texts) == "turn 3 | I go on. | user: " + HEAD


def test_a_system_message_is_carried_on_either() -> None:
    """It leaves a mark on a text trajectory too."""
    turn = chat(Turn(calls=0, said="a", result="b", system="Be brief."))
    assert (line_of(turn.by_results), line_of(turn.by_texts)) == (
        "turn 3 | a | (message kept below) | (message kept below)",
        "turn 3 | a | b | (message kept below)",
    )


def test_what_is_carried_is_counted() -> None:
    """Text beside results 16 + 6; a system message 24 + 16 + 3."""
    turn = chat(Turn(beside="Hurry.", system="Ok?"))
    assert (turn.by_results.carried, turn.by_texts.carried) == (16 + 6 + 43, 43)


def test_a_line_weighs_its_bytes() -> None:
    """Bytes, not characters."""
    assert anthropic(Turn(result="é")).by_results.size == len(
        '\nturn 3 | tool_use[call_3] query {"n":3} | tool_result[call_3] query: ??'
    )


# Kept whole


def whole(surface: str, written: list[Any]) -> bool:
    """Is the first turn of the messages kept whole?"""
    return turn_of(views(surface, written), 0, 1, SURFACES[surface].shape).by_results.whole


def test_a_whole_turn_has_a_line_that_says_so() -> None:
    """Its line is a mark, and all of it is carried."""
    turn = anthropic(Turn(marked=True))
    assert (line_of(turn.by_results), turn.by_results.carried) == ("turn 3 | (turn kept below)", turn.size)


def test_a_marked_turn_is_whole() -> None:
    """A breakpoint of the caller's stays on its block."""
    assert (
        whole("anthropic", anthropic_turn(1, Turn(marked=True))),
        whole("openai-chat", chat_turn(1, Turn(marked=True))),
    ) == (True, True)


def test_a_marked_action_makes_its_turn_whole() -> None:
    """Wherever in the turn the breakpoint stands."""
    assert whole("anthropic", [acts({**USE, "cache_control": MARK}), answers()]) is True


def test_a_turn_with_a_call_that_nothing_answers_is_whole() -> None:
    """One of two calls has no result."""
    assert (
        whole("anthropic", anthropic_turn(1, Turn(calls=2, missing=1))),
        whole("openai-chat", chat_turn(1, Turn(calls=2, missing=1))),
    ) == (True, True)


def test_a_turn_with_a_result_that_answers_nothing_is_whole() -> None:
    """A result of another id."""
    assert whole("anthropic", [acts({**USE, "id": "u"}), answers()]) is True


def test_a_turn_with_a_result_twice_is_whole() -> None:
    """The second has no call of its own."""
    assert (
        whole("openai-chat", [*chat_turn(1, Turn()), {"role": "tool", "tool_call_id": "call_1", "content": "a"}])
        is True
    )


def test_a_server_tools_call_is_answered_in_its_message() -> None:
    """Its result does not come from the caller."""
    use = {"type": "server_tool_use", "id": "s", "name": "search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    assert (whole("anthropic", [acts(use, found), user()]), whole("anthropic", [acts(use), user()])) == (False, True)


def test_a_turn_with_a_system_message_inside_is_whole_on_anthropic() -> None:
    """It is tied to its place there; on chat it is carried."""
    assert (anthropic(Turn(system="s")).by_results.whole, chat(Turn(system="s")).by_results.whole) == (True, False)


def test_a_chat_message_that_stands_alone_makes_its_turn_whole() -> None:
    """A user message with a name would lose it in a merge."""
    assert whole("openai-chat", [acts(), {**user(), "name": "Ann"}]) is True


# Answers and images


def test_a_turn_is_answered_by_a_result() -> None:
    """A user's words are no result."""
    assert (chat(Turn()).answered, chat(SAID).answered) == (True, False)


def test_images_are_counted_wherever_they_stand() -> None:
    """In results, and beside them."""
    assert anthropic(Turn(images=("A", "B"), beside=[image("C")])).images == 3


def test_what_stands_behind_a_whole_turns_last_place_is_counted() -> None:
    """A kept turn that ends in a plain user message takes the next block there."""
    turn = anthropic(Turn(calls=0, said="a", beside=[{**text("b"), "cache_control": MARK}]))
    assert (turn.by_results.whole, turn.behind) == (True, 0)


def test_equal_views_make_equal_turns() -> None:
    """A list of one text is the text."""
    plain, listed = ([acts(USE), answers()], [acts(USE), user([{**answers()["content"][0], "content": [text("r")]}])])
    read: list[list[View]] = [views("anthropic", plain), views("anthropic", listed)]
    assert turn_of(read[0], 0, 1, STRICT) == turn_of(read[1], 0, 1, STRICT)


def test_a_long_result_is_never_whole_in_a_line() -> None:
    """Whatever its turn says besides."""
    assert LONG not in line_of(chat(Turn(said="See:", calls=2)).by_results)
