"""Running sums over the turns of a transcript, so that a move of the fold point is priced at once."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ..core.text import MARKER
from ..core.transcript import BLOCK_SIZE, Shape, View
from .numbering import numbered
from .turns import LEAD, Turn, behind_merge, head_end, mergeable, turn_of

OPENING = "Earlier turns, one line each; later ones in full:"
RECALL = "Earlier turns, one line each (recall(id) gives a result in full); later ones in full:"


PIECES = 3
"""Pieces of a line: its beginning, what the action says, and what answered; one of two stays empty in an odd turn's."""
PLAIN_FRAME = len("\nturn ") + len(" | ")
"""Bytes of a plain turn's line beside its number and the shares of its items."""


class Ledger:
    """A transcript's turns and their running sums. Built once, never changed.

    views: of every item; given: the same as the surface reads them, calls without an id not numbered yet; head: items
    in front of the first turn; starts[n]: where turn n + 1 begins, the last one where the items end; odd: every turn
    that is more than one call and its result, by number; known: leading turns taken over from `base`.
    full[n]: bytes of turns 1…n as they are; sealed[kind][n]: bytes of their lines and of what is carried beside them,
    kind 0 = results, 1 = texts.
    opened: the head holds a user message or history; answered: the first turn with a tool result, 0 = none; pictured:
    the turns with images; carries: a turn carries something or is kept whole; opening: how the first block begins, with
    one sentence that says what it is (ASCII).
    """

    views: Sequence[View]
    head: int
    head_size: int
    behind: int
    opened: bool

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
        self.views = numbered(views, base.views if base else (), same) if shape.numbers_calls else views
        self.shape, self.binds = shape, binds
        self.opening = f"{MARKER}\n{RECALL if recall else OPENING}"
        if base is not None and base.count and same > base.head and not any(map(base.opens_head, views[same:])):
            self._take_over(base, same)
        else:
            self._begin()
        self._read(self.starts[-1])

    def _begin(self) -> None:
        views = self.views
        self.head = head_end(views, self.shape)
        self.opened = any(mergeable(view) or view.history for view in views[: self.head])
        self.head_size = sum([view.size for view in views[: self.head]])
        self.behind = max(0, behind_merge(views, 0, self.head)) if self.shape.strict_turns else 0
        self.known, self.starts, self.odd = 0, [self.head], dict[int, Turn]()
        self.full, self.sealed = [0], ([0], [0])
        self.answered, self.carries, self.pictured, self._drawn = 0, False, list[int](), [0]

    def _take_over(self, base: "Ledger", same: int) -> None:
        self.head, self.head_size, self.behind = base.head, base.head_size, base.behind
        self.opened = base.opened
        self.known = known = _complete(base.starts, self.views, same)
        self.starts, self.full = base.starts[: known + 1], base.full[: known + 1]
        self.odd = {number: turn for number, turn in base.odd.items() if number <= known}
        self.sealed = (base.sealed[0][: known + 1], base.sealed[1][: known + 1])
        self.answered = base.answered if base.answered <= known else 0
        pictured = bisect_right(base.pictured, known)
        self.carries, self.pictured, self._drawn = base.carries, base.pictured[:pictured], base._drawn[: pictured + 1]

    def _read(self, at: int) -> None:
        """Read the turns from there on."""
        sizes, lines = list[int](), list[int]()
        while (at := self._read_plain(at, sizes, lines)) < len(self.views):
            at = self._read_odd(at, sizes, lines)
        _run_on(self.full, sizes)
        results, texts = self.sealed
        if self.answered == 1:
            self.sealed = (results, results)
        else:
            _run_on(texts, self._by_texts(lines))
        _run_on(results, lines)

    def _read_plain(self, at: int, sizes: list[int], lines: list[int]) -> int:
        """Read turns of one call and its result up to one that is more, or the end; where that is."""
        views, starts, count = self.views, self.starts, len(self.views)
        first = number = len(starts)
        digits = len(str(number))
        ten = 10**digits
        while at < count:
            action, end = views[at], at + 2
            if not action.asks or end > count or (end < count and views[end].role != "assistant"):
                break
            seen = views[at + 1]
            if action.asks != seen.answers:
                break
            if number == ten:
                digits, ten = digits + 1, 10 * ten
            sizes.append(action.size + seen.size)
            lines.append(PLAIN_FRAME + digits + action.share + seen.share)
            starts.append(end)
            at, number = end, number + 1
        if number > first and not self.answered:
            self.answered = first
        return at

    def _read_odd(self, at: int, sizes: list[int], lines: list[int]) -> int:
        """Read a turn that is more than that; where it ends."""
        number = len(self.starts)
        bars = bool(self.odd) and next(reversed(self.odd.values())).bars
        turn = self.odd[number] = turn_of(self.views, at, number, self.shape, bars)
        self.carries = self.carries or turn.by_results.carried > 0
        if turn.answered and not self.answered:
            self.answered = number
        if turn.images:
            self.pictured.append(number)
            self._drawn.append(self._drawn[-1] + self._own_images(turn))
        sizes.append(turn.size)
        lines.append(turn.by_results.size + turn.by_results.carried)
        self.starts.append(turn.end)
        return turn.end

    def _by_texts(self, lines: list[int]) -> list[int]:
        """The bytes of the newest lines on a trajectory of plain messages."""
        first = len(self.starts) - len(lines)
        return [
            self.odd[number].by_texts.size + self.odd[number].by_texts.carried if number in self.odd else line
            for number, line in enumerate(lines, first)
        ]

    def opens_head(self, view: View) -> bool:
        """Could such an item behind the ones read give the request another head?"""
        return view.history or (not self.opened and mergeable(view))

    @property
    def count(self) -> int:
        """Turns."""
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """Bytes of the whole message list."""
        return self.head_size + self.full[-1]

    def texts(self, turn: int) -> bool:
        """Did every observation up to the turn come as a plain message?"""
        return not 0 < self.answered <= turn

    def opens(self, sealed: int) -> int:
        """Bytes of a block beside its lines, where so many turns are sealed already."""
        return BLOCK_SIZE + (len(MARKER) if sealed else len(self.opening))

    def lines(self, texts: bool, sealed: int, to: int) -> int:
        """Bytes of the block that seals turns sealed+1…to, and of what those turns carry."""
        sums = self.sealed[texts]
        return self.opens(sealed) + sums[to] - sums[sealed]

    def said(self, texts: bool, sealed: int, to: int) -> list[bytes]:
        """The lines of turns sealed+1…to, each in `PIECES` pieces."""
        pieces = [b""] * (PIECES * (to - sealed))
        pieces[::PIECES] = [LEAD % number for number in range(sealed + 1, to + 1)]
        if not self.odd:
            said = [view.said for view in self.views[self.starts[sealed] : self.starts[to]]]
            pieces[1::PIECES], pieces[2::PIECES] = said[::2], said[1::2]
            return pieces
        for at, number in enumerate(range(sealed + 1, to + 1)):
            turn, first = self.odd.get(number), self.starts[number - 1]
            said = [turn.seal(texts).line] if turn else [view.said for view in self.views[first : first + 2]]
            pieces[PIECES * at + 1 : PIECES * at + 1 + len(said)] = said
        return pieces

    def among(self, sealed: int, to: int) -> list[tuple[int, Turn]]:
        """The odd turns of sealed+1…to, in order, with their numbers."""
        odd = self.odd
        return [(number, odd[number]) for number in range(sealed + 1, to + 1) if number in odd] if odd else []

    def drawn(self, sealed: int, to: int) -> int:
        """Images in messages that turns sealed+1…to carry."""
        return self._drawn[bisect_right(self.pictured, to)] - self._drawn[bisect_right(self.pictured, sealed)]

    def _own_images(self, turn: Turn) -> int:
        if turn.by_results.whole:
            return 0
        return sum([view.own_images for view in self.views[turn.first : turn.end] if view.role == "user"])


def _run_on(sums: list[int], added: Iterable[int]) -> None:
    sums += accumulate(added, initial=sums.pop())


def _complete(starts: Sequence[int], views: Sequence[View], same: int) -> int:
    """How many leading turns lie in the same items and have ended: observed, and the next item begins an action."""
    known = bisect_right(starts, same) - 1
    if known > 0 and starts[known] == same < len(views):
        known -= views[same].role != "assistant" or views[same - 1].role == "assistant"
    return max(0, known)
