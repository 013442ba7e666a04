"""What is remembered of transcripts: an accelerator only, bounded; without it every answer is the same."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple, overload

from ..core.edit import Layout
from ..core.ports import Surface
from ..core.span import Spans
from ..core.transcript import Limits, View
from .ledger import Ledger
from .rewriting import NONE, Cut, Cuts
from .trajectory import Plan

Key = tuple[object, ...]


RECENT = 16
"""Newest items that are compared one by one: a client moves its cache marks among them from request to request."""


PER_ITEM, PER_TRANSCRIPT = 2_000, 6_000
"""Bytes that views, turns and lines take for an item, and what a transcript takes beside its items, about."""


class Copy(Sequence[bytes]):
    """An own copy of a request's items that holds nothing else of it: the early ones in one piece, the recent apart.

    What has not changed since the copy before is shared with it, so that a request costs its new bytes.
    """

    early: bytes
    starts: list[int]
    ends: list[int]
    recent: list[bytes]

    def __init__(self, items: Spans, before: "Copy | None", same: int) -> None:
        first = items.starts[0] if items.starts else 0
        if before is not None and len(before.starts) <= same and len(items) - len(before.starts) < 2 * RECENT:
            self.early, self.starts, self.ends = before.early, before.starts, before.ends
            self.recent = before.recent[: same - len(self.starts)] + items[same:]
            return
        early = max(0, len(items) - RECENT)
        self.starts = [start - first for start in items.starts[:early]]
        self.ends = [end - first for end in items.ends[:early]]
        self.early = items.body[first : items.ends[early - 1]] if early else b""
        self.recent = items[early:]

    def __len__(self) -> int:
        return len(self.starts) + len(self.recent)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        early = len(self.starts)
        return self.recent[at - early] if at >= early else self.early[self.starts[at] : self.ends[at]]

    def leading(self, items: Spans) -> int:
        """How many leading items of a request are the same bytes."""
        early, count = len(self.starts), len(items)
        if early > count or not self._begins(items, early):
            early = 0
        body, starts, ends = items.body, items.starts, items.ends
        for same in range(early, min(len(self), count)):
            item, start = self[same], starts[same]
            if len(item) != ends[same] - start or not body.startswith(item, start):
                return same
        return min(len(self), count)

    def _begins(self, items: Spans, same: int) -> bool:
        if not same:
            return True
        first = items.starts[0]
        return items.body.startswith(self.early, first) and items.ends[same - 1] - first == self.ends[-1]

    @property
    def weight(self) -> int:
        """Bytes that it takes, about."""
        return len(self.early) + sum(map(len, self.recent)) + PER_ITEM * len(self)


class Known(NamedTuple):
    """A transcript as it was last seen: its items, their ledger, its plan, and what was written of it.

    front: the folded list in front of the tail, written by `layout`. given, capped: the items as the caller sent them
    and what the cap made of them, where it looked; stale, old: what the stale rule makes of the items, and the position
    in front of which they were sent so.
    """

    items: Copy
    ledger: Ledger
    plan: Plan
    opening: str
    checkpoint: str
    layout: Layout | None = None
    front: bytes = b""
    given: Copy | None = None
    capped: Cuts = NONE
    stale: Cuts = NONE
    old: range = range(0)

    @property
    def results(self) -> int:
        """Tool results in the request."""
        return sum([len(view.results) for view in self.ledger.views])

    @property
    def weight(self) -> int:
        """Bytes that it takes, about."""
        cut = sum([len(cut.item) for cuts in (self.capped, self.stale) for cut in cuts.values()])
        given = self.given.weight if self.given is not None else 0
        return self.items.weight + given + cut + len(self.front) + PER_TRANSCRIPT


class Text(NamedTuple):
    """A text that the cap made."""

    text: str

    @property
    def weight(self) -> int:
        """Bytes that it takes, about."""
        return len(self.text) + PER_ITEM


class Memo:
    """Transcripts by their first items; the least recently used go first when the bytes are used up."""

    def __init__(self, capacity: int = 48 << 20) -> None:
        self._capacity, self._weight = capacity, 0
        self._known: OrderedDict[Key, tuple[Known | Text, int]] = OrderedDict()

    def get(self, key: Key) -> Known | None:
        """What is known of a transcript under the key."""
        found = self._known.get(key)
        return found[0] if found and isinstance(found[0], Known) else None

    def text(self, key: Key) -> str | None:
        """The text under the key."""
        found = self._known.get(key)
        return found[0].text if found and isinstance(found[0], Text) else None

    def put(self, key: Key, known: Known | Text) -> None:
        """Remember it, in place of what was known; the oldest go where it gets too much."""
        weight, old = known.weight, self._known.pop(key, None)
        self._weight -= old[1] if old else 0
        if weight > self._capacity:
            return  # it would drive out every other one
        self._weight += weight
        self._known[key] = (known, weight)
        while self._weight > self._capacity:
            self._weight -= self._known.popitem(last=False)[1][1]


def key_of(owner: Sequence[str], items: Spans) -> Key:
    """A cheap name of a transcript: ends of its first items. Two that share it cost time, never bytes."""
    body = items.body
    first = zip(items.starts[:3], items.ends[:3], strict=True)
    return (*owner, *[part for start, end in first for part in (end - start, body[max(start, end - 192) : end])])


def looked_at(
    items: Spans, make: Callable[[int], Cut | None], before: Copy | None, cuts: Cuts, same: int, each: bool
) -> dict[int, Cut]:
    """What becomes of each item, by position; as before of the leading `same` ones, with `each` of later equal ones."""
    found = {at: cut for at, cut in cuts.items() if at < same}
    for at in range(same, len(items)):
        equal = each and before is not None and at < len(before) and before[at] == items[at]
        cut = cuts.get(at) if equal else make(at)
        if cut is not None:
            found[at] = cut
    return found


def viewed(surface: Surface, items: Spans, limits: Limits, known: Known | None) -> tuple[list[View], int, int]:
    """A view of each item, how many leading ones are the same bytes as before, and of how many the view is the same."""
    if known is None:
        return [surface.view(item, limits) for item in items], 0, 0
    spelled = same = known.items.leading(items)
    old = known.ledger.given
    views, equal = list(old[:same]), True
    for at in range(same, len(items)):
        item = items[at]
        view = old[at] if at < len(old) and known.items[at] == item else surface.view(item, limits)
        equal = equal and at < len(old) and view == old[at]
        same += equal
        views.append(view)
    return views, spelled, same
