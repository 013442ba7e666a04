"""The skills on a list of items by themselves: what stands in each place, and which items are the caller's own."""

from collections.abc import Sequence

from ..core.policy import Policy
from ..core.ports import Surface
from ..pricing.gate import Gate
from ..surfaces.splice import written
from .ledger import Ledger
from .limits import limits_of
from .output_cap import capped
from .output_cap.applying import Callers, capped_item
from .rewriting import Cut
from .stale import old_until, stale_item
from .trajectory import planned, unfolded

Place = tuple[int | None, bytes]
"""An item of the folded list, and where it stood when it is the caller's own."""


def folded_items(surface: Surface, items: Sequence[bytes], policy: Policy, gate: Gate) -> list[Place]:
    """The folded list."""
    cap, fold, stale = policy.tool_output_cap, policy.agent_trajectory_compaction, policy.stale_tool_output
    places: list[Place] = list(enumerate(items))
    if cap.mode == "prod":
        callers = Callers(surface, items)
        places = _changed(places, {at: capped_item(callers, at, cap, capped) for at in range(len(items))})
    cut = [item for _, item in places]
    ledger = Ledger([surface.view(item, limits_of(fold)) for item in cut], surface.shape, recall=fold.recall_hint)
    plan = planned(surface, cut, ledger, fold, gate) if fold.mode == "prod" else unfolded(ledger)
    tail = plan.layout.tail if plan.layout else 0
    if stale.mode == "prod":
        old = {at: found for at, item in enumerate(cut) if (found := stale_item(surface, item, stale))}
        until = old_until(ledger, old, stale, gate)
        places = _changed(places, {at: found for at, found in old.items() if tail <= at < until})
    if plan.layout is None:
        return places
    front = [
        (places[slot.item][0] if slot.item is not None and not slot.added else None, item)
        for slot, item in zip(plan.layout.slots, written(surface, cut, plan.layout), strict=True)
    ]
    return [*front, *places[tail:]]


def _changed(places: Sequence[Place], cuts: dict[int, Cut | None] | dict[int, Cut]) -> list[Place]:
    return [(None, cut.item) if (cut := cuts.get(at)) else place for at, place in enumerate(places)]
