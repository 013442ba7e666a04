"""Turns: an action plus everything that answers it. The head is what stands in front of the first."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..core.text import bare
from ..core.transcript import Shape, View

MESSAGE_KEPT = "(message kept below)"
TURN_KEPT = "(turn kept below)"


class Seal(msgspec.Struct, frozen=True, gc=False):
    """What a turn becomes when it is sealed: its line, the line's bytes, and the bytes of what is carried beside it."""

    line: str
    size: int
    carried: int


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One turn.

    first, end: its items are views[first:end]; size: bytes as it is; whole: sealing keeps it whole; answered: an
    observation came as a tool result; images: in it; behind: of a turn kept whole, the bytes behind the last message
    that content of ours may be merged into (-1: there is none).
    by_results, by_texts: what it becomes on a trajectory whose observations are tool results, or plain messages.
    """

    first: int
    end: int
    size: int
    whole: bool
    answered: bool
    images: int
    behind: int
    by_results: Seal
    by_texts: Seal


def head_end(views: Sequence[View], shape: Shape) -> int:
    """Where the head ends: behind the first user message and what follows it, up to the first action.

    Items that stand for history the provider compacted are in it. Where a surface takes only content that can be
    merged, the head holds a user message for it; a request without one is all head.
    """
    newest = max((at for at, view in enumerate(views) if view.history), default=-1)
    opening = next((at for at in range(newest + 1, len(views)) if mergeable(views[at])), None)
    if opening is None:
        opening = len(views) if shape.strict_turns else newest + 1
    return next((at for at in range(opening, len(views)) if views[at].role == "assistant"), len(views))


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


def turns_from(views: Sequence[View], at: int, number: int, shape: Shape) -> list[Turn]:
    """The turns of views[at:], the first of them with that number; `at` is where an action begins."""
    turns = []
    while at < len(views):
        end = at + 1
        while end < len(views) and views[end].role == "assistant":
            end += 1
        observed = end
        while end < len(views) and views[end].role != "assistant":
            end += 1
        turns.append(_turn(views, at, observed, end, number, shape))
        at, number = end, number + 1
    return turns


def _turn(views: Sequence[View], first: int, observed: int, end: int, number: int, shape: Shape) -> Turn:
    own = system = size = images = 0
    is_marked = alone = answered = False
    for view in views[first:end]:
        size += view.size
        is_marked = is_marked or view.marked
        if view.role == "user":
            own += view.own
            images += view.own_images
            alone = alone or view.alone
        elif view.role == "system":
            system += view.size
        for result in view.results:
            answered = True
            images += result.images
    whole = is_marked or alone or (shape.system_inside and system > 0) or not _paired(views, first, observed, end)
    lead = f"turn {number} | "
    if whole:
        kept = _seal(lead + TURN_KEPT, size)
        return Turn(first, end, size, True, answered, images, behind_merge(views, first, end), kept, kept)
    action = lead + " | ".join([view.line for view in views[first:observed] if view.line])
    if observed == first + 1 and end == observed + 1 and not own and not system and len(views[observed].results) == 1:
        seal = _seal(
            f"{action} | {_single(views[first], views[observed])}"
            if views[first].line
            else lead + _single(views[first], views[observed]),
            0,
        )
        return Turn(first, end, size, False, answered, images, -1, seal, seal)
    names = {call.id: call.name for view in views[first:observed] for call in view.calls}
    by_results = _line(action, _observations(views, observed, end, names, True), own + system)
    by_texts = by_results if not own else _line(action, _observations(views, observed, end, names, False), system)
    return Turn(first, end, size, False, answered, images, -1, by_results, by_texts)


def _seal(line: str, carried: int) -> Seal:
    return Seal(line, len(line) if line.isascii() else len(line.encode()), carried)


def _single(action: View, observation: View) -> str:
    result = observation.results[0]
    name = next((call.name for call in action.calls if call.id == result.id), result.name)
    return f"tool_result[{bare(result.id)}] {bare(name)}: {result.head}"


def _line(action: str, observations: list[str], carried: int) -> Seal:
    glue = "" if action.endswith(" | ") else " | "
    return _seal((action + glue + " | ".join(observations)).removesuffix(" | "), carried)


def _observations(views: Sequence[View], at: int, end: int, names: dict[str, str], kept: bool) -> list[str]:
    """The parts of a line that say what answered; user messages are carried beside it, or said in it."""
    parts = []
    for view in views[at:end]:
        for result in view.results:
            name = names.get(result.id) or result.name
            parts.append(f"tool_result[{bare(result.id)}] {bare(name)}: {result.head}")
        if view.role == "system" or (kept and view.own):
            parts.append(MESSAGE_KEPT)
        elif view.line:
            parts.append(view.line)
    return parts


def _paired(views: Sequence[View], first: int, observed: int, end: int) -> bool:
    """Has every call its result and every result its call, inside the turn?"""
    if end == first + 2 and len(views[first].calls) == 1 and len(views[observed - 1 + 1].results) == 1:
        return not views[first].answered and views[first].calls[0].id == views[observed].results[0].id
    calls = Counter(call.id for view in views[first:observed] for call in view.calls)
    answers = Counter(result.id for view in views[observed:end] for result in view.results)
    answers.update(call_id for view in views[first:observed] for call_id in view.answered)
    return calls == answers
