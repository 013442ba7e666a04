"""The seams of the agent: a row of its log, whoever answers it, and a tool that it has."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

import msgspec

from foldpoint.core.conversation import Row, Speaker, ToolCall
from foldpoint.core.usage import Usage

__all__ = ["Answer", "Asker", "Dialect", "Log", "Outcome", "Row", "Speaker", "Stop", "Tool", "ToolCall", "ToolSpec"]

Stop = Literal["end", "calls", "length", "refused"]


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

    def rows(self, conversation: str) -> list[Row]:
        """All of them, in order."""

    def append(self, conversation: str, row: Row) -> Row:
        """Write the row behind the last one, and give it back as it is kept.

        `row.seq` is the next number, or somebody else writes, too: raises StoreError.
        """

    def start(self, conversation: str, seq: int, call_id: str) -> None:
        """Note, for good, that a call is about to run which row `seq` asks for."""

    def started(self, conversation: str) -> set[tuple[int, str]]:
        """The calls that were about to run."""

    def verify(self, conversation: str) -> int:
        """How many rows stand as they were written. Raises StoreError, which names the first one that does not."""

    def hold(self, conversation: str) -> AbstractContextManager[None]:
        """Keep the conversation for this process as long as it lives. Raises StoreError where another one has it."""
