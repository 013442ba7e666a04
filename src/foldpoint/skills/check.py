"""What is looked at before a folded request is sent. A fault that the request already had is not ours."""

from itertools import pairwise

from ..core.edit import Block, Layout, Slot
from ..core.transcript import View
from .ledger import Ledger

_OURS = View(role="user", size=0)


def fault(ledger: Ledger, layout: Layout, keep: int) -> str:
    """The name of the first check that the folded list fails; empty where it passes all."""
    if not _recent_whole(layout, ledger.starts[max(0, ledger.count - keep)]):
        return "recent"
    if any(isinstance(added, Block) and added.json == b'""' for slot in layout.slots for added in slot.added):
        return "empty"
    if layout.tail == len(ledger.views) and _view(ledger, layout.slots[-1]).role != ledger.views[-1].role:
        return "last_role"
    if not _pairs_whole(ledger, layout):
        return "pairing"
    if not _roles_right(ledger, layout):
        return "roles"
    return ""


def _recent_whole(layout: Layout, first: int) -> bool:
    """Do the items from `first` on stand at the end, in order, with nothing added (their thinking may be left out)?"""
    if layout.tail <= first:
        return True
    last = layout.slots[first - layout.tail :]
    return [slot.item for slot in last] == list(range(first, layout.tail)) and not any(slot.added for slot in last)


def _pairs_whole(ledger: Ledger, layout: Layout) -> bool:
    """Is each turn of which a call or a result is kept there as a whole?"""
    kept = {slot.item for slot in layout.slots if slot.item is not None and slot.item >= ledger.head}
    for first, end in pairwise(ledger.starts):
        if first >= layout.tail or not kept:
            break
        items = range(first, min(end, layout.tail))
        speaking = any(item in kept and (ledger.views[item].calls or ledger.views[item].results) for item in items)
        if speaking and not kept.issuperset(items):
            return False
        kept.difference_update(items)
    return True


def _roles_right(ledger: Ledger, layout: Layout) -> bool:
    """No two neighbours that were none in the request are of a kind that the surface refuses side by side."""
    listed = [*layout.slots, Slot(layout.tail)] if layout.tail < len(ledger.views) else layout.slots
    return all(
        (before.item is not None and after.item == before.item + 1)
        or _may_meet(ledger, _view(ledger, before), _view(ledger, after))
        for before, after in pairwise(listed)
    )


def _may_meet(ledger: Ledger, before: View, after: View) -> bool:
    if before.role == after.role == "user":
        return False
    if not ledger.shape.strict_turns:
        return True
    if before.role == "system":
        return after.role == "assistant"
    return before.role != after.role


def _view(ledger: Ledger, slot: Slot) -> View:
    return _OURS if slot.item is None else ledger.views[slot.item]
