"""The cap on the results of a request: a function of each result alone, so that nothing that was sent ever changes."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from foldpoint.core.policy import OutputCap
from foldpoint.core.ports import Surface
from foldpoint.core.text import bare, weight
from foldpoint.core.told import Told
from foldpoint.core.transcript import Limits
from foldpoint.skills.rewriting import Cut, cut_by

LEAST = 100
"""Characters below which a share says nothing of a text: then the texts are told as one."""
Capper = Callable[[str, int, str], str]
"""Makes a text of at most so many characters; the id of its call where the reader may ask for the rest."""
LIMITS = Limits()


class Callers:
    """The tools that a request's results came from; asked position by position, it reads every item at most once."""

    def __init__(self, surface: Surface, items: Sequence[bytes]) -> None:
        self.surface, self.items = surface, items
        self._names: dict[str, str] = {}
        self._low, self._high = 0, -1

    def name(self, at: int, call_id: str) -> str:
        """The tool of the newest call in front of the item that has the id; empty where there is none."""
        if self._high < 0:
            self._low = self._high = at
        while self._high < at:
            self._names |= self._called(self._high)
            self._high += 1
        while self._low and call_id not in self._names:
            self._low -= 1
            for id, name in self._called(self._low).items():
                self._names.setdefault(id, name)
        return self._names.get(call_id, "")

    def _called(self, at: int) -> dict[str, str]:
        return {call.id: call.name for call in reversed(self.surface.view(self.items[at], LIMITS).calls)}


def capped_item(callers: Callers, at: int, policy: OutputCap, capper: Capper) -> Cut | None:
    """What becomes of an item under the cap; None: it stays. Raises Unreadable."""
    surface, item = callers.surface, callers.items[at]
    if not policy.max_chars or len(item) <= policy.max_chars:
        return None
    results = surface.results(item)
    long = [told.characters > policy.max_chars for told in results]
    if not any(long):
        return None
    exempt = [name.strip() for name in policy.exempt_tools.split(",") if name.strip()]
    texts = [
        None if not over or (exempt and _is_exempt(callers, at, told, exempt)) else _texts(told, policy, capper)
        for told, over in zip(results, long, strict=True)
    ]
    return cut_by(item, results, texts)


def _texts(told: Told, policy: OutputCap, capper: Capper) -> list[str | None]:
    """The texts of a result that share the cap: short ones stay, the others get the same of what is left, or are told
    as one where that would be too little for each."""
    call_id = told.id if policy.recall_hint else ""
    room, texts = policy.max_chars, list[str | None]([None] * len(told.texts))
    order = sorted(range(len(told.texts)), key=lambda number: (len(told.texts[number]), number))
    for done, number in enumerate(order):
        text, share = told.texts[number], room // (len(order) - done)
        if len(text) > share:
            if share < LEAST:
                return _as_one(told, order[done:], room, policy, capper)
            texts[number] = capper(text, share, call_id)
            room -= share
        else:
            room -= len(text)
    return texts


def _as_one(told: Told, rest: Sequence[int], room: int, policy: OutputCap, capper: Capper) -> list[str | None]:
    """Those texts capped as one in the place of their first, a sign in the places of the others: a provider refuses an
    empty text. All of the texts where these have no room; nothing where that is no shorter."""
    if room - len(rest) + 1 < LEAST:
        rest, room = range(len(told.texts)), policy.max_chars
    first, *others = sorted(number for number in rest if told.texts[number])
    joined = "\n".join([told.texts[number] for number in (first, *others)])
    texts = list[str | None]([None] * len(told.texts))
    for number in others:
        texts[number] = "…"
    texts[first] = capper(joined, max(LEAST, room - len(others)), told.id if policy.recall_hint else "")
    shorter = sum([weight(old) - weight(new) for old, new in zip(told.texts, texts, strict=True) if new is not None])
    return texts if shorter > 0 else [None] * len(texts)


def _is_exempt(callers: Callers, at: int, told: Told, exempt: Sequence[str]) -> bool:
    name = told.name or callers.name(at, told.id)
    return any(fnmatchcase(name, bare(pattern)) for pattern in exempt)
