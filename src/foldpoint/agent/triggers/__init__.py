"""What sets an agent to work while it is watched: files put into a directory, requests over HTTP."""

from collections.abc import AsyncIterator
from typing import Protocol


class Trigger(Protocol):
    """A text to work on. Its id is the same when it comes again after a crash: one that is in the log is not new."""

    @property
    def id(self) -> str:
        """At most 300 characters."""

    @property
    def text(self) -> str:
        """What the agent is told."""

    async def done(self) -> None:
        """It was worked on and does not come again."""

    async def failed(self, reason: str) -> None:
        """It could not be worked on, and does not come again."""


class Triggers(Protocol):
    """Triggers one after another; waits for the next, and never ends by itself."""

    def __aiter__(self) -> AsyncIterator[Trigger]:
        """In the order in which they are to be worked on."""
