"""The stale rule: a long result that is old is replaced by a placeholder, at once or on a grid behind the gate."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ..core.policy import StaleOutput
from ..core.ports import Surface
from ..core.text import weight
from ..core.transcript import View
from ..pricing.gate import Gate
from .ledger import Ledger
from .rewriting import Cut, Cuts, cut_by


def stale_item(surface: Surface, item: bytes, policy: StaleOutput) -> Cut | None:
    """What becomes of an item once it is old; None: it stays. Raises Unreadable."""
    if len(item) <= policy.max_chars:
        return None
    results, said = surface.results(item), weight(policy.placeholder)
    texts = [
        [policy.placeholder if weight(text) > said else None for text in told.texts]
        if told.characters > policy.max_chars
        else None
        for told in results
    ]
    return cut_by(item, results, texts)


def old_until(ledger: Ledger, cuts: Cuts, policy: StaleOutput, gate: Gate) -> int:
    """The position in front of which results are old: every message that came since counts, whatever it is.

    With a grid of 1 the rule moves it with every message. Else it moves at turns on the grid where the gate says that
    what no longer is sent pays for what is written anew; replayed from the transcript alone.
    """
    if policy.grid == 1:
        return max(0, len(ledger.views) - policy.max_age_messages - 1)
    sums = _Sums(ledger.views, cuts, policy)
    decides, waits, grid = gate.terms(), gate.waits, policy.grid
    line = waited = 0
    for turn in range(grid + 1, ledger.count + 1):
        chance = turn % grid == 1
        if not (chance or waits):
            continue
        before = ledger.starts[turn - 1]
        to = max(line, before - 1 - policy.max_age_messages)
        saved = sums.saved[to] - sums.saved[line]
        if saved <= 0:
            continue
        lines = sums.lines[to] - sums.lines[line]
        first = bisect_right(sums.saved, sums.saved[line], line, to) - 1
        moved = sums.sizes[before] - sums.sizes[first] - saved - lines
        if chance and decides(turn, saved, lines, moved, waited, grid):
            line, waited = to, 0
        else:
            waited += saved
    return line


class _Sums:
    """Running sums over the items: their bytes, what is saved where they are old, and their placeholders' bytes."""

    def __init__(self, views: Sequence[View], cuts: Cuts, policy: StaleOutput) -> None:
        found = [cuts.get(at) for at in range(len(views))]
        said = weight(policy.placeholder)
        self.sizes = list(accumulate([view.size for view in views], initial=0))
        self.saved = list(accumulate([cut.saved if cut else 0 for cut in found], initial=0))
        self.lines = list(accumulate([cut.results * said if cut else 0 for cut in found], initial=0))
