"""Every item of the corpus and of the recordings: its results read, and told shorter."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Surface
from foldpoint.core.told import Place, Told, retold
from foldpoint.core.transcript import Limits, View
from foldpoint.surfaces import SURFACES
from naive import told as naive
from naive.rawjson import value
from naive.sources import corpus, recordings

FIRST = 100
"""Characters that each text keeps."""


def items(shared: Path) -> set[tuple[str, bytes]]:
    """(surface, item) of every request that can be read; what many requests hold stands there once."""
    found = set()
    for source in (*corpus(shared), *recordings(shared)):
        for step in source.steps:
            with suppress(Unreadable):
                request = SURFACES[source.surface].read(step, source.path)
                found |= {(source.surface, item) for item in request.items}
    return found


def problems(surface: Surface, item: bytes) -> list[str]:
    """What does not hold for the item."""
    results, view = surface.results(item), surface.view(item, Limits())
    wanted, ids = naive.found(surface.name, value(item.decode())), [told.id for told in results]
    short = [[text[:FIRST] for text in told.texts] for told in results]
    changed = retold(item, results, short)
    after, read = surface.view(changed, Limits()), surface.results(changed)
    holds = {
        "as a naive reading": ids == [id for id, _ in wanted] and all(map(agree, results, wanted)),
        "all else stays": around(item, results, short) == around(changed, read, short),
        "the ids of the view": ids == view_ids(view),
        "the ids stay": ids == [told.id for told in read] and view_ids(view) == view_ids(after),
        "the texts are those given": [list(told.texts) for told in read] == short,
        "role, calls and marks stay": (view.role, view.calls, view.marked) == (after.role, after.calls, after.marked),
        "as it is, the same object": retold(item, results, [told.texts for told in results]) is item,
    }
    return [f"{surface.name}: {what}: {item[:200]!r}" for what, so in holds.items() if not so]


def agree(told: Told, wanted: tuple[str, list[naive.Slot]]) -> bool:
    """Are the texts those of the naive reading?"""
    slots = wanted[1]
    return len(slots) == len(told.texts) and all(map(naive.says, slots, told.texts))


def view_ids(view: View) -> list[str]:
    """The ids of a view's results. An assistant's are what the provider ran (images it drew): these are not told."""
    return [each.id for each in view.results if view.role != "assistant"]


def around(item: bytes, results: Sequence[Told], texts: Sequence[Sequence[str]]) -> bytes:
    """The item with a NUL for each text; JSON that is told by another text stands as what it then becomes."""
    made, at = b"", 0
    pairs = [pair for told, given in zip(results, texts, strict=True) for pair in spots(told, given)]
    for place, same in sorted(pairs):
        made += item[at : place.start] + (b"" if same else place.lead[:-1]) + b"\0" + (b"" if same else place.trail[1:])
        at = place.end
    return made + item[at:]


def spots(told: Told, given: Sequence[str]) -> list[tuple[Place, bool]]:
    """(place, is the text the old one?)"""
    return [(place, old == new) for place, old, new in zip(told.places, told.texts, given, strict=True)]


@pytest.mark.shared
def test_every_result_can_be_told_shorter(shared: Path) -> None:
    """The item still reads, with the same results; on every surface there are results with a text."""
    found = items(shared)
    assert [problem for name, item in sorted(found) for problem in problems(SURFACES[name], item)] == []
    told = Counter(name for name, item in found for result in SURFACES[name].results(item) if result.texts)
    assert {name for name, count in told.items() if count > 20} == set(SURFACES)
