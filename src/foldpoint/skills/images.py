"""Which images survive the sealing of their turns."""

from collections.abc import Sequence

import msgspec

from ..core.edit import KeptImage
from ..core.transcript import BLOCK_SIZE, IMAGE_SIZE, View
from .turns import Turn

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


class Choice(msgspec.Struct, frozen=True):
    """What a move does with images: those that stand last afterwards; of their bytes, those sent before in that place;
    and of carried messages, by item, the numbers of the images that are left out."""

    images: Images = Images()
    stayed: int = 0
    dropped: dict[int, tuple[int, ...]] = {}

    @property
    def added(self) -> int:
        """Bytes that the move writes because of images, beside lines and carried messages; may be negative."""
        left_out = sum(map(len, self.dropped.values())) * (IMAGE_SIZE - _PLACEHOLDER)
        return self.images.size - self.stayed - left_out


def newest(turns: Sequence[Turn], views: Sequence[View], until: int, count: int) -> list[Picture]:
    """The newest images of turns 1…until, the newest first."""
    found: list[Picture] = []
    for number in range(until, 0, -1):
        if len(found) >= count:
            break
        if turns[number - 1].images:
            found += reversed(pictures(turns[number - 1], views, number))
    return found[:count]


def pictures(turn: Turn, views: Sequence[View], number: int) -> list[Picture]:
    """Every image of a turn, in order."""
    found = []
    for item in range(turn.first, turn.end):
        in_results = sum(result.images for result in views[item].results)
        total = in_results + views[item].own_images
        found += [Picture(number, item, at, at >= in_results) for at in range(total)]
    return found


def chosen(
    turns: Sequence[Turn], views: Sequence[View], count: int, turn: int, sealed: int, to: int, texts: Sequence[bool]
) -> Choice:
    """Choose at a move from `sealed` to `to` at `turn`. `texts[n - 1]`: turn n is sealed as one of plain messages."""
    best = newest(turns, views, turn, count)
    last = [
        picture
        for picture in reversed(best)
        if picture.turn <= to
        and not _whole(turns, texts, picture.turn)
        and (texts[picture.turn - 1] or not picture.own)
    ]
    labels = [label(picture, views[picture.item]) for picture in last]
    sizes = [2 * BLOCK_SIZE + IMAGE_SIZE + len(text.encode()) for text in labels]
    kept = tuple(KeptImage(picture.item, picture.number, text) for picture, text in zip(last, labels, strict=True))
    stayed = sum(size for picture, size in zip(last, sizes, strict=True) if picture.turn <= sealed)
    dropped: dict[int, tuple[int, ...]] = {}
    for number in range(sealed + 1, to + 1):
        if turns[number - 1].images and not texts[number - 1] and not _whole(turns, texts, number):
            for picture in pictures(turns[number - 1], views, number):
                if picture.own and picture not in best:
                    own = picture.number - sum(result.images for result in views[picture.item].results)
                    dropped[picture.item] = (*dropped.get(picture.item, ()), own)
    return Choice(Images(kept, sum(sizes)), stayed, dropped)


def _whole(turns: Sequence[Turn], texts: Sequence[bool], number: int) -> bool:
    turn = turns[number - 1]
    return (turn.by_texts if texts[number - 1] else turn.by_results).whole


def label(picture: Picture, view: View) -> str:
    """The line that leads a kept image."""
    at = picture.number
    for result in view.results:
        if at < result.images:
            return f"[image of tool_result[{result.id}]]"
        at -= result.images
    return f"[image of turn {picture.turn}]"
