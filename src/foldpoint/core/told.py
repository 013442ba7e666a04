"""A tool result as it stands in an item: who gave it, what it says, and where."""

from collections.abc import Sequence
from typing import NamedTuple

from .text import spelled


class Place(NamedTuple):
    """Where a text stands in the item, in bytes, and what stands around another one in its place, as JSON."""

    start: int
    end: int
    lead: bytes = b'"'
    trail: bytes = b'"'


class Told(NamedTuple):
    """A tool result in an item: the id of its call, the tool's name (empty where the result does not say it), and its
    texts, decoded, each with its place. Images and documents are no texts."""

    id: str
    name: str
    texts: tuple[str, ...]
    places: tuple[Place, ...] = ()

    @property
    def characters(self) -> int:
        """What it says in all."""
        return sum(map(len, self.texts))


def retold(item: bytes, results: Sequence[Told], texts: Sequence[Sequence[str | None] | None]) -> bytes:
    """The item with other texts in its results (None = as it is); the item itself where nothing is another."""
    edits = [
        (place, text)
        for told, given in zip(results, texts, strict=True)
        if given is not None
        for place, old, text in zip(told.places, told.texts, given, strict=True)
        if text is not None and text != old
    ]
    if not edits:
        return item
    pieces, at = [], 0
    for place, text in sorted(edits):
        pieces += [item[at : place.start], place.lead, spelled(text), place.trail]
        at = place.end
    return b"".join([*pieces, item[at:]])
