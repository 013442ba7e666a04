"""Where the session and the transcript of a request are read from."""

import json
from typing import Any

import pytest
from multidict import CIMultiDict

from foldpoint.gateway.sessions import Handle, handle_of, without_session_id

OPENING = "00112233aabbccdd"
INSIDE = json.dumps({"device_id": "d", "account_uuid": "", "session_id": "in-user-id"})
EVERYTHING: list[tuple[str, dict[str, str], str, dict[str, Any]]] = [
    ("x-ace", {"x-ace-session": "x-ace"}, "", {}),
    ("given", {}, "given", {}),
    ("claude", {"X-Claude-Code-Session-Id": "claude"}, "", {}),
    ("in-user-id", {}, "", {"metadata": {"user_id": INSIDE}}),
    ("codex", {"session-id": "codex"}, "", {}),
    ("cache-key", {}, "", {"prompt_cache_key": "cache-key"}),
    ("x-session", {"x-session-id": "x-session"}, "", {}),
]


def handle(headers: dict[str, str], given: str, body: object, opening: str = OPENING) -> Handle:
    return handle_of(CIMultiDict(headers), given, json.dumps(body).encode(), opening)


@pytest.mark.parametrize("first", range(len(EVERYTHING)))
def test_the_first_of_the_places_names_the_session(first: int) -> None:
    """Each place wins over all that stand behind it."""
    names = EVERYTHING[first:]
    headers = {name: value for _, given, _, _ in names for name, value in given.items()}
    given = "".join(given for _, _, given, _ in names)
    body = {"messages": [], "user": "u", **{name: value for *_, fields in names for name, value in fields.items()}}
    assert handle(headers, given, body).session == names[0][0]


def test_without_a_name_the_opening_messages_are_the_session() -> None:
    """`user` is no session where there are opening messages."""
    assert handle({}, "", {"user": "u", "messages": [1]}) == Handle(OPENING, OPENING)


def test_user_is_the_last_resort() -> None:
    """Where there are no opening messages."""
    assert handle({}, "", {"user": "u"}, opening="") == Handle("u", "")


def test_the_old_form_of_claude_codes_user_id_names_the_session() -> None:
    """`user_<hash>_account_<uuid>_session_<uuid>`."""
    user = "user_0a_account_1b_session_aaaa-bbbb"
    assert handle({}, "", {"metadata": {"user_id": user}}).session == "aaaa-bbbb"


@pytest.mark.parametrize(
    "metadata", [None, 7, [], {}, {"user_id": 7}, {"user_id": "u"}, {"user_id": "{"}, {"user_id": "[1]"}]
)
def test_metadata_of_others_names_no_session(metadata: object) -> None:
    """Odd values are passed over."""
    assert handle({}, "", {"metadata": metadata}).session == OPENING


def test_sub_agents_share_a_session_and_no_transcript() -> None:
    """The agent id and the opening messages tell transcripts apart."""
    session = {"x-claude-code-session-id": "s"}
    assert [
        handle(session, "", {}),
        handle({**session, "x-claude-code-agent-id": "a"}, "", {}),
        handle(session, "", {}, opening="ff"),
    ] == [Handle("s", OPENING), Handle("s", f"a:{OPENING}"), Handle("s", "ff")]


def test_a_handle_is_bounded() -> None:
    """A client can't fill the store with one."""
    assert len(handle({"x-ace-session": "x" * 5000}, "", {}).session) == 256


def test_a_body_without_session_id_is_given_back_itself() -> None:
    """The same object."""
    body = b'{"a": "\\"session_id\\""}'
    assert without_session_id(body)[0] is body


def test_session_id_of_a_message_is_no_session() -> None:
    """Only the top level counts."""
    body = b'{"messages": [{"session_id": "x"}]}'
    assert without_session_id(body) == (body, "")
