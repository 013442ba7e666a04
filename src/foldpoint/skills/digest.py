"""Digests that stay the same as long as what they stand for does."""

from collections.abc import Sequence
from hashlib import blake2b

from ..core.edit import Carried
from ..core.ports import Surface
from .seal import Fold, Kept

OPENING_HEX = 16
CHECKPOINT_HEX = 12


def opening_of(surface: Surface, items: Sequence[bytes]) -> str:
    """Digest of the opening messages, cache marks and spelling apart: the name of a transcript."""
    digest = blake2b(digest_size=OPENING_HEX // 2)
    for item in items:
        _feed(digest, surface.normal(item))
    return digest.hexdigest()


def checkpoint_of(surface: Surface, items: Sequence[bytes], folds: Sequence[Fold]) -> str:
    """Digest of the blocks and of what they carry: it changes when the folded prefix does, and only then."""
    if not folds:
        return ""
    digest = blake2b(digest_size=CHECKPOINT_HEX // 2)
    for fold in folds:
        _feed(digest, fold.block.encode())
        for kept in fold.kept:
            for item in _positions(kept):
                _feed(digest, surface.normal(items[item]))
    return digest.hexdigest()


def _positions(kept: Carried | Kept) -> range:
    return range(kept.item, kept.item + 1) if isinstance(kept, Carried) else range(kept.first, kept.end)


def _feed(digest: blake2b, part: bytes) -> None:
    digest.update(len(part).to_bytes(8, "big") + part)
