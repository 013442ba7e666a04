"""A recorded Converse request becomes its session's steps, is told from other formats, and is replayed at its price."""

import json
from typing import Any

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine
from foldpoint.lab.detect import surface_of
from foldpoint.lab.replay import replay
from foldpoint.lab.steps import steps

POINT = {"cachePoint": {"type": "default"}}


def session(turns: int) -> bytes:
    """A tool loop as boto3's caller would log it."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"text": "Read all. " + "Take care. " * 400}, POINT]}
    ]
    for turn in range(turns):
        call = {"toolUse": {"toolUseId": f"t{turn}", "name": "read", "input": {"n": turn}}}
        result = {"toolResult": {"toolUseId": f"t{turn}", "content": [{"text": f"{turn} " + "word " * 500}]}}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "messages": messages}).encode()


def test_a_converse_body_is_told_from_other_formats() -> None:
    """Its blocks have no type."""
    assert surface_of(session(1)) == "bedrock"


def test_a_step_for_each_turn() -> None:
    """The opening, then the request behind each turn."""
    found = [len(json.loads(step)["messages"]) for step in steps(session(3), "bedrock")]
    assert found == [1, 3, 5, 7]


def test_a_fold_sends_less_at_the_models_price() -> None:
    """The model is the one that the log names; the cached opening is read at every step."""
    bodies = list(steps(session(14), "bedrock"))
    policy = Policy(Trajectory(payback_turns=1000))
    plain, folded = replay(bodies, "bedrock"), replay(bodies, "bedrock", Engine(policy))
    assert (plain.folds, folded.folds, plain.input_usd) == (0, 2, 3)
    assert folded.cost < 0.6 * plain.cost
    assert all(step.usage.cache_read > 0 for step in plain.steps[1:])
