"""What a surface adds to the simulated provider: how it refuses, answers, streams and counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from foldpoint.lab.cache import Charge

from .refusal import Refused
from .reply import Reply


class Answered(msgspec.Struct, frozen=True):
    """An answer with all that its form needs: a deterministic id, the request it is for, what it is billed.

    `dropped`: the thinking that was left out of the prompt; None where nobody asked for that to be said.
    """

    id: str
    body: Mapping[str, Any]
    reply: Reply
    charge: Charge
    dropped: list[dict[str, str]] | None = None

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body["model"])


class Dialect(Protocol):
    """One surface, or a provider's own form of it (`errors_of` says whose errors it has)."""

    surface: str
    errors_of: str
    request_id_header: str

    @property
    def stream_type(self) -> str:
        """The content type of a stream."""

    def check(self, body: Mapping[str, Any]) -> None:
        """Raise Refused where the real provider would."""

    def limit(self, body: Mapping[str, Any]) -> int | None:
        """The most tokens that may be answered."""

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The conversation as messages of blocks, for whoever finds the answer."""

    def whole(self, answered: Answered) -> dict[str, Any]:
        """The answer as one object."""

    def events(self, answered: Answered) -> Iterator[bytes]:
        """The answer as the events of a stream, each as it is written."""

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        """The body of an error."""


EVENTS = "text/event-stream; charset=utf-8"
PIECE = 16
"""Characters of a streamed text that come at once."""


def pieces(text: str) -> Iterator[str]:
    """A text in pieces, as a model's answer comes."""
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"
