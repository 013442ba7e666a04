"""Where each block and each carried text goes in the folded list."""

from ..core.edit import Addition, Block, Carried, Layout, Slot
from .epoch import State
from .ledger import Ledger
from .seal import Kept
from .turns import mergeable


def laid_out(ledger: Ledger, state: State) -> Layout:
    """Head; then fold by fold its block and what it carries; then kept images; then the tail.

    Content of ours is merged into a user message in front of it. Where roles take turns, that is the last one without
    results; elsewhere it becomes a message of its own when none stands directly in front.
    """
    slots: list[tuple[int | None, list[Addition]]] = [(item, []) for item in range(ledger.head)]
    for fold in state.folds:
        _add(ledger, slots, Block(fold.block))
        for kept in fold.kept:
            if isinstance(kept, Kept):
                slots += [(item, []) for item in range(kept.first, kept.end)]
            else:
                _add(ledger, slots, kept)
    for image in state.images.kept:
        _add(ledger, slots, image)
    tail = ledger.turns[state.sealed].first
    if not ledger.binds:
        return Layout(tuple(Slot(item, tuple(added)) for item, added in slots), tail)
    unchanged = unthought_until(ledger, state)
    slots += [(item, []) for item in range(tail, unchanged)]
    thinking = [item is not None and item >= ledger.head and ledger.views[item].thinking > 0 for item, _ in slots]
    found = [Slot(item, tuple(added), thought) for (item, added), thought in zip(slots, thinking, strict=True)]
    return Layout(tuple(found), unchanged)


def unthought_until(ledger: Ledger, state: State) -> int:
    """The first item whose thinking may be sent where the model binds it: made under the prefix of the newest fold.

    Thinking of turn n was made under the prefix of request n - 1, so that of every turn up to the one at which the
    fold last moved was made under another one.
    """
    tail, last = ledger.turns[state.sealed].first, ledger.turns[state.folds[-1].turn - 1]
    thinking = [at for at in range(last.first, last.end) if ledger.views[at].role == "assistant"]
    return max(tail, thinking[-1] + 1)


def _add(ledger: Ledger, slots: list[tuple[int | None, list[Addition]]], addition: Addition) -> None:
    at = len(slots) - 1
    if ledger.shape.strict_turns:
        while at >= 0 and not _takes(ledger, slots[at][0]):
            at -= 1
    if at >= 0 and _takes(ledger, slots[at][0]):
        slots[at][1].append(addition)
    elif isinstance(addition, Carried) and not addition.dropped:
        slots.append((addition.item, []))
    else:
        slots.append((None, [addition]))


def _takes(ledger: Ledger, item: int | None) -> bool:
    return item is None or mergeable(ledger.views[item])
