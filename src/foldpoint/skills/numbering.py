"""Ids for calls that a client sends without one: `name#n`, n counting that name's calls; their results get the same."""

from collections.abc import Sequence

import msgspec

from ..core.text import bare, spelled, unspelled, weight
from ..core.transcript import Call, Result, View, lead_of

UNNUMBERED = "#"
"""What a surface puts behind the name where an id should stand."""


def numbered(views: Sequence[View], before: Sequence[View], same: int) -> Sequence[View]:
    """The views with an id for each call and result that came without; a result takes the id of the call it answers.

    before: the numbered views of an earlier request of which the first `same` views are equal.
    """
    first = _action_start(views, same)
    found = list(before[:first])
    counts = _Counts(views, found)
    waiting: list[Call] = []
    for at in range(first, len(views)):
        view = views[at]
        if view.role == "assistant":
            if at and views[at - 1].role != "assistant":
                waiting = []
            view = _acted(view, waiting, counts)
        elif view.results:
            view = _observed(view, waiting)
        found.append(view)
    return found


def _action_start(views: Sequence[View], at: int) -> int:
    """The begin of the action that views[at] belongs to or answers."""
    at = min(at, len(views))
    while at > 0 and not (at < len(views) and views[at].role == "assistant" and views[at - 1].role != "assistant"):
        at -= 1
    return at


class _Counts:
    """The numbers of each name, going on where the views that are numbered already end."""

    def __init__(self, views: Sequence[View], found: Sequence[View]) -> None:
        self._views, self._found, self._end = views, found, len(found)
        self._last: dict[str, int] = {}

    def next(self, name: str) -> int:
        """The number of the name's next call."""
        number = self._last[name] = 1 + (self._last[name] if name in self._last else self._newest(name))
        return number

    def _newest(self, name: str) -> int:
        """The number of the name's last call that is numbered already, 0 where there is none."""
        for at in range(self._end - 1, -1, -1):
            for given, call in zip(reversed(self._views[at].calls), reversed(self._found[at].calls), strict=True):
                if given.name == name and _bare_of_id(given.id, name):
                    return int(call.id[len(name) + 1 :])
        return 0


def _bare_of_id(call_id: str, name: str) -> bool:
    return call_id[-1:] == UNNUMBERED and call_id[:-1] == name


def _acted(view: View, waiting: list[Call], counts: _Counts) -> View:
    """An action's item with its calls numbered, and the results in it named after them."""
    line, at = view.line, 0
    calls: list[Call] = []
    for call in view.calls:
        if _bare_of_id(call.id, call.name):
            given, call = call.id, Call(f"{call.name}{UNNUMBERED}{counts.next(call.name)}", call.name)
            line, at = _renamed(line, "tool_use", given, call.id, at)
        calls.append(call)
        waiting.append(call)
    answered, at = [], 0
    for given in view.answered:
        taken = _take(waiting, given, given.removesuffix(UNNUMBERED))
        line, at = _renamed(line, "tool_result", given, taken, at)
        answered.append(taken)
    if calls == list(view.calls) and answered == list(view.answered):
        return view
    changed = msgspec.structs.replace(view, calls=tuple(calls), answered=tuple(answered), line=line)
    return _asking(changed, calls[0]) if view.asks else changed


def _asking(view: View, call: Call) -> View:
    """The view of that one call, as its turn's line says it."""
    lead = " | " + lead_of(call.id, call.name)
    share = weight(unspelled(view.line)) + weight(lead)
    return msgspec.structs.replace(view, asks=call.id, said=view.line + spelled(lead), share=share)


def _observed(view: View, waiting: list[Call]) -> View:
    """A message of results, each named after the call it answers."""
    results: list[Result] = []
    for result in view.results:
        taken = _take(waiting, result.id, result.name)
        results.append(result if taken == result.id else msgspec.structs.replace(result, id=taken))
    if results == list(view.results):
        return view
    return msgspec.structs.replace(view, results=tuple(results), answers=results[0].id if view.answers else "")


def _take(waiting: list[Call], given: str, name: str) -> str:
    """The id of the waiting call that a result answers: by id, else by name where one of both has none."""
    fits = [call for call in waiting if call.id == given]
    fits = fits or [call for call in waiting if call.name == name and _is_ours(call)]
    if not fits and given == name + UNNUMBERED:
        fits = [call for call in waiting if call.name == name]
    if not fits:
        return given
    match = fits[0]
    waiting.remove(match)
    return match.id


def _is_ours(call: Call) -> bool:
    return call.id.startswith(call.name + UNNUMBERED)


def _renamed(line: bytes, kind: str, given: str, taken: str, at: int) -> tuple[bytes, int]:
    """The line with the id of the next part of that kind and id from `at` on changed, and where to go on.

    A part of ours begins the line or stands behind ` | `; carried text never looks like one.
    """
    part = spelled(f"{kind}[{bare(given)}]")
    start = 0 if at == 0 and line.startswith(part) else line.find(b" | " + part, at) + 3
    if given == taken or start == 2:
        return line, at
    renamed = spelled(f"{kind}[{bare(taken)}]")
    return line[:start] + renamed + line[start + len(part) :], start + len(renamed)
