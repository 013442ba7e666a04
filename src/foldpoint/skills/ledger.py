"""Running sums over the turns of a transcript, so that a move of the fold point is priced at once."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import attrgetter

from ..core.text import MARKER
from ..core.transcript import BLOCK_SIZE, Shape, View
from .numbering import numbered
from .turns import Turn, behind_merge, head_end, turns_from

OPENING = "Earlier turns, one line each; later ones in full:"
RECALL = "Earlier turns, one line each (recall(id) gives a result in full); later ones in full:"


class Ledger:
    """A transcript's turns and their running sums. Built once, never changed.

    views: of every item; given: the same as the surface reads them, calls without an id not numbered yet; head: items
    in front of the first turn; known: leading turns taken over from `base`.
    full[n]: bytes of turns 1…n as they are; sealed[kind][n]: bytes of their lines and of what is carried beside them,
    kind 0 = results, 1 = texts (kept only where the first turn has no result).
    answered: the first turn with a tool result, 0 = none; pictured: the turns with images; drawn[n]: images in
    messages that turns 1…n carry; carries: a turn carries something or is kept whole; opening: how the first block
    begins, with one sentence that says what it is.
    """

    views: Sequence[View]
    head: int
    head_size: int
    behind: int

    def __init__(
        self,
        views: Sequence[View],
        shape: Shape,
        base: "Ledger | None" = None,
        same: int = 0,
        *,
        recall: bool = False,
        binds: bool = False,
    ) -> None:
        """Read the turns of `views`.

        same: leading items whose views are equal in `base`; recall: the agent can read results back; binds: the model
        refuses thinking that was made under another prefix.
        """
        self.given = views
        if shape.numbers_calls:
            views = numbered(views, base.views if base else (), same)
        self.views, self.shape, self.binds, self.known = views, shape, binds, 0
        self.opening = f"{MARKER}\n{RECALL if recall else OPENING}"
        self._first = len(self.opening)
        self.turns: list[Turn] = []
        self.full: list[int] = [0]
        self.sealed: tuple[list[int], list[int]] = ([0], [0])
        self.answered, self.carries = 0, False
        self.pictured: list[int] = []
        self.drawn: list[int] = [0]
        if base is not None and base.turns and same > base.head and not any(view.history for view in views[same:]):
            self._take_over(base, same)
        else:
            self.head = head_end(views, shape)
            self.head_size = sum([view.size for view in views[: self.head]])
            self.behind = max(0, behind_merge(views, 0, self.head)) if shape.strict_turns else 0
        at = self.turns[-1].end if self.turns else self.head
        bars = bool(self.turns) and self.turns[-1].bars
        self._add(turns_from(views, at, self.known + 1, shape, bars))

    def _take_over(self, base: "Ledger", same: int) -> None:
        self.head, self.head_size, self.behind = base.head, base.head_size, base.behind
        self.known = known = _complete(base.turns, self.views, same)
        self.turns, self.full = base.turns[:known], base.full[: known + 1]
        self.sealed = (base.sealed[0][: known + 1], base.sealed[1][: known + 1])
        self.answered = base.answered if base.answered <= known else 0
        self.carries = base.carries
        self.pictured, self.drawn = base.pictured[: bisect_right(base.pictured, known)], base.drawn[: known + 1]

    def _add(self, turns: list[Turn]) -> None:
        known = len(self.turns)
        self.turns += turns
        if not self.answered:
            self.answered = next((at for at, turn in enumerate(turns, known + 1) if turn.answered), 0)
        self._draw(turns, known)
        self.carries = self.carries or any(map(attrgetter("by_results.carried"), turns))
        _run_on(self.full, map(attrgetter("size"), turns))
        _run_on(self.sealed[0], [turn.by_results.size + turn.by_results.carried + 1 for turn in turns])
        if self.answered != 1:
            _run_on(self.sealed[1], [turn.by_texts.size + turn.by_texts.carried + 1 for turn in turns])

    def _draw(self, turns: list[Turn], known: int) -> None:
        images = list(map(attrgetter("images"), turns))
        if any(images):
            self.pictured += [number for number, count in enumerate(images, known + 1) if count]
        _run_on(self.drawn, [self._own_images(turn) if turn.images else 0 for turn in turns] if any(images) else images)

    def _own_images(self, turn: Turn) -> int:
        if turn.by_results.whole:
            return 0
        return sum([view.own_images for view in self.views[turn.first : turn.end] if view.role == "user"])

    @property
    def size(self) -> int:
        """Bytes of the whole message list."""
        return self.head_size + self.full[-1]

    def texts(self, turn: int) -> bool:
        """Did every observation up to the turn come as a plain message?"""
        return not 0 < self.answered <= turn

    def lines(self, texts: bool, sealed: int, to: int) -> int:
        """Bytes of the block that seals turns sealed+1…to, and of what those turns carry."""
        sums = self.sealed[texts]
        return BLOCK_SIZE + (len(MARKER) if sealed else self._first) + sums[to] - sums[sealed]


def _run_on(sums: list[int], added: Iterable[int]) -> None:
    sums += accumulate(added, initial=sums.pop())


def _complete(turns: Sequence[Turn], views: Sequence[View], same: int) -> int:
    """How many leading turns lie in the same items and have ended: the next item begins an action."""
    known = len(turns)
    while known and not (turns[known - 1].end < same or _ended(turns[known - 1].end, views, same)):
        known -= 1
    return known


def _ended(end: int, views: Sequence[View], same: int) -> bool:
    return end == same and (end == len(views) or views[end].role == "assistant")
