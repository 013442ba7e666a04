"""Which images survive the sealing of their turns."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ..core.edit import KeptImage
from ..core.text import weight
from ..core.transcript import BLOCK_SIZE, IMAGE_SIZE, View
from .ledger import Ledger
from .seal import Fold, Move
from .turns import Seal

_PLACEHOLDER = len("[image]")


class Picture(msgspec.Struct, frozen=True):
    """An image of a turn: its item, its number there (those in results first), and whether a message carries it."""

    turn: int
    item: int
    number: int
    own: bool


class Images(msgspec.Struct, frozen=True):
    """The images of sealed turns that stand last, in front of the tail, and their bytes."""

    kept: tuple[KeptImage, ...] = ()
    size: int = 0


class Choice(NamedTuple):
    """What a move does with images. `best`: the newest, newest first; `last`: those of them that stand last afterwards.

    size: bytes of these; stayed: of those that stood there before; left_out: bytes that carried messages lose.
    """

    best: Sequence[Picture] = ()
    last: Sequence[Picture] = ()
    size: int = 0
    stayed: int = 0
    left_out: int = 0

    @property
    def added(self) -> int:
        """Bytes that the move writes because of images, beside lines and carried messages; may be negative."""
        return self.size - self.stayed - self.left_out


def chosen(ledger: Ledger, count: int, turn: int, sealed: int, to: int, folds: Sequence[Fold | Move]) -> Choice:
    """Choose the `count` newest images at a move from `sealed` to `to` at `turn`.

    It costs what these images cost, not what the history holds.
    """
    best, now = newest(ledger, turn, count), ledger.texts(turn)
    last = []
    carried = 0
    for picture in reversed(best):
        if picture.turn > to:
            continue
        texts = now if picture.turn > sealed else folds[bisect_left(folds, picture.turn, key=_sealed)].texts
        if _seal(ledger, picture.turn, texts).whole:
            continue
        if texts or not picture.own:
            last.append(picture)
        else:
            carried += picture.turn > sealed
    sizes = [2 * BLOCK_SIZE + IMAGE_SIZE + weight(label(picture, ledger.views[picture.item])) for picture in last]
    stayed = sum([size for picture, size in zip(last, sizes, strict=True) if picture.turn <= sealed])
    dropped = 0 if now else ledger.drawn(sealed, to) - carried
    return Choice(best, last, sum(sizes), stayed, dropped * (IMAGE_SIZE - _PLACEHOLDER))


def newest(ledger: Ledger, until: int, count: int) -> list[Picture]:
    """The newest images of turns 1…until, the newest first."""
    found: list[Picture] = []
    at = bisect_right(ledger.pictured, until) - 1
    while at >= 0 and len(found) < count:
        found += reversed(pictures(ledger, ledger.pictured[at]))
        at -= 1
    return found[:count]


def pictures(ledger: Ledger, number: int) -> list[Picture]:
    """Every image of a turn, in order."""
    turn, found = ledger.odd[number], list[Picture]()
    for item in range(turn.first, turn.end):
        view = ledger.views[item]
        in_results = sum([result.images for result in view.results])
        found += [Picture(number, item, at, at >= in_results) for at in range(in_results + view.own_images)]
    return found


def kept_of(ledger: Ledger, choice: Choice) -> Images:
    """The images that stand last after a move."""
    kept = [
        KeptImage(picture.item, picture.number, label(picture, ledger.views[picture.item])) for picture in choice.last
    ]
    return Images(tuple(kept), choice.size)


def dropped_of(ledger: Ledger, choice: Choice, sealed: int, to: int) -> dict[int, tuple[int, ...]]:
    """For each message carried by a move from `sealed` to `to`, the numbers of the images that are left out of it."""
    best, dropped = set(choice.best), dict[int, tuple[int, ...]]()
    for number in ledger.pictured[bisect_right(ledger.pictured, sealed) : bisect_right(ledger.pictured, to)]:
        if _seal(ledger, number, False).whole:
            continue
        for picture in pictures(ledger, number):
            if picture.own and picture not in best:
                own = picture.number - sum([result.images for result in ledger.views[picture.item].results])
                dropped[picture.item] = (*dropped.get(picture.item, ()), own)
    return dropped


def label(picture: Picture, view: View) -> str:
    """The line that leads a kept image."""
    at = picture.number
    for result in view.results:
        if at < result.images:
            return f"[image of tool_result[{result.id}]]"
        at -= result.images
    return f"[image of turn {picture.turn}]"


def _seal(ledger: Ledger, number: int, texts: bool) -> Seal:
    return ledger.odd[number].seal(texts)


def _sealed(fold: Fold | Move) -> int:
    return fold.sealed
