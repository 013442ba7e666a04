"""The rows of a log as rounds: what the model said, what came of its calls, what the user said then."""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Literal, Protocol

import msgspec

from foldpoint.agent.ports import Row, ToolCall

from .texts import encoded

BEGINNING = "[The beginning of the conversation is not shown.]"
NO_RESULT = "[no result: the call was not run]"
FAILED = "[the tool failed]"
GO_ON = "Go on."
"""What the user says between two messages of the model where the log has nothing."""
MALFORMED = "malformed_arguments"
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")


class Result(msgspec.Struct, frozen=True):
    """A call, its id one that every provider takes, and what came of it; `own`: the id that the model's message has."""

    call: ToolCall
    own: str
    text: str
    failed: bool = False


class Round(msgspec.Struct, frozen=True):
    """A message of the model (None: before the first), the results of its calls in their order, and what follows."""

    said: Row | None
    results: tuple[Result, ...] = ()
    told: tuple[str, ...] = ()

    def native(self, surface: str) -> bytes:
        """The model's own message where it is of that surface; empty where there is none."""
        return self.said.native if self.said and self.said.surface == surface else b""

    def has(self, calls: Sequence[str]) -> bool:
        """Are these the ids of its calls, each once?"""
        return list(calls) == [result.own for result in self.results] and len(set(calls)) == len(calls)


class Form(Protocol):
    """How a surface spells the parts of a round."""

    def said(self, each: Round) -> tuple[list[Any], bool]:
        """The model's message, and whether it is its own, with its own ids; nothing where it says nothing."""

    def result(self, result: Result, name: str) -> Any:
        """The result of the call of that id."""

    def told(self, text: str) -> Any:
        """A text of the user."""


def turns(rows: Sequence[Row], form: Form) -> Iterator[tuple[Literal["user", "assistant"], list[Any]]]:
    """The parts of a log by who says them, in turn, the user first and last; a longer log only appends.

    What it takes besides (a word of the user between two messages of the model) is the same each time.
    """
    pending: list[Any] = []
    filler = BEGINNING
    for each in rounds(rows):
        said, own = form.said(each)
        if said:
            yield "user", pending or [form.told(filler)]
            yield "assistant", said
            pending, filler = [], GO_ON
        pending += [form.result(result, result.own if own else result.call.id) for result in each.results]
        pending += [form.told(text) for text in each.told]
    yield "user", pending or [form.told(filler)]


def rounds(rows: Sequence[Row]) -> Iterator[Round]:
    """The rounds of a log. A call without a result gets one that says so; a result without its call is told as text."""
    taken: set[str] = set()
    for said, following in _split(rows):
        ids = [_free(call.id, said.seq, place, taken) for place, call in enumerate(said.calls)] if said else []
        calls = said.calls if said else ()
        given: dict[int, Row] = {}
        told = []
        for row in following:
            place = next((at for at, one in enumerate(calls) if at not in given and one.id == row.tool_call_id), None)
            if row.role == "tool" and place is not None:
                given[place] = row
            elif row.content.strip():
                told.append(row.content if row.role == "user" else f"Result of {row.name or 'a call'}: {row.content}")
        results = [_result(call, ids[place], given.get(place)) for place, call in enumerate(calls)]
        yield Round(said, tuple(results), tuple(told))


def result_named(rows: Sequence[Row], id: str) -> Row | None:
    """The result of the call that requests give that id in place of its own; None where there is none."""
    taken: set[str] = set()
    for said, following in _split(rows):
        for place, call in enumerate(said.calls if said else ()):
            if said and _free(call.id, said.seq, place, taken) == id:
                answers = (row for row in following if row.role == "tool" and row.tool_call_id == call.id)
                return next(answers, None)
    return None


def arguments_of(call: ToolCall) -> msgspec.Raw:
    """The arguments as the JSON of an object; text that is none is told as it is."""
    return as_object(call.arguments)


def takes(name: str) -> bool:
    """Do all providers take it for the id of a call, or for a tool's name?"""
    return _ID.fullmatch(name) is not None


def as_object(text: str) -> msgspec.Raw:
    """The text where it is the JSON of an object, `{}` where it is blank, else an object that holds it."""
    if not text.strip():
        return msgspec.Raw(b"{}")
    return msgspec.Raw(text.encode()) if is_object(text) else msgspec.Raw(encoded({MALFORMED: text}))


def text_of(result: Result) -> str:
    """The text of a result, where only the text can say that the tool failed."""
    if not result.failed or result.text == NO_RESULT:
        return result.text
    return f"{FAILED}\n{result.text}" if result.text.strip() else FAILED


def is_object(text: str) -> bool:
    """Is it the JSON of an object?"""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def _split(rows: Sequence[Row]) -> Iterator[tuple[Row | None, list[Row]]]:
    said: Row | None = None
    following: list[Row] = []
    for row in rows:
        if row.role == "assistant":
            if said or following:
                yield said, following
            said, following = row, []
        else:
            following.append(row)
    yield said, following


def _free(name: str, seq: int, place: int, taken: set[str]) -> str:
    """The id, or another one in place of an id that is taken or that not every provider takes; always the same."""
    if not takes(name) or name in taken:
        name = "call_" + blake2b(f"{name} {seq} {place}".encode("utf-8", "replace"), digest_size=12).hexdigest()
    taken.add(name)
    return name


def _result(call: ToolCall, name: str, row: Row | None) -> Result:
    spelled = _NOT_IN_NAME.sub("_", call.name)[:64] or "unnamed"
    given = ToolCall(name, spelled, call.arguments)
    return Result(given, call.id, row.content, row.failed) if row else Result(given, call.id, NO_RESULT, failed=True)
