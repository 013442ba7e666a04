"""A move of the fold point: the block it writes and what stays of the turns it seals."""

from collections.abc import Mapping

import msgspec

from ..core.edit import Carried
from ..core.text import MARKER
from .ledger import Ledger


class Kept(msgspec.Struct, frozen=True):
    """Items first…end-1 that stay as they are: a turn kept whole, or a system message."""

    first: int
    end: int


class Fold(msgspec.Struct, frozen=True):
    """One move of the fold point.

    turn: the live turn at which it was decided; sealed: turns sealed after it; texts: its turns are of plain messages;
    block: its text; kept: what stays of its turns, in order; rewritten: bytes that the provider had to read anew.
    """

    turn: int
    sealed: int
    texts: bool
    block: str
    kept: tuple[Carried | Kept, ...]
    rewritten: int


def fold_of(
    ledger: Ledger, turn: int, sealed: int, to: int, dropped: Mapping[int, tuple[int, ...]], rewritten: int
) -> Fold:
    """Seal turns sealed+1…to at `turn`."""
    texts = ledger.texts(turn)
    turns = ledger.turns[sealed:to]
    seals = [each.by_texts for each in turns] if texts else [each.by_results for each in turns]
    block = "\n".join([MARKER if sealed else ledger.opening, *[seal.line for seal in seals]])
    kept: list[Carried | Kept] = []
    if ledger.carries:
        for number, (each, seal) in enumerate(zip(turns, seals, strict=True), sealed + 1):
            kept += [Kept(each.first, each.end)] if seal.whole else _carried(ledger, number, texts, dropped)
    return Fold(turn, to, texts, block, tuple(kept), rewritten)


def _carried(ledger: Ledger, number: int, texts: bool, dropped: Mapping[int, tuple[int, ...]]) -> list[Carried | Kept]:
    turn, found = ledger.turns[number - 1], list[Carried | Kept]()
    for item in range(turn.first, turn.end):
        view = ledger.views[item]
        if view.role == "system":
            found.append(Kept(item, item + 1))
        elif view.role == "user" and view.own and not texts:
            found.append(Carried(item, number, dropped.get(item, ())))
    return found
