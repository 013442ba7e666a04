"""Where the values of a body stand."""

import msgspec
import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.surfaces.spans import decoded, elements, offset, past_blanks, sourced, spans, whole_surrogates

RAWS = msgspec.json.Decoder(list[msgspec.Raw])
TEXT = msgspec.json.Decoder(str)


def test_a_raw_is_found_by_its_place() -> None:
    """Two equal elements stand in different places."""
    body = b'[ "a", "a" ]'
    assert [offset(raw, body) for raw in RAWS.decode(body)] == [2, 7]


@pytest.mark.parametrize("array", [b"[1,22,333]", b"[ 1 , 22,\n333 ]", b"[1,22 ,333]"])
def test_spans_leave_out_the_blanks_between(array: bytes) -> None:
    """Each element is what is written, whatever blanks stand around it."""
    assert list(spans(RAWS.decode(array), array, array)) == [b"1", b"22", b"333"]


def test_blanks_that_make_up_for_each_other_are_seen() -> None:
    """A blank in front of one comma and none in front of the next is no compact array."""
    array = b'[ {"a":1},{"b":2} , {"c":3}]'
    assert list(spans(RAWS.decode(array), array, array)) == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


def test_no_elements_no_spans() -> None:
    """An empty array has no spans."""
    assert list(spans(RAWS.decode(b"[]"), b"[]", b"[]")) == []


def test_elements_keep_their_spelling() -> None:
    """Numbers, escapes and inner blanks stay as they are written."""
    assert elements(b'[1.50, "\\u0061", {"a" : 1e3}]') == [b"1.50", b'"\\u0061"', b'{"a" : 1e3}']


def test_elements_keep_half_a_surrogate() -> None:
    """A half surrogate is found and stays as it was sent."""
    assert elements(b'["\\ud83d","b"]') == [b'"\\ud83d"', b'"b"']


@pytest.mark.parametrize(("at", "past"), [(0, 0), (1, 5), (5, 5), (6, 6)])
def test_blanks_are_passed(at: int, past: int) -> None:
    """Space, tab, line feed and carriage return are blanks; the end of the body ends them."""
    assert past_blanks(b"a \t\r\nb", at) == past


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        (rb'"\ud83d"', rb'"\ufffd"'),
        (rb'"\uDE00"', rb'"\ufffd"'),
        (rb'"\ud83d\ude00"', rb'"\ud83d\ude00"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\\\ud83d"', rb'"\\\ufffd"'),
        (rb'"\u00e9"', rb'"\u00e9"'),
    ],
)
def test_half_a_surrogate_becomes_a_whole_character(written: bytes, whole: bytes) -> None:
    """An escape without its other half becomes the replacement character, at the same length; nothing else changes."""
    assert whole_surrogates(written) == whole


def test_what_decodes_is_its_own_source() -> None:
    """A body without fault is decoded as it is, not copied."""
    body = b'"a"'
    assert sourced(TEXT, body)[1] is body


def test_half_a_surrogate_is_read_as_a_replacement() -> None:
    """A text that ends in half an emoji is readable."""
    assert decoded(TEXT, rb'"a\ud83d"') == "a\ufffd"


@pytest.mark.parametrize("data", [b"", b'"a', b"1", b'"\xff"', b'"a" b', rb'"\ud83d', b"[" * 100_000])
def test_what_is_no_value_of_the_kind_is_unreadable(data: bytes) -> None:
    """Broken JSON, broken UTF-8, another type or bottomless nesting: one error."""
    with pytest.raises(Unreadable):
        decoded(TEXT, data)
