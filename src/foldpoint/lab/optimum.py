"""The clairvoyant optimum: the least a fold could have cost, the whole transcript known beforehand.

A dynamic program over (request, sealed turns); append layout, warm cache. Beside it the proven factor of the
adaptive gate.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm

import msgspec

PATIENCE = 3
"""The adaptive gate's lambda: guards the case of lines nearly as long as what they replace."""


class Sizes(msgspec.Struct, frozen=True):
    """One transcript in sizes (bytes or tokens, one unit throughout).

    `head` stands in the message list before the first turn, `outside` beside the list (tools, system). `turns` are
    whole, `lines` are what the fold writes and carries for each; a block adds `first_block` or `block` of its own.
    """

    head: int
    turns: tuple[int, ...]
    lines: tuple[int, ...]
    outside: int = 0
    first_block: int = 0
    block: int = 0


class Prices(msgspec.Struct, frozen=True):
    """Cache prices in units of the uncached input price."""

    read: Fraction
    write: Fraction

    def whole(self) -> tuple[int, int, int]:
        """(read, write, one) as integers of one scale."""
        scale = lcm(self.read.denominator, self.write.denominator)
        return int(self.read * scale), int(self.write * scale), scale


class Chances(msgspec.Struct, frozen=True):
    """When a fold may move: at turns `epoch`·k + 1 (None: at every turn), keeping `keep` turns whole.

    `watermark` (0: none) is the size of head and list over which every request is a chance.
    """

    epoch: int | None = 5
    keep: int = 2
    watermark: int = 0

    def at(self, turn: int) -> bool:
        """Whether a turn is a chance whatever stands in the transcript."""
        return self.epoch is None or (turn > 1 and turn % self.epoch == 1)


class Optimum(msgspec.Struct, frozen=True):
    """The least cost, in uncached input units, and the turns sealed at each request."""

    cost: Fraction
    path: tuple[int, ...]


class Ledger:
    """What each request of one transcript costs, in whole units."""

    def __init__(self, sizes: Sizes, prices: Prices) -> None:
        self.sizes = sizes
        self.read, self.write, self.one = prices.whole()
        self.full = list(accumulate(sizes.turns, initial=0))
        self.line = list(accumulate(sizes.lines, initial=0))
        self.head = sizes.head + sizes.outside
        self.last = len(sizes.turns)

    @property
    def opening(self) -> int:
        """The request in front of the first turn: the head, all of it new."""
        return self.write * self.head

    def stay(self, sealed: int, turn: int) -> int:
        """The request behind a turn with the fold where it was: the turn is new, all else is read."""
        fresh = self.full[turn] - self.full[turn - 1]
        known = self.head + self.line[sealed] + self.full[turn - 1] - self.full[sealed]
        return self.read * known + self.write * fresh

    def leave(self, sealed: int, turn: int) -> int:
        """The part of a move that only the place left decides: what stays cached, the block's own words to the end."""
        words = self.sizes.block if sealed else self.sizes.first_block
        kept = self.read * (self.head + self.line[sealed]) - self.write * self.line[sealed]
        return kept + words * (self.write + self.read * (self.last - turn))

    def arrive(self, sealed: int, turn: int) -> int:
        """The part of a move that only the new place decides: the new lines and the tail, all written."""
        return self.write * (self.line[sealed] + self.full[turn] - self.full[sealed])

    def request(self, before: int, sealed: int, turn: int) -> int:
        """The request behind a turn, the fold going from one place to the other."""
        if sealed == before:
            return self.stay(sealed, turn)
        return self.leave(before, turn) + self.arrive(sealed, turn)

    def over(self, sealed: int, turn: int, watermark: int) -> bool:
        """Whether head and list stand over the watermark (a block's own words are counted once)."""
        listed = self.sizes.head + self.line[sealed] + self.full[turn] - self.full[sealed]
        return watermark > 0 and listed + (self.sizes.first_block if sealed else 0) > watermark


def path_cost(sizes: Sizes, prices: Prices, path: Sequence[int]) -> Fraction:
    """What a given sequence of sealed counts costs (one for each turn), the opening request included."""
    ledger = Ledger(sizes, prices)
    moves = zip((0, *path), path, range(1, len(path) + 1), strict=False)
    later = sum(ledger.request(before, sealed, turn) for before, sealed, turn in moves)
    return Fraction(ledger.opening + later, ledger.one)


def optimum(sizes: Sizes, prices: Prices, chances: Chances) -> Optimum:
    """The least cost of any fold that moves only at its chances, and how it moves. O(turns) a request."""
    ledger = Ledger(sizes, prices)
    costs = {0: ledger.opening}
    came: list[dict[int, int]] = []
    for turn in range(1, ledger.last + 1):
        stayed = {sealed: cost + ledger.stay(sealed, turn) for sealed, cost in costs.items()}
        moved = {}
        for sealed, before, cost in arrivals(ledger, costs, turn, chances):
            if sealed not in stayed or cost < stayed[sealed]:
                stayed[sealed] = cost
                moved[sealed] = before
        costs = stayed
        came.append(moved)
    sealed = min(costs, key=costs.__getitem__)
    return Optimum(Fraction(costs[sealed], ledger.one), tuple(back(came, sealed)))


def arrivals(ledger: Ledger, costs: dict[int, int], turn: int, chances: Chances) -> Iterator[tuple[int, int, int]]:
    """(new place, cheapest place to come from, cost) for every place a move may reach with this turn."""
    newest = turn - chances.keep
    leaving = {
        place: cost + ledger.leave(place, turn)
        for place, cost in costs.items()
        if place < newest and (chances.at(turn) or ledger.over(place, turn, chances.watermark))
    }
    if not leaving:
        return
    best = min(leaving, key=leaving.__getitem__) if chances.epoch else 0
    for sealed in range(newest if chances.epoch else 1, newest + 1):
        if not chances.epoch and leaving.get(sealed - 1, leaving[best]) < leaving[best]:
            best = sealed - 1
        yield sealed, best, leaving[best] + ledger.arrive(sealed, turn)


def back(came: list[dict[int, int]], sealed: int) -> list[int]:
    """The path that ends with this many turns sealed."""
    path = []
    for moved in reversed(came):
        path.append(sealed)
        sealed = moved.get(sealed, sealed)
    return path[::-1]


def moments(sizes: Sizes, chances: Chances) -> list[tuple[int, int]]:
    """(turn, candidate) of every chance a replay could be offered."""
    ledger = Ledger(sizes, Prices(Fraction(0), Fraction(1)))
    turns = range(chances.keep + 1, ledger.last + 1)
    offered = (turn for turn in turns if chances.at(turn) or ledger.over(0, turn, chances.watermark))
    return [(turn, turn - chances.keep) for turn in offered]


def floor(sizes: Sizes, prices: Prices, chances: Chances) -> Fraction:
    """A cost no fold can go below: always sealed as far as allowed, every move free."""
    least = [min(pair) for pair in zip(sizes.turns, sizes.lines, strict=True)]
    ledger = Ledger(msgspec.structs.replace(sizes, lines=tuple(least)), prices)
    allowed, total, sealed = dict(moments(sizes, chances)), ledger.opening, 0
    for turn in range(1, ledger.last + 1):
        sealed = allowed.get(turn, sealed)
        total += ledger.stay(sealed, turn)
    return Fraction(total, ledger.one)


def proven_factor(sizes: Sizes, prices: Prices, chances: Chances) -> Fraction:
    """The factor of the optimum that the adaptive gate never exceeds on this transcript.

    Proven where `keep` - 1 <= `epoch` (off the grid and over the watermark: `keep` <= 2). A block's own words, and
    lines longer than their turn, are charged in full from the first request that could hold them.
    """
    offered = moments(sizes, chances)
    if not offered:
        return Fraction(1)
    full = list(accumulate(sizes.turns, initial=0))
    tails = sum(full[turn - 1] - full[sealed] for turn, sealed in offered)
    words = sizes.first_block + sizes.block * (len(offered) - 1)
    lines = sum(sizes.lines) + words
    extra = sum(surcharge(sizes, prices, offered))
    paid = (prices.write - prices.read) * (tails + (1 + Fraction(1, PATIENCE)) * lines) + extra
    return 1 + paid / floor(sizes, prices, chances)


def surcharge(sizes: Sizes, prices: Prices, offered: list[tuple[int, int]]) -> Iterator[Fraction]:
    """What the blocks' own words and over-long lines can add to the proof's account."""
    last, done = len(sizes.turns), 0
    for turn, sealed in offered:
        words = sizes.block if done else sizes.first_block
        long = sum(max(0, sizes.lines[at] - sizes.turns[at]) for at in range(done, sealed))
        done = sealed
        yield (words + long) * (prices.write + prices.read * (last - turn))
