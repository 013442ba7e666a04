"""The log of agents' conversations: rows are appended and never changed, and each vouches for those before it."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from secrets import token_hex
from typing import Any

import msgspec

from foldpoint.core.conversation import Row, ToolCall

from .base import StoreError
from .columns import held
from .database import Database, Insert

COLUMNS = (
    "seq", "role", "content", "calls", "tool_call_id", "name", "failed", "surface", "native", "created_at",
    "trigger_id",
)  # fmt: skip
_CALLS = msgspec.json.Decoder(tuple[ToolCall, ...])
Lease = Callable[[str], AbstractContextManager[None]]
"""Keeps a conversation for this process as long as it lives."""


class Conversations:
    """Implements the agent's Log on a database; `lease` is how a conversation is held there."""

    def __init__(self, database: Database, lease: Lease, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock
        self.hold = lease
        self.close = database.close

    def current(self, agent: str) -> str:
        """The agent's conversation; the first one is made here."""
        known = self.conversations(agent)
        return known[-1] if known else self._begin(agent, 1)

    def reset(self, agent: str) -> str:
        """Begin a new conversation of the agent; the ones before stay."""
        return self._begin(agent, len(self.conversations(agent)) + 1)

    def conversations(self, agent: str) -> list[str]:
        """All of the agent's, the oldest first."""
        found = self._database.rows("SELECT id FROM conversation WHERE agent = ? ORDER BY number", (held(agent),))
        return [id for (id,) in found]

    def rows(self, conversation: str) -> list[Row]:
        """All of them, in order. Raises StoreError, which names the first one that cannot be read."""
        found = []
        for *values, _ in self._stored(conversation):
            try:
                found.append(_row(values))
            except (msgspec.MsgspecError, TypeError, UnicodeError):
                raise StoreError(_spoilt(conversation, values[0])) from None
        return found

    def append(self, conversation: str, row: Row) -> Row:
        """Write the row behind the last one, and give it back as it is kept.

        Raises StoreError where there is a row with its number already.
        """
        last = self._database.rows(
            "SELECT seq, digest FROM message WHERE conversation = ? ORDER BY seq DESC LIMIT 1", (conversation,)
        )
        before, digest = last[0] if last else (0, b"")
        values = _values(row)
        mine = _digest(_bytes(digest), values)
        if row.seq == before + 1:
            columns = ("conversation", *COLUMNS, "digest")
            self._database.insert(Insert("message", columns, [(conversation, *values, mine)]))
            written = self._database.rows(
                "SELECT digest FROM message WHERE conversation = ? AND seq = ?", (conversation, row.seq)
            )
            if written and _bytes(written[0][0]) == mine:
                return _row(values)
        raise StoreError(
            f"conversation {conversation}: message {row.seq} is there already or does not follow the last one: another "
            "process writes it; stop one of them"
        )

    def start(self, conversation: str, seq: int, call_id: str) -> None:
        """Note, for good, that a call is about to run which row `seq` asks for."""
        row = (conversation, seq, held(call_id), self._clock())
        columns = ("conversation", "seq", "tool_call_id", "started_at")
        self._database.insert(Insert("call_start", columns, [row]))

    def started(self, conversation: str) -> set[tuple[int, str]]:
        """The calls that were about to run."""
        query = "SELECT seq, tool_call_id FROM call_start WHERE conversation = ?"
        return {(seq, id) for seq, id in self._database.rows(query, (conversation,))}

    def verify(self, conversation: str) -> int:
        """How many rows stand as they were written. Raises StoreError, which names the first one that does not."""
        digest, expected = b"", 1
        for *values, stored in self._stored(conversation):
            digest = _digest(digest, tuple(values))
            if values[0] != expected or digest != _bytes(stored):
                raise StoreError(_spoilt(conversation, expected))
            expected += 1
        return expected - 1

    def _stored(self, conversation: str) -> list[tuple[Any, ...]]:
        columns = ", ".join((*COLUMNS, "digest"))
        return self._database.rows(
            f"SELECT {columns} FROM message WHERE conversation = ? ORDER BY seq", (conversation,)
        )

    def _begin(self, agent: str, number: int) -> str:
        """The conversation of that number; where somebody else has just begun it, that one."""
        row = (held(agent), number, f"c_{token_hex(12)}", self._clock())
        self._database.insert(Insert("conversation", ("agent", "number", "id", "created_at"), [row]))
        return self.conversations(agent)[number - 1]


def _spoilt(conversation: str, seq: object) -> str:
    """What is said of a row that somebody changed."""
    return (
        f"conversation {conversation}: message {seq} is missing or is not as it was written: restore the log from a "
        "copy"
    )


def _bytes(value: Any) -> bytes:
    """The bytes of a column; none where somebody put something else there."""
    return bytes(value) if isinstance(value, (bytes, memoryview)) else b""


def _values(row: Row) -> tuple[Any, ...]:
    """A row as the database holds it."""
    # An id is cleaned here as it is in `start`, or a call that was begun would not be known again.
    calls = msgspec.json.encode([ToolCall(held(c.id), held(c.name), held(c.arguments)) for c in row.calls]).decode()
    return (
        row.seq, row.role, held(row.content), calls, held(row.tool_call_id), held(row.name), int(row.failed),
        held(row.surface), row.native, float(row.created_at), held(row.trigger),
    )  # fmt: skip


def _row(values: Sequence[Any]) -> Row:
    seq, role, content, calls, call_id, name, failed, surface, native, created_at, trigger = values
    return Row(
        seq,
        role,
        content,
        _CALLS.decode(calls),
        call_id,
        name,
        bool(failed),
        surface,
        bytes(native),
        created_at,
        trigger,
    )


def _digest(before: bytes, values: tuple[Any, ...]) -> bytes:
    """The digest of a row behind one with another digest."""
    said = [bytes(value) if isinstance(value, (bytes, memoryview)) else value for value in values]
    return sha256(before + msgspec.json.encode(said)).digest()
