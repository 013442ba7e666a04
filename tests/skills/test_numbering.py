"""Ids for calls that come without one."""

from collections.abc import Sequence
from typing import Any

import pytest

from foldpoint.core.text import unspelled
from foldpoint.core.transcript import Limits, View
from foldpoint.skills.numbering import numbered
from foldpoint.surfaces import SURFACES
from transcripts import compact

SURFACE = SURFACES["gemini"]


def views(*contents: Any) -> list[View]:
    """The views as the surface reads them: a list of calls, or of results by a tuple, each by name and id."""
    found = []
    for content in contents:
        acts = isinstance(content, list)
        key = "functionCall" if acts else "functionResponse"
        parts = [{key: {"name": name, **({"id": id} if id else {})}} for name, _, id in map(partitioned, content)]
        found.append(SURFACE.view(compact({"role": "model" if acts else "user", "parts": parts}), Limits()))
    return found


def partitioned(word: str) -> tuple[str, str, str]:
    """`name:id`."""
    return word.partition(":")


def ids(found: Sequence[View]) -> list[list[str]]:
    """The ids of calls and results."""
    return [[one.id for one in (*view.calls, *view.results)] for view in found]


@pytest.mark.parametrize(
    ("contents", "named"),
    [
        ([["f"], ("f",), ["f", "g"], ("f", "g")], [["f#1"], ["f#1"], ["f#2", "g#1"], ["f#2", "g#1"]]),
        ([["f", "f"], ("f",), ("f",)], [["f#1", "f#2"], ["f#1"], ["f#2"]]),
        ([["f", "g"], ("g", "f")], [["f#1", "g#1"], ["g#1", "f#1"]]),
        ([["f:a", "f:b"], ("f:b", "f:a")], [["a", "b"], ["b", "a"]]),
        ([["f:a"], ("f",)], [["a"], ["a"]]),
        ([["f"], ("f:x",)], [["f#1"], ["f#1"]]),
        ([["f:a", "f"], ("f", "f:a")], [["a", "f#1"], ["f#1", "a"]]),
        ([["f"], ("g",)], [["f#1"], ["g#"]]),
        ([["f"], ["f"], ("f", "f")], [["f#1"], ["f#2"], ["f#1", "f#2"]]),
        ([["f"], ("f",), ["g"], ("f",)], [["f#1"], ["f#1"], ["g#1"], ["f#"]]),
    ],
)
def test_a_result_has_the_id_of_its_call(contents: list[Any], named: list[list[str]]) -> None:
    """By id, else the first call of the name that waits, in the turn; what nothing asked for has no number."""
    assert ids(numbered(views(*contents), (), 0)) == named


def test_the_line_says_the_number() -> None:
    """Of calls, and of results in the same content."""
    parts = [
        {"text": "I run | tool_use[f#] it."},
        {"functionCall": {"name": "f"}},
        {"executableCode": {"code": "1"}},
        {"codeExecutionResult": {"output": "2"}},
        {"functionCall": {"name": "f"}},
    ]
    view = SURFACE.view(compact({"role": "model", "parts": parts}), Limits())
    assert unspelled(numbered([view], (), 0)[0].line) == (
        "I run || tool_use[f#] it. | tool_use[f#1] f | tool_use[code_execution#1] code_execution 1 | "
        "tool_result[code_execution#1] code_execution: 2 | tool_use[f#2] f"
    )


@pytest.mark.parametrize("same", range(9))
def test_what_was_numbered_before_is_taken_over(same: int) -> None:
    """From wherever the earlier request is equal, the numbers are those of a fresh reading."""
    turns: list[Any] = [["f"], ("f",), ["f", "g"], ("g", "f"), ["g"], ("g",), ["f"], ("f",)]
    earlier = views(*turns[:same], ["other"], ("other",))
    before = numbered(earlier, (), 0)
    now = views(*turns)
    assert numbered(now, before, same) == numbered(now, (), 0)


def test_ids_that_are_there_are_left_alone() -> None:
    """The views are the same objects."""
    given = views(["f:a"], ("f:a",))
    assert all(one is two for one, two in zip(given, numbered(given, (), 0), strict=True))
