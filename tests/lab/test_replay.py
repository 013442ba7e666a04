"""What a session costs with and without a fold, under a simulated cache."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.core.policy import Policy
from foldpoint.core.usage import Usage
from foldpoint.engine import Engine
from foldpoint.lab.cache import BreakpointRules, PrefixRules
from foldpoint.lab.replay import replay, shared
from foldpoint.lab.sessions import bodies, shipped

ADAPTIVE = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"horizon": "adaptive"}}})
FREE = PrefixRules(minimum=0, step=1, read=0.1, write=1.0)


def session(name: str) -> tuple[list[bytes], str]:
    story = next(story for story in shipped() if story.name == name)
    return list(bodies(story)), story.surface


def test_sending_everything_reads_all_that_was_sent_before() -> None:
    """Every prompt begins with the one before it, and only what is new is paid in full."""
    sent, surface = session("webhooks")
    found = replay(sent, surface, rules=FREE)
    assert found.prefix_kept == 1.0
    assert found.path == (0,) * len(sent)
    prompts = [step.usage.prompt for step in found.steps]
    assert found.steps[-1].usage.cache_read == pytest.approx(prompts[-2], abs=1)
    assert found.cost == pytest.approx(found.usage.input + 0.1 * found.usage.cache_read)
    assert found.sent == sum(map(len, sent))


def test_a_fold_costs_less_and_moves_the_prefix_only_where_it_moves() -> None:
    """Between two fold points each prompt begins with the one before."""
    sent, surface = session("rides")
    plain, folded = replay(sent, surface), replay(sent, surface, Engine(ADAPTIVE))
    assert folded.cost < plain.cost
    assert folded.folds == len({*folded.path} - {0}) > 0
    assert [step.moved for step in folded.steps if step.kept < step.before] == [True] * folded.folds


def test_the_bill_is_the_sum_of_its_steps_in_tokens_and_dollars() -> None:
    """A known model has a price."""
    sent, surface = session("tallyho")
    found = replay(sent, surface, Engine(ADAPTIVE))
    assert found.usage == Usage(
        *(sum(getattr(step.usage, part) for step in found.steps) for part in Usage.__struct_fields__)
    )
    assert found.usd == pytest.approx(found.cost * 2 / 1e6)


def test_a_cache_that_has_expired_is_written_again() -> None:
    """Steps further apart than the lifetime read nothing."""
    sent, surface = session("tallyho")
    rules = BreakpointRules(minimum=0)
    assert replay(sent, surface, rules=rules, seconds=301.0).usage.cache_read == 0
    assert replay(sent, surface, rules=rules, seconds=299.0).usage.cache_read > 0


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_shared_is_the_longest_common_beginning(start: bytes, one: bytes, other: bytes) -> None:
    """Counted byte by byte."""
    one, other = start + one, start + other
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    assert shared(one, other) == count
