"""The seams: what the fold asks of a surface."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from .edit import Addition, Layout
from .span import Spans
from .told import Told
from .transcript import Limits, Shape, View


class Exchange(NamedTuple):
    """A call with its result, normalised, for the loop guard: name, arguments as sent, text of the result."""

    name: str
    arguments: bytes
    result: str


class Names(msgspec.Struct, frozen=True):
    """Members of a body that may name its session, as they are."""

    session_id: Any = None
    user: Any = None
    metadata: Any = None
    prompt_cache_key: Any = None


class Request(NamedTuple):
    """A request body read into spans.

    items: the caller's bytes of each message; state: the provider holds the history; moving_mark: a breakpoint that
    the provider itself moves along the newest message, as JSON.
    """

    body: bytes
    items: Spans
    model: str
    state: bool = False
    moving_mark: bytes = b""
    names: Names = Names()


class Surface(Protocol):
    """One provider format. Pure: no I/O, no state."""

    @property
    def name(self) -> str:
        """What it is called, such as `openai-chat`."""

    @property
    def list_key(self) -> str:
        """The member that is the message list."""

    @property
    def shape(self) -> Shape:
        """What it demands of that list."""

    def read(self, body: bytes, path: str = "") -> Request:
        """Split a body into spans; the model is that of the path where the body has none. Raises Unreadable."""

    def view(self, item: bytes, limits: Limits) -> View:
        """What the fold needs of an item. Raises Unreadable."""

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        """The user message (None: a new one) with the additions behind its content."""

    def without_thinking(self, item: bytes) -> bytes:
        """The message without its thinking; as it is where nothing else is in it."""

    def with_breakpoint(self, request: Request, views: Sequence[View], layout: Layout, always: bool) -> Layout:
        """The layout with a cache breakpoint on the newest block of ours, where one is free (`always`: unasked too)."""

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        """The calls in the items that have a result there, in order."""

    def results(self, item: bytes) -> list[Told]:
        """The tool results of the caller in an item, in order. Raises Unreadable."""

    def normal(self, item: bytes) -> bytes:
        """The item without cache marks and with one spelling, for digests."""
