"""Turns: an action plus everything that answers it. The head is what stands in front of the first."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..core.text import unspelled, weight
from ..core.transcript import Shape, View

MESSAGE_KEPT = b"(message kept below)"
TURN_KEPT = b"(turn kept below)"
LEAD = rb"\nturn %d | "
"""How a line begins, in the spelling of JSON: behind another one."""


class Seal(msgspec.Struct, frozen=True, gc=False):
    """What a turn becomes when it is sealed: its line as JSON spells it, the line's bytes in UTF-8 with its
    beginning, the bytes of what is carried beside it, and whether that is all of it."""

    line: bytes
    size: int
    carried: int
    whole: bool = False


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A turn, read whole: what a plain one needs not be.

    first, end: its items are views[first:end]; size: bytes as it is; answered: an observation came as a tool result;
    images: in it; behind: the bytes behind its last message that content of ours may be merged into (-1: there is
    none).
    bars: carried text of a later turn would stand in front of what the caller said in a turn that is kept whole.
    by_results, by_texts: what it becomes on a trajectory whose observations are tool results, or plain messages.
    """

    first: int
    end: int
    size: int
    answered: bool
    images: int
    behind: int
    bars: bool
    by_results: Seal
    by_texts: Seal

    def seal(self, texts: bool) -> Seal:
        """What it becomes on a trajectory of plain messages, or of results."""
        return self.by_texts if texts else self.by_results


def head_end(views: Sequence[View], shape: Shape) -> int:
    """Where the head ends: behind the first user message and what follows it, up to the first action.

    Items that stand for history the provider compacted are in it, and stand for the first user message too. Where a
    surface takes only content that can be merged, the head holds a user message for it; a request without one is all
    head. Elsewhere turns with results may stand in front of the first user message: the head ends before them, as it
    did in the requests that had no user message yet.
    """
    newest = max([at for at, view in enumerate(views) if view.history], default=-1)
    opening = next((at for at in range(newest + 1, len(views)) if mergeable(views[at])), None)
    first = _action(views, newest + 1)
    if shape.strict_turns:
        return len(views) if opening is None else _action(views, opening)
    if opening is None or newest >= 0 or any(view.role == "tool" for view in views[first:opening]):
        return first
    return _action(views, opening)


def _action(views: Sequence[View], at: int) -> int:
    """The first item of an action from there on; the end where there is none."""
    return next((each for each in range(at, len(views)) if views[each].role == "assistant"), len(views))


def mergeable(view: View) -> bool:
    """May content of ours be merged into the message?"""
    return view.role == "user" and not view.results


def behind_merge(views: Sequence[View], first: int, end: int) -> int:
    """Bytes of views[first:end] behind the last message that can be merged into; -1 where none can."""
    total = 0
    for at in range(end - 1, first - 1, -1):
        if mergeable(views[at]):
            return total
        total += views[at].size
    return -1


def turn_of(views: Sequence[View], first: int, number: int, shape: Shape, bars: bool = False) -> Turn:
    """The turn whose action begins at views[first]. `bars`: of the turn in front."""
    observed = _run(views, first + 1, acting=True)
    return _turn(views, first, observed, _run(views, observed, acting=False), number, shape, bars)


def _run(views: Sequence[View], at: int, acting: bool) -> int:
    count = len(views)
    while at < count and (views[at].role == "assistant") == acting:
        at += 1
    return at


def _turn(views: Sequence[View], first: int, observed: int, end: int, number: int, shape: Shape, bars: bool) -> Turn:
    items = views[first:end]
    size = sum([view.size for view in items])
    own = sum([view.own for view in items if view.role == "user"])
    system = sum([view.size for view in items if view.role == "system"])
    images = sum([view.own_images + sum([result.images for result in view.results]) for view in items])
    answered = any(view.results for view in views[observed:end])
    whole = (
        any(view.marked for view in items)
        or (shape.system_inside and system > 0)
        or not _paired(views, first, observed, end)
    )
    kept = _seal(number, TURN_KEPT, size, True)
    by_results = by_texts = kept
    if not whole:
        said = [view.line for view in views[first:observed] if view.line]
        calls = [call for view in views[first:observed] for call in view.calls]
        names = {call.id: call.name for call in calls if call.name}
        if not (own and (bars or any(view.alone for view in items))):
            lines = _observations(views[observed:end], names, True)
            by_results = by_texts = _seal(number, b" | ".join(said + lines), own + system)
        if own:
            by_texts = _seal(number, b" | ".join(said + _observations(views[observed:end], names, False)), system)
    behind = behind_merge(views, first, end)
    if by_results.whole and (own or system or behind >= 0):
        bars = shape.strict_turns and behind < 0
    return Turn(first, end, size, answered, images, behind, bars, by_results, by_texts)


def _seal(number: int, line: bytes, carried: int, whole: bool = False) -> Seal:
    return Seal(line, weight(unspelled(LEAD % number + line)), carried, whole)


def _observations(views: Sequence[View], names: dict[str, str], kept: bool) -> list[bytes]:
    """The parts of a line that say what answered; user messages are carried beside it, or said in it."""
    parts = []
    for view in views:
        parts += [result.said(names.get(result.id, "")) for result in view.results]
        if view.role == "system" or (kept and view.own):
            parts.append(MESSAGE_KEPT)
        elif view.line:
            parts.append(view.line)
    return parts


def _paired(views: Sequence[View], first: int, observed: int, end: int) -> bool:
    """Has every call its result and every result its call, inside the turn?"""
    calls = Counter([call.id for view in views[first:observed] for call in view.calls])
    answers = Counter([result.id for view in views[observed:end] for result in view.results])
    answers.update([call_id for view in views[first:observed] for call_id in view.answered])
    return calls == answers
