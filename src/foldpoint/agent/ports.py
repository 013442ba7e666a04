"""The seams of the agent: a row of its log, whoever answers it, and a tool that it has."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

import msgspec

from foldpoint.core.usage import Usage

Speaker = Literal["user", "assistant", "tool"]
Stop = Literal["end", "calls", "length", "refused"]


class ToolCall(msgspec.Struct, frozen=True):
    """A call that the model asks for; `arguments` is its JSON text, as the model wrote it."""

    id: str
    name: str
    arguments: str


class Row(msgspec.Struct, frozen=True):
    """A message of a conversation, `seq` counted from 1.

    calls: what an assistant's message asks for; tool_call_id, name: the call that a tool's message answers;
    failed: the tool failed. surface, native: an assistant's message as its provider spelled it (the JSON of the
    message, or of the list of items), to be sent back as it is on that surface.
    created_at: seconds since the epoch. trigger: of a user's message, the trigger that it came by.
    """

    seq: int
    role: Speaker
    content: str
    calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    failed: bool = False
    surface: str = ""
    native: bytes = b""
    created_at: float = 0.0
    trigger: str = ""


class ToolSpec(msgspec.Struct, frozen=True):
    """What a model is told of a tool; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Outcome(msgspec.Struct, frozen=True):
    """What a tool gave: a text, and whether it failed."""

    text: str
    failed: bool = False


class Tool(Protocol):
    """A tool of the agent. A fault of the tool is an Outcome that says so; only a fault of ours is raised."""

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Do it. Cancelled, it stops what it started."""


class Answer(msgspec.Struct, frozen=True):
    """What the model answered; `native` is its message as the surface spells it, to be sent back as it is."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    native: bytes
    usage: Usage | None = None


class Dialect(Protocol):
    """A provider format, both ways."""

    @property
    def surface(self) -> str:
        """The surface that it speaks, such as `anthropic`."""

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """The request for the next answer, streaming asked for; the same rows always give the same bytes."""


class Asker(Protocol):
    """Whoever answers a request body."""

    async def ask(self, body: bytes, say: Callable[[str], None]) -> Answer:
        """Send it; each piece of the answer's text is said as it comes. Raises AskError."""


class Log(Protocol):
    """The log of agents' conversations, of which nothing is ever changed. Methods block, and raise StoreError."""

    def current(self, agent: str) -> str:
        """The agent's conversation; the first one is made here."""

    def reset(self, agent: str) -> str:
        """Begin a new conversation of the agent; the ones before stay."""

    def conversations(self, agent: str) -> list[str]:
        """All of the agent's, the oldest first."""

    def rows(self, conversation: str) -> list[Row]:
        """All of them, in order."""

    def append(self, conversation: str, row: Row) -> None:
        """Write the row behind the last one: `row.seq` is the next number, or somebody else writes, too (Raises
        StoreError)."""

    def start(self, conversation: str, call_id: str) -> None:
        """Note, for good, that the call is about to run."""

    def started(self, conversation: str) -> set[str]:
        """The calls that were about to run."""

    def verify(self, conversation: str) -> int:
        """How many rows stand as they were written. Raises StoreError, which names the first one that does not."""

    def hold(self, conversation: str) -> AbstractContextManager[None]:
        """Keep the conversation for this process as long as it lives. Raises StoreError where another one has it."""
