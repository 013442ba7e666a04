"""Which session and transcript a request belongs to, read from what the client already sends.

The handle groups records; it never changes the fold.
"""

import re
from collections.abc import Mapping

import msgspec

from foldpoint.surfaces.splice import without_member

LONGEST = 256
CLAUDE_CODE_USER = re.compile(r"_session_([0-9A-Za-z-]+)$")


class Handle(msgspec.Struct, frozen=True):
    """The session of a request and the transcript inside it (sub-agents share a session, never a transcript)."""

    session: str = ""
    transcript: str = ""


class Hints(msgspec.Struct):
    """The body's fields that may name a session, undecoded."""

    metadata: msgspec.Raw = msgspec.Raw(b"null")
    prompt_cache_key: msgspec.Raw = msgspec.Raw(b"null")
    user: msgspec.Raw = msgspec.Raw(b"null")


HINTS = msgspec.json.Decoder(Hints)


def without_session_id(body: bytes) -> tuple[bytes, str]:
    """The body with its top-level `session_id` cut out, and that id. The body itself where it has none."""
    if b'"session_id"' not in body:
        return body, ""
    rest, value = without_member(body, "session_id")
    return rest, word(value)


def handle_of(headers: Mapping[str, str], given: str, body: bytes, opening: str) -> Handle:
    """The handle of a request.

    Args:
        headers: the request's headers, by names in any case.
        given: the `session_id` that stood in the body, or nothing.
        body: the request's body without it; empty where it was not read.
        opening: the digest of the opening messages, or nothing where they are not known.
    """
    agent = headers.get("x-claude-code-agent-id", "")
    transcript = f"{agent}:{opening}" if agent and opening else agent or opening
    return Handle(session_of(headers, given, body, opening)[:LONGEST], transcript[:LONGEST])


def session_of(headers: Mapping[str, str], given: str, body: bytes, opening: str) -> str:
    """The first of the places that name a session."""
    named = headers.get("x-ace-session") or given or headers.get("x-claude-code-session-id")
    if named:
        return named
    hints = hints_of(body) if not opening or b'"metadata"' in body or b'"prompt_cache_key"' in body else Hints()
    return (
        claude_code_session(hints.metadata)
        or headers.get("session-id")
        or word(decoded(hints.prompt_cache_key))
        or headers.get("x-session-id")
        or opening
        or word(decoded(hints.user))
    )


def claude_code_session(metadata: msgspec.Raw) -> str:
    """The session inside Claude Code's `metadata.user_id`: JSON in a string, or `…_session_<uuid>`."""
    fields = decoded(metadata)
    user = word(fields.get("user_id")) if isinstance(fields, dict) else ""
    if not user.startswith("{"):
        found = CLAUDE_CODE_USER.search(user)
        return found[1] if found else ""
    inner = decoded(user)
    return word(inner.get("session_id")) if isinstance(inner, dict) else ""


def hints_of(body: bytes) -> Hints:
    """The body's hints; none where it can't be read."""
    try:
        return HINTS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Hints()


def decoded(value: msgspec.Raw | str) -> object:
    """A JSON value, or None where it is not one."""
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def word(value: object) -> str:
    """The value where it is a text, else nothing."""
    return value if isinstance(value, str) else ""
