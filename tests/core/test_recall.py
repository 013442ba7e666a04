"""A part of a kept result: lines, matches, and how to go on where it is too long for one answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.core.recall import BadPart, Part, part_of

TEXT = "one\ntwo\r\nthree\n\nfive"


def test_the_whole_is_the_text() -> None:
    """Nothing asked, everything given, byte for byte."""
    assert part_of(TEXT) == Part(TEXT, 1, 5, 5, len(TEXT))


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [(2, 3, "two\r\nthree\n"), (-1, None, "five"), (None, -4, "one\ntwo\r\n"), (4, 99, "\nfive"), (-99, 1, "one\n")],
)
def test_lines_are_counted_from_either_end(start: int | None, end: int | None, text: str) -> None:
    """From 1, or from -1 backwards; both are inside, and behind the end is the end."""
    assert part_of(TEXT, start, end).text == text


@pytest.mark.parametrize(
    ("start", "end", "pattern", "skip", "field"),
    [
        (0, None, "", 0, "from"), (6, None, "", 0, "from"), (3, 2, "", 0, "to"), (1, 0, "", 0, "to"),
        (1, -9, "", 0, "to"), (1, 1, "", 4, "skip"), (1, 1, "", -1, "skip"), (None, None, "(", 0, "pattern"),
        (None, None, "(?=a)", 0, "pattern"), (None, None, "a" * 501, 0, "pattern"),
        (None, None, "\ud800", 0, "pattern"),
    ],
)  # fmt: skip
def test_a_part_that_there_is_not_names_its_field(
    start: int | None, end: int | None, pattern: str, skip: int, field: str
) -> None:
    """What is at fault is said."""
    with pytest.raises(BadPart) as raised:
        part_of(TEXT, start, end, pattern, skip=skip)
    assert raised.value.field == field


def test_matching_lines_have_their_numbers() -> None:
    """Numbers are those of the whole text."""
    assert part_of(TEXT, 2, None, "^t|e$") == Part("2: two\r\n3: three\n5: five\n", 2, 5, 5, len(TEXT), 3)


def test_a_long_line_is_shown_around_its_match() -> None:
    """A megabyte of JSON is one line."""
    part = part_of("x" * 500_000 + "needle" + "y" * 500_000, pattern="needle")
    assert part.text == "1: …" + "x" * 1000 + "needle" + "y" * 994 + "…\n"


def test_matches_that_are_too_many_go_on_at_the_next() -> None:
    """The first answer is cut between two of them."""
    part = part_of("a\nb\na\na\n", pattern="a", most=10)
    assert (part.text, part.matches, part.next) == ("1: a\n3: a\n", 2, (4, 0))
    assert part.more == "cut after 10 characters of an answer: go on with from=4 (4 lines in all)"


def test_a_pattern_that_explodes_elsewhere_ends() -> None:
    """Backtracking would take longer than the world is old."""
    assert part_of("a" * 100_000 + "b", pattern="(a+)+$").matches == 0
    assert part_of("a" * 100_000, pattern="(a|aa)*c").matches == 0


def test_what_is_no_unicode_is_searched_too() -> None:
    """Half a pair stands for one character."""
    assert part_of("\ud800é needle", pattern="needle").text == "1: \ud800é needle\n"


@given(st.text(alphabet="ab\n\ré", max_size=60), st.integers(1, 9))
def test_going_on_gives_the_whole_text(text: str, most: int) -> None:
    """Whatever the lines are, the pieces of all answers are the text, none longer than was asked for."""
    pieces, at = [], (1, 0)
    while True:
        part = part_of(text, at[0], most=most, skip=at[1])
        assert len(part.text) <= most
        pieces.append(part.text)
        if part.next is None:
            break
        at = part.next
    assert "".join(pieces) == text
