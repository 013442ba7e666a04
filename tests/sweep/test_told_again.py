"""Every item of the corpus and of the recordings: its results read, and told shorter."""

from collections import Counter
from pathlib import Path

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Surface
from foldpoint.core.told import retold
from foldpoint.core.transcript import Limits
from foldpoint.surfaces import SURFACES
from naive import told as naive
from naive.rawjson import value
from naive.sources import corpus, recordings

FIRST = 100
"""Characters that each text keeps."""


def items(shared: Path) -> set[tuple[str, bytes]]:
    """(surface, item) of the last request of every transcript, that can be read."""
    found = set()
    for source in (*corpus(shared), *recordings(shared)):
        try:
            request = SURFACES[source.surface].read(source.steps[-1], source.path)
        except Unreadable:
            continue
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
        "as a naive reading": [(told.id, len(told.texts)) for told in results]
        == [(id, len(slots)) for id, slots in wanted],
        "the ids of the view": ids == [each.id for each in view.results],
        "the ids stay": ids == [told.id for told in read] == [each.id for each in after.results],
        "the texts are those given": [list(told.texts) for told in read] == short,
        "role and calls stay": (view.role, view.calls) == (after.role, after.calls),
        "as it is, the same object": retold(item, results, [told.texts for told in results]) is item,
    }
    return [f"{surface.name}: {what}: {item[:200]!r}" for what, so in holds.items() if not so]


@pytest.mark.shared
def test_every_result_can_be_told_shorter(shared: Path) -> None:
    """The item still reads, with the same results; on every surface there are results with a text."""
    found = items(shared)
    assert [problem for name, item in sorted(found) for problem in problems(SURFACES[name], item)] == []
    told = Counter(name for name, item in found for result in SURFACES[name].results(item) if result.texts)
    assert {name for name, count in told.items() if count > 20} == set(SURFACES)
