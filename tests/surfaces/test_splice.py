"""Folded bodies are the caller's bytes, spliced; a member is cut out byte for byte."""

from typing import Any

import pytest

from foldpoint.core.edit import Layout, Slot
from foldpoint.surfaces import SURFACES
from foldpoint.surfaces.splice import front_of, spliced, without_member, written
from transcripts import block

ANTHROPIC = SURFACES["anthropic"]
BODY = b"""{ "model" : "m", "temperature": 1.0,
 "messages" : [ {"role":"user","content":"a"} , {"role":"assistant","content":"b"},
   {"role":"user","content":"c" , "x":1e2} ] , "top_p":0.50 }"""


def folded(body: bytes, layout: Layout) -> bytes:
    request = ANTHROPIC.read(body)
    return spliced(request, front_of(ANTHROPIC, request.items, layout), layout.tail)


def test_a_message_without_additions_is_written_as_it_came() -> None:
    """Slots without additions are the caller's own bytes."""
    items = ANTHROPIC.read(BODY).items
    assert written(ANTHROPIC, items, Layout((Slot(1), Slot(2)), 2)) == [
        b'{"role":"assistant","content":"b"}',
        b'{"role":"user","content":"c" , "x":1e2}',
    ]


def test_a_message_with_an_addition_is_extended() -> None:
    """A slot with an addition has it behind its content."""
    items = ANTHROPIC.read(BODY).items
    assert written(ANTHROPIC, items, Layout((Slot(0, (block("s"),)),), 1)) == [
        b'{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"s"}]}'
    ]


def test_a_new_message_holds_the_additions_alone() -> None:
    """A slot without an item is a user message of ours."""
    assert written(ANTHROPIC, [], Layout((Slot(None, (block("s"),)),), 0)) == [
        b'{"role":"user","content":[{"type":"text","text":"s"}]}'
    ]


def test_everything_around_the_list_stays() -> None:
    """Members in front and behind, their blanks and their spelling, and the tail are the bytes that came in."""
    assert (
        folded(BODY, Layout((Slot(0, (block("s"),)),), 2))
        == b"""{ "model" : "m", "temperature": 1.0,
 "messages" : [ {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"s"}]},\
{"role":"user","content":"c" , "x":1e2} ] , "top_p":0.50 }"""
    )


def test_of_two_message_lists_the_last_is_spliced() -> None:
    """The first of two members of one name stays as it is, and the last one counts."""
    body = b'{"messages":[{"old":1}],"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}'
    assert folded(body, Layout((Slot(0, (block("s"),)),), 1)) == (
        b'{"messages":[{"old":1}],"messages":[{"role":"user","content":[{"type":"text","text":"a"},'
        b'{"type":"text","text":"s"}]},{"role":"user","content":"b"}]}'
    )


@pytest.mark.parametrize(
    ("body", "left", "value"),
    [
        (b'{"session_id":"s","a":1}', b'{"a":1}', "s"),
        (b'{"a":1,"session_id":"s"}', b'{"a":1}', "s"),
        (b'{"a":1,"session_id":"s","b":2}', b'{"a":1,"b":2}', "s"),
        (b'{"session_id":"s"}', b"{}", "s"),
        (b'{ "a" : 1.0 , "session_id" : {"x": [1, 2]} , "b":2 }', b'{ "a" : 1.0 , "b":2 }', {"x": [1, 2]}),
        (b'{"a":1 ,\n "session_id": 7 \n}', b'{"a":1 }', 7),
        (b'{"session_id":"1","a":1,"session_id":"2"}', b'{"session_id":"1","a":1}', "2"),
        (rb'{"\u0073ession_id":"s","a":1}', b'{"a":1}', "s"),
        (rb'{"a":"\ud83d","session_id":"s"}', rb'{"a":"\ud83d"}', "s"),
        (rb'{"session_id":"\ud83d"}', b"{}", "\ufffd"),
        (b'{"session_id":null}', b"{}", None),
        (b'{"a":{"session_id":"s"}}', b'{"a":{"session_id":"s"}}', None),
        (rb'{"a":"\"session_id\":1,"}', rb'{"a":"\"session_id\":1,"}', None),
        (b'{"a":1}', b'{"a":1}', None),
        (b"[1]", b"[1]", None),
        (b"no json", b"no json", None),
        (b"", b"", None),
    ],
)
def test_a_member_is_cut_out(body: bytes, left: bytes, value: Any) -> None:
    """The member, its comma and its blanks are gone; every other byte stays; its value is handed over."""
    assert without_member(body, "session_id") == (left, value)


def test_a_body_without_the_member_is_the_same_object() -> None:
    """Nothing cut, nothing copied."""
    body = b'{"a":1}'
    assert without_member(body, "session_id")[0] is body
