"""What a surface reads in a request: items (spans of the caller's bytes) and a small view of each."""

from collections.abc import Callable
from typing import Literal

import msgspec

from .text import bare, one_line, spelled, weight

Role = Literal["system", "user", "assistant", "tool"]
BLOCK_SIZE = 16
MESSAGE_SIZE = 24
IMAGE_SIZE = 4_800
"""Bytes counted for a content block and for a message beside what they say, and for an image whatever its payload."""


Finder = Callable[[str, int], str]
"""Takes at most so many characters of a text for a line."""


class Limits(msgspec.Struct, frozen=True):
    """Characters that a line carries of a result (0 = whole) and up to which a text is carried word for word.

    finder: chooses what is carried of a result; without one it is the head.
    """

    head: int = 320
    verbatim: int = 240
    arguments: int = 200
    finder: Finder | None = None

    @property
    def reach(self) -> int:
        """The length for which a result is read; 0 = whole."""
        return self.head if self.finder is None else 0

    def told(self, text: str) -> str:
        """What a line carries of a result's text."""
        return one_line(text, self.head) if self.finder is None else self.finder(text, self.head)


class Call(msgspec.Struct, frozen=True, gc=False):
    """A tool call.

    `id` is empty where the surface has none; `name` is as a line says it.
    """

    id: str
    name: str


class Result(msgspec.Struct, frozen=True, gc=False):
    """A tool result: the call it answers, what a line says of it, and the images in it.

    head: in the spelling of JSON; size: bytes of it in UTF-8; name: the tool's, where the result itself says it.
    """

    id: str
    head: bytes
    size: int
    name: str = ""
    images: int = 0

    def said(self, name: str) -> bytes:
        """The part of a line that says it, as JSON spells it: the result of a tool of that name."""
        return spelled(lead_of(self.id, name or self.name)) + self.head


def lead_of(call_id: str, name: str) -> str:
    """What a line says in front of a result's head."""
    return f"tool_result[{bare(call_id)}] {name}: "


class View(msgspec.Struct, frozen=True, gc=False):
    """What the fold needs to know of one item; two items with equal views fold alike.

    size: bytes of the normalised content: cache marks and the form of a text left out.
    line: what its own text and its calls become in a line of the summary, in the spelling of JSON (empty where it has
    none).
    asks: the id of its one call, which has a name; answers: of the one call it answers; where the item holds nothing
    else that matters.
    said: what such an item adds to its turn's line, in the spelling of JSON: the action all up to the result's head;
    share: bytes of that in UTF-8.
    results: the tool results of the caller in it (a server tool's result is part of `line`).
    calls: all calls; answered: the ids of results that stand in the item itself (server tools).
    thinking: bytes of thinking in it.
    own, own_images: bytes and images that are neither a result nor a call: what carrying it as it is would take.
    marked: a cache breakpoint stands on it, or something else that would be lost if its turn were sealed. history: it
    stands for turns the provider compacted away.
    alone: it can only be a message of its own (it has members that a merge would lose).
    """

    role: Role
    size: int
    line: bytes = b""
    asks: str = ""
    answers: str = ""
    said: bytes = b""
    share: int = 0
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    answered: tuple[str, ...] = ()
    own: int = 0
    own_images: int = 0
    marked: bool = False
    history: bool = False
    alone: bool = False
    thinking: int = 0


def action_view(
    size: int,
    parts: list[str],
    calls: list[Call],
    answered: list[str],
    marked: bool,
    history: bool = False,
    thinking: int = 0,
) -> View:
    """The view of an assistant's item."""
    text = " | ".join([part for part in parts if part])
    line = spelled(text)
    if len(calls) != 1 or not calls[0].name or answered or marked or history:
        return View(
            role="assistant",
            size=size,
            line=line,
            calls=tuple(calls),
            answered=tuple(answered),
            marked=marked,
            history=history,
            thinking=thinking,
        )
    lead = " | " + lead_of(calls[0].id, calls[0].name)
    share = weight(text) + weight(lead)
    said = line + spelled(lead)
    return View("assistant", size, line, calls[0].id, "", said, share, (calls[0],), thinking=thinking)


def result_of(call_id: str, head: str, name: str = "", images: int = 0) -> Result:
    """A tool result as a line says it."""
    return Result(call_id, spelled(head), weight(head), name, images)


def result_view(role: Role, size: int, result: Result, marked: bool) -> View:
    """The view of an item that is one tool result and nothing else."""
    if marked or result.images:
        return View(role, size, results=(result,), marked=marked)
    return View(role, size, b"", "", result.id, result.head, result.size, (), (result,))


class Shape(msgspec.Struct, frozen=True):
    """What a surface demands of a message list.

    strict_turns: user and assistant take turns, and results stand in a user message: content of ours can only be
    merged into a user message that is there. system_inside: a system message is tied to its place between a user and
    an assistant message. numbers_calls: a call may come without an id; its view then has `name#` for one.
    """

    strict_turns: bool
    system_inside: bool = False
    numbers_calls: bool = False
