"""Moves of the fold point: the blocks they write and what stays of the turns they seal."""

from collections.abc import Mapping, Sequence

import msgspec

from ..core.edit import Block, Carried
from ..core.text import MARKER, spelled
from .ledger import PIECES, Ledger
from .turns import Turn

_LATER = b'"' + MARKER.encode()
"""How a block begins that stands behind another one."""


class Kept(msgspec.Struct, frozen=True):
    """Items first…end-1 that stay as they are: a turn kept whole, or a system message."""

    first: int
    end: int


class Move(msgspec.Struct, frozen=True):
    """A decision to move the fold point.

    turn: the live turn at which it was made; sealed: turns sealed after it; texts: its turns are of plain messages;
    rewritten: bytes that the provider has to read anew; dropped: for each item carried, the images that it loses.
    """

    turn: int
    sealed: int
    texts: bool
    rewritten: int
    dropped: Mapping[int, tuple[int, ...]]


class Fold(msgspec.Struct, frozen=True):
    """A move made. `block`: what it writes; `kept`: what stays of its turns, in order; the rest as in `Move`."""

    turn: int
    sealed: int
    texts: bool
    block: Block
    kept: tuple[Carried | Kept, ...]
    rewritten: int


def folds_of(ledger: Ledger, sealed: int, moves: Sequence[Move]) -> list[Fold]:
    """Make the moves, one after the other, where so many turns are sealed already."""
    first, found = sealed, list[Fold]()
    said = {texts: ledger.said(texts, sealed, moves[-1].sealed) for texts in {move.texts for move in moves}}
    for move in moves:
        lines = said[move.texts][PIECES * (sealed - first) : PIECES * (move.sealed - first)]
        block = Block(b"".join([_LATER if sealed else b'"' + spelled(ledger.opening), *lines, b'"']))
        kept = _kept(ledger, sealed, move) if ledger.carries else ()
        found.append(Fold(move.turn, move.sealed, move.texts, block, kept, move.rewritten))
        sealed = move.sealed
    return found


def _kept(ledger: Ledger, sealed: int, move: Move) -> tuple[Carried | Kept, ...]:
    kept = list[Carried | Kept]()
    for number, turn in ledger.among(sealed, move.sealed):
        whole = turn.seal(move.texts).whole
        kept += [Kept(turn.first, turn.end)] if whole else _carried(ledger, number, turn, move)
    return tuple(kept)


def _carried(ledger: Ledger, number: int, turn: Turn, move: Move) -> list[Carried | Kept]:
    found = list[Carried | Kept]()
    for item in range(turn.first, turn.end):
        view = ledger.views[item]
        if view.role == "system":
            found.append(Kept(item, item + 1))
        elif view.role == "user" and view.own and not move.texts:
            found.append(Carried(item, number, move.dropped.get(item, ())))
    return found
