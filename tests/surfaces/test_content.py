"""Values that several surfaces read alike."""

import msgspec
import pytest

from foldpoint.surfaces.content import arguments, content_span, marked, normal, same_reminder_apart


@pytest.mark.parametrize(
    ("item", "span"),
    [
        (b'{"role":"user","content":"a"}', (25, b'"a"')),
        (b'{"content" : [ 1 ] , "role":"user"}', (13, b"[ 1 ]")),
        (b'{"content":"a","content":"b"}', (25, b'"b"')),
        (rb'{"x":"\ud83d","content":"\ud83d"}', (24, rb'"\ud83d"')),
        (b'{"role":"user","content":null}', (25, b"null")),
        (b'{"role":"user"}', (0, b"")),
    ],
)
def test_a_content_is_found_where_it_stands(item: bytes, span: tuple[int, bytes]) -> None:
    """The place and the bytes of a message's content; of two the last."""
    assert content_span(item) == span


@pytest.mark.parametrize(("value", "is_set"), [({"type": "ephemeral"}, True), ({}, True), (None, False)])
def test_a_mark_is_a_member_that_is_set(value: object, is_set: bool) -> None:
    """Null, or nothing, is no mark."""
    assert marked(value) is is_set


def test_arguments_are_read_as_written() -> None:
    """Number spelling and blanks are the caller's; of long arguments only the beginning is read."""
    assert arguments(msgspec.Raw(b'{"a": 1.50,' + b'"b":1' * 99), 1) == '{"a": 1.'


def test_arguments_are_cut_between_characters() -> None:
    """Half a UTF-8 sequence at the end of what is read is left out."""
    assert arguments(msgspec.Raw('"1234567é"'.encode()), 1) == '"1234567'


@pytest.mark.parametrize(
    "other",
    [
        b'{"role":"user","content":"a"}',
        b'{"content":"a","role":"user"}',
        b'{"role": "user", "content": [{"type": "text", "text": "a"}]}',
        b'{"role":"user","content":[{"text":"a","type":"text","cache_control":{"type":"ephemeral"}}]}',
        b'{"role":"user","content":[{"text":"\\u0061","type":"text","prompt_cache_breakpoint":{}}]}',
        b'{"role":"user","cache_control":{"type":"ephemeral"},"content":"a"}',
    ],
)
def test_spelling_and_marks_are_apart_from_what_is_said(other: bytes) -> None:
    """Order, blanks, escapes, cache marks, and a text as a list of one block: one normal form."""
    assert normal(other) == b'{"content":"a","role":"user"}'


def test_a_result_of_one_text_is_that_text() -> None:
    """Inside a result the two forms are one as well."""
    listed = b'{"content":[{"type":"tool_result","content":[{"type":"text","text":"a"}]}]}'
    plain = b'{"content":[{"content":"a","type":"tool_result"}]}'
    assert (normal(listed), normal(plain)) == (plain, plain)


def test_a_block_with_more_than_its_text_stays() -> None:
    """Citations are content: such a block is not the same as its text."""
    item = b'{"content":[{"citations":[],"text":"a","type":"text"}]}'
    assert normal(item) == item


def test_big_integers_are_kept() -> None:
    """A 20-digit integer is itself in the normal form."""
    assert normal(b'{"n":12345678901234567890}') == b'{"n":12345678901234567890}'


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("ok", "ok"),
        ("ok\n\n<system-reminder>12:01</system-reminder>", "ok"),
        ("ok\n<system-reminder>12:01</system-reminder>\n", "ok"),
        ("<system-reminder>a</system-reminder> ok", "<system-reminder>a</system-reminder> ok"),
        ("ok <system-reminder>never closed", "ok <system-reminder>never closed"),
    ],
)
def test_a_reminder_behind_a_result_is_left_out(text: str, without: str) -> None:
    """Only what the client hung behind a result is none of it."""
    assert same_reminder_apart(text) == without
