"""Where the session and the transcript of a request are read from."""

import json
from typing import Any

import pytest
from multidict import CIMultiDict

from foldpoint.gateway.sessions import MOST_CUTS, Handle, handle_of, names_of, without_session_id

OPENING = "00112233aabbccdd"
INSIDE = json.dumps({"device_id": "d", "account_uuid": "", "session_id": "in-user-id"})
EVERYTHING: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("x-ace", {"x-ace-session": "x-ace"}, {}),
    ("given", {}, {"session_id": "given"}),
    ("claude", {"X-Claude-Code-Session-Id": "claude"}, {}),
    ("in-user-id", {}, {"metadata": {"user_id": INSIDE}}),
    ("codex", {"session-id": "codex"}, {}),
    ("cache-key", {}, {"prompt_cache_key": "cache-key"}),
    ("x-session", {"x-session-id": "x-session"}, {}),
]


def handle(headers: dict[str, str], body: object, opening: str = OPENING) -> Handle:
    return handle_of(CIMultiDict(headers), names_of(json.dumps(body).encode()), opening)


@pytest.mark.parametrize("first", range(len(EVERYTHING)))
def test_the_first_of_the_places_names_the_session(first: int) -> None:
    """Each place wins over all that stand behind it."""
    names = EVERYTHING[first:]
    headers = {name: value for _, given, _ in names for name, value in given.items()}
    body = {"messages": [], "user": "u", **{name: value for *_, fields in names for name, value in fields.items()}}
    assert handle(headers, body, "").session == names[0][0]


@pytest.mark.parametrize("body", [{"metadata": {"user_id": INSIDE}}, {"prompt_cache_key": "in-user-id"}])
def test_the_bodys_own_field_wins_over_the_opening_messages(body: object) -> None:
    """Claude Code's on the Messages API, Codex' on OpenAI's."""
    assert handle({}, body) == Handle("in-user-id", OPENING)


def test_without_a_name_the_opening_messages_are_the_session() -> None:
    """`user` is no session where there are opening messages."""
    assert handle({}, {"user": "u", "messages": [1]}) == Handle(OPENING, OPENING)


def test_user_is_the_last_resort() -> None:
    """Where there are no opening messages."""
    assert handle({}, {"user": "u"}, opening="") == Handle("u", "")


def test_the_old_form_of_claude_codes_user_id_names_the_session() -> None:
    """`user_<hash>_account_<uuid>_session_<uuid>`."""
    user = "user_0a_account_1b_session_aaaa-bbbb"
    assert handle({}, {"metadata": {"user_id": user}}).session == "aaaa-bbbb"


@pytest.mark.parametrize(
    "metadata", [None, 7, [], {}, {"user_id": 7}, {"user_id": "u"}, {"user_id": "{"}, {"user_id": "[1]"}]
)
def test_metadata_of_others_names_no_session(metadata: object) -> None:
    """Odd values are passed over."""
    assert handle({}, {"metadata": metadata}).session == OPENING


def test_sub_agents_share_a_session_and_no_transcript() -> None:
    """The agent id and the opening messages tell transcripts apart."""
    session = {"x-claude-code-session-id": "s"}
    assert [
        handle(session, {}),
        handle({**session, "x-claude-code-agent-id": "a"}, {}),
        handle(session, {}, opening="ff"),
    ] == [Handle("s", OPENING), Handle("s", f"a:{OPENING}"), Handle("s", "ff")]


def test_a_handle_is_bounded() -> None:
    """A client can't fill the store with one."""
    assert len(handle({"x-ace-session": "x" * 5000}, {}).session) == 256


@pytest.mark.parametrize("body", [b'{"a": "\\"session_id\\""}', b'{"messages": [{"session_id": "x"}]}', b"[1]", b"{"])
def test_only_a_member_of_the_body_itself_is_its_session_id(body: bytes) -> None:
    """A text that says so, and a message's member, are none."""
    assert names_of(body).session_id is None


def test_half_a_surrogate_pair_hides_no_session_id() -> None:
    """The rest of the body is still read."""
    assert names_of(b'{"messages": ["\\ud83d"], "session_id": "s"}').session_id == "s"


@pytest.mark.parametrize(
    ("body", "cut"),
    [
        (b'{"a": 1}', b'{"a": 1}'),
        (b'{"session_id": "x", "a": {"session_id": "y"}}', b'{"a": {"session_id": "y"}}'),
        (b'{"session_id": "x", "a": 1, "session_id": null, "session_id": "z"}', b'{"a": 1}'),
    ],
)
def test_every_session_id_at_the_top_is_cut_out(body: bytes, cut: bytes) -> None:
    """And none further in."""
    assert without_session_id(body) == cut


def test_cuts_are_bounded() -> None:
    """A body of nothing but session ids does not keep the gateway busy."""
    body = b"{" + b",".join([b'"session_id":"x"'] * (MOST_CUTS + 2)) + b"}"
    assert without_session_id(body).count(b"session_id") == 2
