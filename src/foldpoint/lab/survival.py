"""Reference survival: of what a later action uses and a tool result first showed, the share still to be seen."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from foldpoint.core.transcript import Limits, View
from foldpoint.engine import Folded
from foldpoint.skills.ledger import Ledger
from foldpoint.surfaces import surface_named

from .steps import steps

_REFERENCE = re.compile(r"[\w~@][\w./:@~-]{2,}\w|\d{3,}")
_TELLING = re.compile(r"[\d_./:@]|[a-z][A-Z]")
_QUOTED = re.compile(r"\"([^\"\n\\]{4,80})\"|'([^'\n\\]{4,80})'|`([^`\n\\]{4,80})`")


class Folds(Protocol):
    """What folds a body: an engine, or one that does something before it."""

    def fold(self, body: bytes, surface: str) -> Folded: ...


class Survival(msgspec.Struct, frozen=True):
    """References of later actions: all, and those that sealed turns alone had shown; of each how many are visible."""

    used: int = 0
    visible: int = 0
    sealed: int = 0
    found: int = 0

    def __add__(self, other: "Survival") -> "Survival":
        mine, theirs = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return Survival(*[one + another for one, another in zip(mine, theirs, strict=True)])


def survival_of(body: bytes, surface: str, engine: Folds) -> Survival:
    """Count the references of a session's every action in the request that it answered, folded. Raises Unreadable.

    A reference is an identifier, a path, a number or a quoted string; it counts where a tool result was the first to
    show it, and once: from then on the action shows it itself.
    """
    turns, head = _turns(body, surface)
    first: dict[str, int] = dict.fromkeys(references(head), 0)
    last: dict[str, int] = {}
    total = Survival()
    for number, (step, (action, answers, beside)) in enumerate(zip(steps(body, surface), turns, strict=False), 1):
        used = {each for each in references(action) if first.get(each, 0)}
        if used:
            folded = engine.fold(step, surface)
            total += _counted(used, last, folded.receipt.sealed, "\n".join(texts(msgspec.json.decode(folded.body))))
        first.update(dict.fromkeys(references(f"{action}\n{beside}"), 0))
        for each in references(answers):
            first.setdefault(each, number)
            last[each] = number
    return total


def _counted(used: set[str], last: dict[str, int], sealed: int, seen: str) -> Survival:
    gone = {each for each in used if last[each] <= sealed}
    visible = {each for each in used if each in seen}
    return Survival(len(used), len(visible), len(gone), len(gone & visible))


def references(text: str) -> set[str]:
    """The identifiers, paths, numbers and quoted strings in a text; a plain word is none."""
    found = {each for each in _REFERENCE.findall(text) if _TELLING.search(each) and len(each) <= 200}
    return found | {next(filter(None, groups)) for groups in _QUOTED.findall(text)}


def texts(value: Any) -> Iterator[str]:
    """The strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def _turns(body: bytes, surface: str) -> tuple[list[tuple[str, str, str]], str]:
    """(what the action says, what answers it, what else is said) of each turn, and what is said before the first."""
    format_ = surface_named(surface)
    request = format_.read(body)
    views = [format_.view(item, Limits()) for item in request.items]
    ledger = Ledger(views, format_.shape)
    said = ["\n".join(texts(msgspec.json.decode(item))) for item in request.items]
    around = "\n".join(texts(msgspec.json.decode(body[: request.items.starts[0]] + body[request.items.ends[-1] :])))
    text_agent = not ledger.answered
    turns = []
    for start, end in zip(ledger.starts, ledger.starts[1:], strict=False):
        sorts: tuple[list[str], list[str], list[str]] = ([], [], [])
        for view, text in zip(views[start:end], said[start:end], strict=True):
            sorts[_sort(view, text_agent)].append(text)
        turns.append(("\n".join(sorts[0]), "\n".join(sorts[1]), "\n".join(sorts[2])))
    return turns, "\n".join([around, *said[: ledger.head]])


def _sort(view: View, text_agent: bool) -> int:
    """0: of the action, 1: an answer, 2: neither."""
    if view.role == "assistant":
        return 0
    return 1 if view.results or (text_agent and view.role == "user") else 2
