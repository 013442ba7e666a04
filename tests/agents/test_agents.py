"""Agents that people use do a task through the gateway, each as its guide says."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from installing import NotInstalled
from roster import AGENTS, Agent
from sessions import Session, session
from sums import SUM, TURNS

from foldpoint.core.record import Record
from foldpoint.gateway.serving import run
from foldpoint.lab.cache import decoded, segments_of
from foldpoint.lab.provider import Exchange

pytestmark = [pytest.mark.clients, pytest.mark.timeout(1800)]

Step = tuple[Exchange, Record]


@pytest.fixture(scope="module", params=AGENTS, ids=lambda agent: f"{agent.client}-{agent.surface}-{agent.run}")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Agent, Session]:
    """An agent, and the session that all tests look at; skipped, by name, where it can't be installed."""
    agent: Agent = request.param
    try:
        return agent, run(session(agent, tmp_path_factory.mktemp(agent.client)))
    except NotInstalled as why:
        pytest.skip(str(why))


def steps(played: tuple[Agent, Session]) -> list[Step]:
    """The requests of the agent's loop: those that declare tools, with our records of them."""
    agent, done = played
    billed = [exchange for exchange in done.exchanges if exchange.charge]
    records = [record for record in done.records if record.usage]
    assert [record.usage.prompt for record in records if record.usage] == [
        exchange.charge.usage.prompt for exchange in billed if exchange.charge
    ]
    found = [step for step in zip(billed, records, strict=True) if b'"tools"' in step[0].body]
    assert {(exchange.surface, record.surface) for exchange, record in found} == {(agent.surface, agent.surface)}
    return found


def test_the_task_is_done(played: tuple[Agent, Session]) -> None:
    """The agent ends well and has written what it was asked for."""
    _, done = played
    assert (done.status, done.written) == (0, SUM), done.output[-4000:]


def test_the_provider_refuses_nothing(played: tuple[Agent, Session]) -> None:
    """Every request is one that the real provider would answer."""
    _, done = played
    assert [(exchange.path, exchange.message) for exchange in done.exchanges if exchange.status != 200] == []


def test_a_long_session_is_folded_more_than_half_of_the_way(played: tuple[Agent, Session]) -> None:
    """It has every turn of the task, the fold moves, and what was folded stays so."""
    found = steps(played)
    assert len(found) == TURNS + 1 >= 13, played[1].output[-4000:]
    verdicts = [record.verdict for _, record in found]
    first = verdicts.index("compacted")
    assert found[first][1].reason == "fold_moved"
    assert set(verdicts[first:]) == {"compacted"}
    last = found[-1][1]
    assert last.tokens_after < last.tokens_before / 2


def test_between_two_folds_every_prompt_begins_with_the_one_before(played: tuple[Agent, Session]) -> None:
    """As the provider's cache sees it: nothing that was sent changes."""
    assert [number for number, (one, other) in enumerate(unmoved(steps(played))) if other[: len(one)] != one] == []


def unmoved(found: list[Step]) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """The prompts of two requests in a row, where the fold did not move with the second one."""
    for (one, _), (other, record) in pairwise(found):
        if record.reason != "fold_moved":
            yield prompt(one), prompt(other)


def prompt(exchange: Exchange) -> list[bytes]:
    """What the model was given, piece by piece."""
    return [segment.content for segment in segments_of(exchange.surface, decoded(exchange.body))]
