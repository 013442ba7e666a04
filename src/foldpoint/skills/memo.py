"""What is remembered of transcripts: an accelerator only, bounded; without it every answer is the same."""

from collections import OrderedDict
from collections.abc import Sequence

from ..core.ports import Surface
from ..core.transcript import Limits, View
from .epoch import State
from .ledger import Ledger
from .seal import Fold

Key = tuple[object, ...]


class Known:
    """A transcript as it was last seen: its items (own copies), their ledger, and a state to go on from."""

    __slots__ = ("checkpoint", "folds", "items", "ledger", "opening", "settled", "weight")

    def __init__(
        self,
        items: Sequence[bytes],
        ledger: Ledger,
        settled: State,
        opening: str,
        folds: tuple[Fold, ...],
        checkpoint: str,
    ) -> None:
        self.items, self.ledger, self.settled = items, ledger, settled
        self.opening, self.folds, self.checkpoint = opening, folds, checkpoint
        self.weight = sum(map(len, items)) + 600 * len(items)


class Memo:
    """Transcripts by their first items; the least recently used go first when the bytes are used up."""

    def __init__(self, capacity: int = 64 << 20) -> None:
        self._capacity, self._weight = capacity, 0
        self._known: OrderedDict[Key, Known] = OrderedDict()

    def get(self, key: Key) -> Known | None:
        return self._known.get(key)

    def put(self, key: Key, known: Known) -> None:
        old = self._known.pop(key, None)
        self._weight += known.weight - (old.weight if old else 0)
        self._known[key] = known
        while self._weight > self._capacity and self._known:
            self._weight -= self._known.popitem(last=False)[1].weight


def key_of(owner: Sequence[str], items: Sequence[bytes]) -> Key:
    """A cheap name of a transcript: ends of its first items. Two that share it cost time, never bytes."""
    return (*owner, *(part for item in items[:3] for part in (len(item), item[-192:])))


def viewed(surface: Surface, items: Sequence[bytes], limits: Limits, known: Known | None) -> tuple[list[View], int]:
    """A view of each item, and how many leading ones are as they were."""
    if known is None:
        return [surface.view(item, limits) for item in items], 0
    same = _leading(known.items, items)
    views = list(known.ledger.views[:same])
    old = known.ledger.views
    equal = True
    for at in range(same, len(items)):
        if at < len(old) and known.items[at] == items[at]:
            view = old[at]
        else:
            view = surface.view(items[at], limits)
            equal = equal and at < len(old) and view == old[at]
        same += equal
        views.append(view)
    return views, same


def _leading(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    same = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        same += 1
    return same
