"""Digests that stay the same as long as what they stand for does."""

from collections.abc import Sequence
from hashlib import sha256

from ..core.edit import Carried
from ..core.ports import Surface
from .seal import Fold, Kept

OPENING_HEX = 16
CHECKPOINT_HEX = 12


def opening_of(surface: Surface, items: Sequence[bytes]) -> str:
    """Digest of the opening messages, cache marks and spelling apart: the name of a transcript."""
    return _digest([surface.normal(item) for item in items])[:OPENING_HEX]


def checkpoint_of(
    surface: Surface, items: Sequence[bytes], folds: Sequence[Fold], before: tuple[str, int] = ("", 0)
) -> str:
    """Digest of the blocks and of what they carry, all of it: it changes when the folded prefix does, and only then.

    One is made of the other, fold by fold. before: that of so many leading folds, to go on from.
    """
    digest, made = before
    for fold in folds[made:]:
        carried = [surface.normal(items[item]) for kept in fold.kept for item in _positions(kept)]
        digest = _digest([digest.encode(), fold.block.json, *carried])
    return digest


def _positions(kept: Carried | Kept) -> range:
    return range(kept.item, kept.item + 1) if isinstance(kept, Carried) else range(kept.first, kept.end)


def _digest(parts: Sequence[bytes]) -> str:
    """One digest of all parts: each with its length, so that no two lists are alike."""
    return sha256(b"".join([b"%d:%b" % (len(part), part) for part in parts])).hexdigest()
