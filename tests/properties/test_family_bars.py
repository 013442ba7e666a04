"""What the cap and the fold keep of a long task, and what they cost, on the cost family."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from foldpoint import Engine, Policy
from foldpoint.core.policy import OutputCap, Trajectory
from foldpoint.lab.replay import replay
from foldpoint.lab.steps import caching
from foldpoint.surfaces import SURFACES

BOTH = Policy(Trajectory(horizon="adaptive", extract="evidence"), OutputCap("prod", 2_000))
pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def family(shared: Path) -> ModuleType:
    """The transcripts with planted facts."""
    spec = importlib.util.spec_from_file_location("family", shared / "checks" / "family.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("shape", ["anthropic", "openai-chat"])
def test_a_task_of_eighty_steps(family: ModuleType, shape: str) -> None:
    """Costs at most 0.22 of sending everything; most facts are visible, all others are recallable, nothing that the
    person said is lost, and the prefix is kept between two folds."""
    _, cut, facts = family.transcript(steps=80, seed=301, shape=shape)
    bodies = [caching(msgspec.json.encode(cut(step)), shape) for step in range(1, 81)]
    assert replay(bodies, shape, Engine(BOTH)).cost <= 0.22 * replay(bodies, shape).cost
    engine, kept = Engine(BOTH), list[str]()
    before, moved = list[bytes](), 0
    for body in bodies:
        folded = engine.fold(body, shape)
        kept += texts_of(shape, [hidden.item for hidden in folded.hidden])
        now = plain(SURFACES[shape].read(folded.body).items)
        moved += now[: len(before)] != before
        assert now[: len(before)] == before or folded.receipt.moved
        before = now
    sent = msgspec.json.decode(folded.body)
    visible = {fact["needle"] for fact in family.visible(sent, facts)}
    assert len(visible) >= 0.6 * len(facts)
    hidden = {fact["needle"] for fact in facts} - visible
    assert [needle for needle in hidden if not any(needle in text for text in kept)] == []
    said = "\0".join(family.users(sent))
    assert [text for text in family.users(cut(80)) if text not in said] == []
    assert 0 < moved < 20


@pytest.mark.parametrize("shape", ["anthropic", "openai-chat"])
def test_a_short_task_never_costs_more(family: ModuleType, shape: str) -> None:
    """At any of its twenty steps."""
    _, cut, _ = family.transcript(steps=20, seed=302, shape=shape)
    bodies = [caching(msgspec.json.encode(cut(step)), shape) for step in range(1, 21)]
    for count in range(1, 21):
        assert replay(bodies[:count], shape, Engine(BOTH)).cost <= replay(bodies[:count], shape).cost


def texts_of(shape: str, items: list[bytes]) -> list[str]:
    """All that the results in the items say, as JSON spells it and as it is."""
    return [text for item in items for told in SURFACES[shape].results(item) for text in told.texts]


def plain(items: Any) -> list[bytes]:
    """The items without their cache marks, which the client moves."""
    return [item.replace(b',"cache_control":{"type":"ephemeral"}', b"") for item in items]
