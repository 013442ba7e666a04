"""A folded message list as data: which items stay, what is added behind which, where the tail begins."""

import msgspec


class Block(msgspec.Struct, frozen=True):
    """Text of ours: one block of the summary, as a JSON string; `mark` is the cache breakpoint on it, as JSON."""

    json: bytes
    mark: bytes = b""


class Carried(msgspec.Struct, frozen=True):
    """The caller's own content of a sealed item, results left out.

    item: its position in the request; turn: the turn it is of; dropped: the images of it, by number, that become
    `[image]`.
    """

    item: int
    turn: int
    dropped: tuple[int, ...] = ()


class KeptImage(msgspec.Struct, frozen=True):
    """An image of a sealed result: the item, the number of the image among the images of its results, and its label."""

    item: int
    number: int
    label: str


Addition = Block | Carried | KeptImage


class Slot(msgspec.Struct, frozen=True):
    """A message of the folded list: an item of the request, or a new user message (None); and what is added behind.

    `unthought`: its thinking is left out.
    """

    item: int | None
    added: tuple[Addition, ...] = ()
    unthought: bool = False


class Layout(msgspec.Struct, frozen=True):
    """The folded list: the slots, then every item from `tail` on as it is."""

    slots: tuple[Slot, ...]
    tail: int
