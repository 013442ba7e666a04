"""The loop guard: an agent that makes the same call again and again, and gets the same answer."""

from collections.abc import Sequence

from ..core.ports import Surface
from .ledger import Ledger


def loops(surface: Surface, items: Sequence[bytes], ledger: Ledger, repeats: int) -> bool:
    """Are the last `repeats` + 1 calls one name, one spelling of arguments and one result? 0 = never."""
    if not repeats:
        return False
    wanted, calls = repeats + 1, 0
    for first, end in zip(ledger.starts[-2::-1], ledger.starts[:0:-1], strict=True):
        calls += sum(len(view.calls) for view in ledger.views[first:end])
        if calls >= wanted:
            last = surface.exchanges(items[first:])[-wanted:]
            return len(last) == wanted and len(set(last)) == 1
    return False
