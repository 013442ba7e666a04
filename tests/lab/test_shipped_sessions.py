"""The sessions that the demo ships."""

import json
from itertools import pairwise

import pytest

from foldpoint.lab.provider.anthropic import Anthropic
from foldpoint.lab.provider.openai_chat import OpenAIChat
from foldpoint.lab.sessions import Story, bodies, shipped
from foldpoint.lab.sizes import sizes_of

STORIES = shipped()


@pytest.fixture(params=STORIES, ids=[story.name for story in STORIES])
def story(request: pytest.FixtureRequest) -> Story:
    return request.param


def unmarked(body: bytes) -> list[object]:
    """The messages without cache marks."""
    text = json.dumps(json.loads(body)["messages"]).replace(', "cache_control": {"type": "ephemeral"}', "")
    return json.loads(text)


def test_there_are_three_of_15_to_80_turns_on_both_surfaces() -> None:
    """As the demo promises."""
    assert [len(story.steps) for story in STORIES] == [34, 22, 62]
    assert {story.surface for story in STORIES} == {"anthropic", "openai-chat"}


def test_the_bytes_are_the_same_every_time(story: Story) -> None:
    """Made anew they do not differ."""
    again = next(other for other in shipped() if other.name == story.name)
    assert list(bodies(story)) == list(bodies(again))


def test_every_request_goes_on_where_the_last_one_ended(story: Story) -> None:
    """Marks apart, nothing that was said changes."""
    found = [unmarked(body) for body in bodies(story)]
    for before, after in pairwise(found):
        assert after[: len(before)] == before
        assert len(after) > len(before)


def test_the_provider_takes_every_request(story: Story) -> None:
    """Strictly read: roles, pairs, marks."""
    dialect = Anthropic() if story.surface == "anthropic" else OpenAIChat()
    for body in bodies(story):
        dialect.check(json.loads(body))


def test_each_step_is_a_turn_as_the_fold_counts_them(story: Story) -> None:
    """So many steps, so many turns, and lines that are shorter than what they stand for."""
    *_, last = bodies(story)
    sizes = sizes_of(last, story.surface)
    assert len(sizes.turns) == len(story.steps)
    assert sum(sizes.lines) < sum(sizes.turns) / 2


def test_results_are_as_long_as_real_ones(story: Story) -> None:
    """Half of them over half a kilobyte, none over nine."""
    lengths = sorted(len(call.result) for step in story.steps for call in step.calls)
    assert lengths[len(lengths) // 2] > 500
    assert lengths[-1] < 9_000
