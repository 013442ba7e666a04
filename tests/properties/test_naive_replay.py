"""The fold point at every turn, against a naive replay that works everything out from nothing."""

import json
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine, fold
from foldpoint.pricing.catalog import rates_of
from naive.invariants import MARKER, Body
from naive.reading import numbered, read
from naive.replay import Replay
from naive.sources import FOLDERS
from naive.strategies import SURFACES, shapes, trajectories
from naive.transcripts import Shape, body_of

stable = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.timeout(900)  # where a property fails, finding its smallest example takes a while
ANEW = 20
STILL = {("gemini", 3)}  # (surface, policy) under which no fold pays in any of the few transcripts there are
POLICIES = [
    Trajectory(
        horizon=horizon, token_watermark=watermark, expected_task_steps=steps, payback_turns=payback, pricing=False
    )
    for horizon, watermark, steps, payback in [
        ("adaptive", 20_000, 12, None),
        ("adaptive", 0, 12, None),
        ("adaptive", 5_000, 12, None),
        ("task", 20_000, 12, None),
        ("task", 0, 40, None),
        ("task", 20_000, 40, None),
        ("task", 5_000, 12, 1000),
    ]
]


def differences(body: bytes, surface: str, policy: Trajectory) -> list[str]:
    """Where engine and naive replay part, at each turn of the request.

    The naive replay of the whole request must say the same as one from nothing of the request that ends with the turn;
    in long transcripts that is looked at for every tenth turn.
    """
    engine = Engine(Policy(agent_trajectory_compaction=policy))
    whole = Replay(read(body, surface), policy).decisions
    found = []
    for turn, step in numbered(body, surface):
        decision = whole[turn - 1]
        if (len(whole) <= ANEW or turn % 10 == 0) and Replay(read(step, surface), policy).decisions[-1] != decision:
            found.append(f"turn {turn}: the naive replay changes its mind")
        receipt = engine.fold(step, surface).receipt
        told = (receipt.sealed, receipt.held, receipt.moved or (receipt.reason == "not_smaller" and decision.moved))
        wanted = (decision.sealed, decision.held, decision.moved)
        if receipt.verdict != "skipped" and told != wanted:
            found.append(f"turn {turn}: sealed, held, moved are {told}, want {decision}")
    return found


@stable
@given(shapes(least=4), trajectories())
def test_the_replay_agrees_on_made_transcripts(shape: Shape, policy: Trajectory) -> None:
    """sealed, held and moved are what the naive replay says, at every turn."""
    assert differences(body_of(shape), shape.surface, policy) == []


@stable
@given(shapes(least=4))
def test_the_normalised_size_agrees(shape: Shape) -> None:
    """With one byte a token the receipt's tokens are the naive size, before and after the fold."""
    policy = Trajectory(bytes_per_token=1.0, payback_turns=1000, token_watermark=0, pricing=False)
    body = body_of(shape)
    receipt = fold(body, shape.surface, Policy(agent_trajectory_compaction=policy)).receipt
    reading = read(body, shape.surface)
    replay = Replay(reading, policy)
    sent = replay.states[-1].size if replay.states else 0
    after = sent + replay.measure(receipt.sealed + 1, receipt.total)
    wanted = (reading.size, after if receipt.verdict == "compacted" else reading.size)
    assert (receipt.tokens_before, receipt.tokens_after) == wanted


@stable
@given(shapes(least=6), trajectories())
def test_the_blocks_are_the_naive_ones(shape: Shape, policy: Trajectory) -> None:
    """Every block has the text that the naive entries have."""
    body = body_of(shape)
    folded = fold(body, shape.surface, Policy(agent_trajectory_compaction=policy))
    if folded.receipt.verdict != "compacted":
        return
    said = "\0".join(Body(shape.surface, folded.body).user_texts)
    for block in Replay(read(body, shape.surface), policy).states[-1].blocks:
        assert block in said
    assert MARKER in said


@pytest.mark.shared
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("number", range(len(POLICIES)))
def test_the_replay_agrees_on_the_corpus(shared: Path, surface: str, number: int) -> None:
    """The same, on every request of the corpus."""
    found, moves = [], 0
    for path in sorted((shared / "corpus" / "requests" / FOLDERS[surface]).glob("*.json")):
        body = path.read_bytes()
        if not read(body, surface).turns:
            continue
        found += [f"{path.name}: {problem}" for problem in differences(body, surface, POLICIES[number])]
        moves += sum(decision.moved for decision in Replay(read(body, surface), POLICIES[number]).decisions)
    assert found == []
    assert (moves > 0) != ((surface, number) in STILL)


@stable
@given(shapes(least=6))
def test_known_prices_are_used_as_ratios(shape: Shape) -> None:
    """With `pricing` the model's own row of the price table is what the gate weighs."""
    body = body_of(shape).replace(b"made-model-1", b"claude-haiku-4-5")
    rates = rates_of("claude-haiku-4-5")
    pair = (Fraction(str(rates.read)), Fraction(str(rates.write)))
    for horizon in ("task", "adaptive"):
        policy = msgspec.structs.replace(Trajectory(), horizon=horizon, expected_task_steps=40)
        decision = Replay(read(body, shape.surface), policy, pair).decisions[-1]
        receipt = fold(body, shape.surface, Policy(agent_trajectory_compaction=policy)).receipt
        assert (receipt.sealed, receipt.held, receipt.moved) == (decision.sealed, decision.held, decision.moved)
    assert (json.loads(body).get("model") or json.loads(body)["modelId"]) in ("claude-haiku-4-5", "other")
