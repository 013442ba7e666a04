"""What a surface reads in a request: items (spans of the caller's bytes) and a small view of each."""

from typing import Literal

import msgspec

from .text import bare, wide

Role = Literal["system", "user", "assistant", "tool"]
BLOCK_SIZE = 16
MESSAGE_SIZE = 24
IMAGE_SIZE = 4_800
"""Bytes counted for a content block and for a message beside what they say, and for an image whatever its payload."""


class Limits(msgspec.Struct, frozen=True):
    """Characters that a line carries of a result (0 = whole) and up to which a text is carried word for word."""

    head: int = 320
    verbatim: int = 240
    arguments: int = 200


class Call(msgspec.Struct, frozen=True, gc=False):
    """A tool call.

    `id` is empty where the surface has none; `name` is as a line says it, `wide` its bytes over characters.
    """

    id: str
    name: str
    wide: int = 0


class Result(msgspec.Struct, frozen=True, gc=False):
    """A tool result: the call it answers, what a line says before and behind the tool's name, and the images in it.

    name: the tool's, where the result itself names it; wide: bytes over characters of `lead` and `head`.
    """

    id: str
    lead: str
    head: str
    wide: int
    name: str = ""
    images: int = 0


class View(msgspec.Struct, frozen=True, gc=False):
    """What the fold needs to know of one item; two items with equal views fold alike.

    size: bytes of the normalised content: cache marks and the form of a text left out.
    line: what its own text and its calls become in a line of the summary (empty where it has none), `wide` its bytes
    over characters.
    single: the id of the one call, or of the one result, where the item holds nothing else that matters.
    results: the tool results of the caller in it (a server tool's result is part of `line`).
    calls: all calls; answered: the ids of results that stand in the item itself (server tools).
    thinking: bytes of thinking in it.
    own, own_images: bytes and images that are neither a result nor a call: what carrying it as it is would take.
    marked: a cache breakpoint stands on it. history: it stands for turns the provider compacted away.
    alone: it can only be a message of its own (it has members that a merge would lose).
    """

    role: Role
    size: int
    line: str = ""
    wide: int = 0
    single: str = ""
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
    line = " | ".join([part for part in parts if part])
    return View(
        role="assistant",
        size=size,
        line=line,
        wide=wide(line),
        single=calls[0].id if len(calls) == 1 and not (answered or marked or history) else "",
        calls=tuple(calls),
        answered=tuple(answered),
        marked=marked,
        history=history,
        thinking=thinking,
    )


def call_of(call_id: str, name: str) -> Call:
    """A call; `name` as a line says it."""
    return Call(call_id, name, wide(name))


def result_of(call_id: str, head: str, name: str = "", images: int = 0) -> Result:
    """A tool result as a line says it."""
    lead = f"tool_result[{bare(call_id)}] "
    return Result(call_id, lead, head, wide(lead) + wide(head), name, images)


def result_view(role: Role, size: int, result: Result, marked: bool) -> View:
    """The view of an item that is one tool result and nothing else."""
    single = "" if marked or result.images else result.id
    return View(role, size, "", 0, single, (), (result,), (), 0, 0, marked)


class Shape(msgspec.Struct, frozen=True):
    """What a surface demands of a message list.

    strict_turns: user and assistant take turns, and results stand in a user message: content of ours can only be
    merged into a user message that is there. system_inside: a system message is tied to its place between a user and
    an assistant message. numbers_calls: a call may come without an id; its view then has `name#` for one.
    """

    strict_turns: bool
    system_inside: bool = False
    numbers_calls: bool = False
