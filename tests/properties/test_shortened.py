"""The cap and the stale rule, with the fold and without, on every surface: what holds for any transcript."""

import json
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from shortened import PLACEHOLDER, Made, made

from foldpoint import Engine, Policy, fold
from foldpoint.core.policy import OutputCap, StaleOutput, Trajectory
from foldpoint.surfaces import SURFACES

POLICIES = {
    "cap": Policy(Trajectory(mode="off"), OutputCap("prod", 400)),
    "cap and fold": Policy(Trajectory(payback_turns=50), OutputCap("prod", 400, recall_hint=True)),
    "stale": Policy(Trajectory(mode="off", payback_turns=50), stale_tool_output=StaleOutput("prod")),
    "stale at once": Policy(Trajectory(mode="off"), stale_tool_output=StaleOutput("prod", grid=1)),
    "all": Policy(Trajectory(horizon="adaptive"), OutputCap("prod", 700), StaleOutput("prod", grid=2)),
}
CASES = list(product(sorted(SURFACES), POLICIES))


@pytest.fixture(params=CASES, ids=["-".join(case) for case in CASES])
def case(request: pytest.FixtureRequest) -> tuple[str, Policy, list[Made]]:
    """A surface, a policy, and the requests of a transcript of 24 turns."""
    surface, name = request.param
    return surface, POLICIES[name], [made(surface, turns, random.Random(f"{surface} {name}")) for turns in range(1, 25)]


def test_an_engine_that_remembers_sends_what_a_fresh_one_does(case: tuple[str, Policy, list[Made]]) -> None:
    """At every step, and its receipt says the same."""
    surface, policy, requests = case
    engine = Engine(policy)
    shortened = 0
    for each in requests:
        warm, fresh = engine.fold(each.body, surface), fold(each.body, surface, policy)
        assert (warm.body, warm.receipt) == (fresh.body, fresh.receipt)
        shortened += warm.body != each.body
    assert shortened > len(requests) / 4


def test_what_is_kept_is_as_it_was_said(case: tuple[str, Policy, list[Made]]) -> None:
    """The body reads as JSON; the surface reads the same results in it, none longer than the cap."""
    surface, policy, requests = case
    format_, cap = SURFACES[surface], policy.tool_output_cap
    for each in requests:
        sent = fold(each.body, surface, policy).body
        json.loads(sent)
        said = [told for item in format_.read(sent).items for told in format_.results(item)]
        ids = [told.id for item in format_.read(each.body).items for told in format_.results(item)]
        assert [told.id for told in said] == ids[len(ids) - len(said) :]
        if cap.mode == "prod":
            assert max(told.characters for told in said) <= cap.max_chars


def test_what_is_hidden_is_said_once(case: tuple[str, Policy, list[Made]]) -> None:
    """Every result of which less is shown is named when it first is, as the caller sent it, and not again."""
    surface, policy, requests = case
    format_, engine = SURFACES[surface], Engine(policy)
    named: list[str] = []
    for each in requests:
        folded = engine.fold(each.body, surface)
        new = [told for hidden in folded.hidden for told in format_.results(hidden.item)]
        named += [told.id for told in new]
        given = {told.id: told.texts for item in format_.read(each.body).items for told in format_.results(item)}
        shown = {told.id: told.texts for item in format_.read(folded.body).items for told in format_.results(item)}
        assert [told for told in new if given[told.id] != told.texts] == []
        assert {id for id, texts in given.items() if shown.get(id) != texts} <= set(named)
    assert set(named) == {
        told.id for item in format_.read(requests[-1].body).items for told in format_.results(item)
    } & set(named)
    capped_then_sealed = policy.tool_output_cap.mode == "prod" and policy.agent_trajectory_compaction.mode == "prod"
    assert capped_then_sealed or len(named) == len(set(named))


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_between_two_moves_the_prefix_is_kept(surface: str) -> None:
    """With the default grid what was sent stands at the beginning of what is sent next, but where the line moves."""
    policy = POLICIES["stale"]
    engine, moves, before = Engine(policy), 0, list[bytes]()
    for turns in range(1, 31):
        folded = engine.fold(made(surface, turns, random.Random(surface)).body, surface)
        now = list(SURFACES[surface].read(folded.body).items)
        kept = now[: len(before)] == before
        moves += not kept
        assert kept or folded.receipt.total % 5 == 1
        before = now
    assert 0 < moves <= 5


def by_the_rule(messages: list[Any], texts: Callable[[Any], list[tuple[Any, str]]]) -> None:
    """The rule as it was first written down: by its distance from the end a long result goes."""
    for at, message in enumerate(messages):
        for holder, key in texts(message):
            if len(messages) - 1 - at > 10 and len(holder[key]) > 300:
                holder[key] = PLACEHOLDER


FIND: dict[str, Callable[[Any], list[tuple[Any, str]]]] = {
    "openai-chat": lambda message: [(message, "content")] if message["role"] == "tool" else [],
    "openai-responses": lambda item: [(item, "output")] if item.get("type") == "function_call_output" else [],
    "anthropic": lambda message: [
        (block, "content")
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block["type"] == "tool_result"
    ],
    "gemini": lambda content: [
        (part["functionResponse"]["response"], "output") for part in content["parts"] if "functionResponse" in part
    ],
    "bedrock": lambda message: [
        (block["toolResult"]["content"][0], "text") for block in message["content"] if "toolResult" in block
    ],
}


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_at_once_it_is_the_rule_to_the_letter(surface: str) -> None:
    """Of a result 300 characters, and behind it 10 messages, are the last that stay; the placeholder is exact."""
    key = SURFACES[surface].list_key
    for turns in range(1, 20):
        request = made(surface, turns, random.Random(f"letter {surface}"), lengths=(299, 300, 301, 2_000))
        wanted = json.loads(request.body)
        by_the_rule(wanted[key], FIND[surface])
        assert json.loads(fold(request.body, surface, POLICIES["stale at once"]).body) == wanted
