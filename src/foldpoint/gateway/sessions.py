"""Which session and transcript a request belongs to, read from what the client already sends.

The handle groups records; it never changes the fold.
"""

import re
from collections.abc import Mapping

import msgspec

from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Names
from foldpoint.surfaces import spans
from foldpoint.surfaces.splice import without_member

LONGEST = 256
MOST_CUTS = 64
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
CLAUDE_CODE_USER = re.compile(r"_session_([0-9A-Za-z-]+)$")
NAMES = msgspec.json.Decoder(Names)


class Handle(msgspec.Struct, frozen=True):
    """The session of a request and the transcript inside it (sub-agents share a session, never a transcript)."""

    session: str = ""
    transcript: str = ""


def handle_of(headers: Mapping[str, str], names: Names, opening: str) -> Handle:
    """The handle of a request.

    Args:
        headers: the request's headers, by names in any case.
        names: what the body says that may name a session.
        opening: the digest of the opening messages, or nothing where they are not known.
    """
    agent = headers.get("x-claude-code-agent-id", "")
    transcript = f"{agent}:{opening}" if agent and opening else agent or opening
    return Handle(session_of(headers, names, opening)[:LONGEST], transcript[:LONGEST])


def session_of(headers: Mapping[str, str], names: Names, opening: str) -> str:
    """The first of the places that name a session."""
    return (
        headers.get("x-ace-session")
        or word(names.session_id)
        or headers.get("x-claude-code-session-id")
        or claude_code_session(names.metadata)
        or headers.get("session-id")
        or word(names.prompt_cache_key)
        or headers.get("x-session-id")
        or opening
        or word(names.user)
    )


def claude_code_session(metadata: object) -> str:
    """The session inside Claude Code's `metadata.user_id`: JSON in a string, or `…_session_<uuid>`."""
    user = word(metadata.get("user_id")) if isinstance(metadata, dict) else ""
    if not user.startswith("{"):
        found = CLAUDE_CODE_USER.search(user)
        return found[1] if found else ""
    inner = decoded(user)
    return word(inner.get("session_id")) if isinstance(inner, dict) else ""


def without_session_id(body: bytes) -> bytes:
    """The body without its `session_id`, however often it has one (up to `MOST_CUTS`: each cut reads the body)."""
    cut, _ = without_member(body, "session_id")
    for _ in range(1, MOST_CUTS):
        if b'"session_id"' not in cut:
            break
        body, (cut, _) = cut, without_member(cut, "session_id")
        if cut is body:
            break
    return cut


def names_of(body: bytes) -> Names:
    """What a body that no engine has read says; nothing where it can't be read."""
    try:
        return spans.decoded(NAMES, body)
    except Unreadable:
        return Names()


def decoded(text: str) -> object:
    """A JSON value, or None where it is not one."""
    try:
        return msgspec.json.decode(text)
    except UNREADABLE:
        return None


def word(value: object) -> str:
    """The value where it is a text, else nothing."""
    return value if isinstance(value, str) else ""
