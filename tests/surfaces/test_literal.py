"""String literals, read without decoding the whole of a long one."""

import json

import pytest

from foldpoint.surfaces.literal import line, size, start


@pytest.mark.parametrize(
    ("literal", "bytes_"),
    [
        (b'""', 0),
        (b'"abc"', 3),
        ('"äö"'.encode(), 4),
        (rb'"a\nb"', 4),
        (rb'"\u00e9"', 3),
        (rb'"\ud83d\ude00"', 6),
        (b"null", 0),
        (b"", 0),
        (b"12", 0),
    ],
)
def test_a_texts_size_is_that_of_its_spelling(literal: bytes, bytes_: int) -> None:
    """A size is the spelling without its quotes, an escape of a character counted as three bytes."""
    assert size(literal) == bytes_


def test_the_escapes_of_a_long_text_are_estimated_by_its_beginning() -> None:
    """A thousand escapes of six bytes count three each, near enough: 256 bytes hold the beginnings of 43."""
    assert size(b'"' + rb"\u00e9" * 1_000 + b'"') == 6_000 - 3_024


@pytest.mark.parametrize("characters", [0, 1, 2, 5, 100])
def test_a_start_of_a_short_text_is_the_text(characters: int) -> None:
    """A short literal is decoded whole."""
    assert start(b'"ab"', characters) == "ab"


def test_a_start_of_zero_is_all() -> None:
    """0 means the whole text."""
    assert start(b'"' + b"x" * 9_999 + b'"', 0) == "x" * 9_999


def test_what_is_no_string_has_no_start() -> None:
    """Null, numbers and nothing have no text."""
    assert [start(literal, 9) for literal in (b"null", b"7", b"")] == ["", "", ""]


PIECES = ["a", "é", "葛", "😀", "\n", '"', "\\", "\\\\n", "\x01", "\\u0041", " "]


@pytest.mark.parametrize("ascii_", [True, False], ids=["escaped", "plain"])
def test_a_start_begins_the_text_wherever_it_ends(ascii_: bool) -> None:
    """Every start of a text of odd characters is a beginning of it, and longer than was asked where there is more."""
    text = "".join(PIECES[at * at % len(PIECES)] * (at % 3 + 1) for at in range(80))
    literal = json.dumps(text, ensure_ascii=ascii_).encode()
    found = [(characters, start(literal, characters)) for characters in range(1, len(text) + 3)]
    assert [
        (characters, read)
        for characters, read in found
        if not text.startswith(read) or len(read) <= min(characters, len(text) - 1)
    ] == []


def test_a_start_with_half_a_surrogate_is_read() -> None:
    """Half a surrogate is the replacement character there too."""
    assert start(rb'"\ud83d' + b"a" * 400 + b'"', 5).startswith("\ufffdaaaaa")


@pytest.mark.parametrize(
    ("literal", "limit", "said"),
    [
        (b'"abcde"', 5, "abcde"),
        (b'"abcdef"', 5, "abcde…"),
        (rb'"a\n\n b"', 5, "a b"),
        (b'"' + b"ab " * 400 + b'"', 5, "ab ab…"),
        (b'"a' + b" " * 12 + b'b c d e f"', 5, "a b c…"),
        (b'"' + b"ab " * 400 + b'"', 0, ("ab " * 400).strip()),
        (b"null", 5, ""),
        (b'""', 5, ""),
    ],
)
def test_a_line_is_the_texts_head(literal: bytes, limit: int, said: str) -> None:
    """A literal's head: one line, collapsed, cut to the limit with an ellipsis."""
    assert line(literal, limit) == said


def test_a_line_cuts_between_characters_a_reader_sees() -> None:
    """A family of emoji at the limit is left out as a whole."""
    assert line(json.dumps("ab👨\u200d👩\u200d👧" + "x" * 99).encode(), 4) == "ab…"
