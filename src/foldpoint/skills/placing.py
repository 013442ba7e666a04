"""Where each block and each carried text goes in the folded list."""

from ..core.edit import Addition, Carried, Layout, Slot
from .epoch import State
from .ledger import Ledger
from .seal import Kept
from .turns import mergeable


def laid_out(ledger: Ledger, state: State) -> Layout:
    """Head; then fold by fold its block and what it carries; then kept images; then the tail.

    Content of ours is merged into a user message in front of it. Where roles take turns, that is the last one without
    results; elsewhere it becomes a message of its own when none stands directly in front.
    """
    listed = _Listed(ledger)
    for fold in state.folds:
        listed.add(fold.block)
        for kept in fold.kept:
            if isinstance(kept, Kept):
                listed.keep(kept.first, kept.end)
            else:
                listed.add(kept)
    for image in state.images.kept:
        listed.add(image)
    slots = listed.slots
    tail = ledger.starts[state.sealed]
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
    tail, last = ledger.starts[state.sealed], state.folds[-1].turn
    thinking = [
        at for at in range(ledger.starts[last - 1], ledger.starts[last]) if ledger.views[at].role == "assistant"
    ]
    return max(tail, thinking[-1] + 1)


class _Listed:
    """A list of messages that grows. `takes`: the last one that content of ours may be merged into, -1 = none."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.takes = ledger, -1
        self.slots: list[tuple[int | None, list[Addition]]] = []
        self.keep(0, ledger.head)

    def keep(self, first: int, end: int) -> None:
        """Items first…end-1 as they are."""
        for item in range(first, end):
            if mergeable(self.ledger.views[item]):
                self.takes = len(self.slots)
            self.slots.append((item, []))

    def add(self, addition: Addition) -> None:
        """Merge it into the last message that takes it; else it is one of its own."""
        last = len(self.slots) - 1
        if self.takes >= 0 and (self.takes == last or self.ledger.shape.strict_turns):
            self.slots[self.takes][1].append(addition)
            return
        if isinstance(addition, Carried) and not addition.dropped:
            self.keep(addition.item, addition.item + 1)
        else:
            self.slots.append((None, [addition]))
            self.takes = last + 1
