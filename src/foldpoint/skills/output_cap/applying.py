"""The cap on the results of a request: a function of each result alone, so that nothing that was sent ever changes."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from foldpoint.core.policy import OutputCap
from foldpoint.core.ports import Surface
from foldpoint.core.text import bare
from foldpoint.core.told import Told
from foldpoint.core.transcript import Limits
from foldpoint.skills.rewriting import Cut, cut_by

Capper = Callable[[str, int, str], str]
"""Makes a text of at most so many characters; the id of its call where the reader may ask for the rest."""


def capped_item(surface: Surface, items: Sequence[bytes], at: int, policy: OutputCap, capper: Capper) -> Cut | None:
    """What becomes of an item under the cap; None: it stays. Raises Unreadable."""
    item = items[at]
    if not policy.max_chars or len(item) <= policy.max_chars:
        return None
    results = surface.results(item)
    long = [told.characters > policy.max_chars for told in results]
    if not any(long):
        return None
    exempt = [name.strip() for name in policy.exempt_tools.split(",") if name.strip()]
    texts = [
        None if not over or (exempt and _is_exempt(surface, items, at, told, exempt)) else _texts(told, policy, capper)
        for told, over in zip(results, long, strict=True)
    ]
    return cut_by(item, results, texts)


def _texts(told: Told, policy: OutputCap, capper: Capper) -> list[str | None]:
    """The texts of a result that share the cap: short ones stay, the others get the same of what is left."""
    call_id = told.id if policy.recall_hint else ""
    room, texts = policy.max_chars, list[str | None]([None] * len(told.texts))
    order = sorted(range(len(told.texts)), key=lambda number: (len(told.texts[number]), number))
    for done, number in enumerate(order):
        text, share = told.texts[number], room // (len(order) - done)
        if len(text) > share:
            texts[number] = capper(text, share, call_id)
            room -= share
        else:
            room -= len(text)
    return texts


def _is_exempt(surface: Surface, items: Sequence[bytes], at: int, told: Told, exempt: Sequence[str]) -> bool:
    name = told.name or _name_of(surface, items, at, told.id)
    return any(fnmatchcase(name, bare(pattern)) for pattern in exempt)


def _name_of(surface: Surface, items: Sequence[bytes], at: int, call_id: str) -> str:
    """The tool of the newest call in front of the item that has the id; empty where there is none."""
    limits = Limits()
    for position in range(at - 1, -1, -1):
        for call in surface.view(items[position], limits).calls:
            if call.id == call_id:
                return call.name
    return ""
