"""What may be asked for in a new key."""

import pytest

from foldpoint.core.key import Key, KeyLimits, KeySkills
from foldpoint.core.key_skills import PlanForbids, Rejected
from foldpoint.core.new_key import asked

SKILL = "agent_trajectory_compaction"


def test_nothing_asked_for_is_a_key_with_defaults() -> None:
    """Of the tenant `local`, on the developer plan, without limits."""
    assert asked({}) == Key(id="", tenant="local", plan="developer")


def test_everything_asked_for() -> None:
    """Each field in its place."""
    given = {
        "name": "nightly runs",
        "tenant": "team-a.eu",
        "plan": "enterprise",
        "upstreams": {"anthropic": "env:TEAM_A", "openai": "file:/run/secrets/openai"},
        "limits": {"requests_per_minute": 60, "tokens_per_minute": None},
        "skills": [SKILL],
        "skill_modes": {SKILL: "shadow"},
        "skill_params": {SKILL: {"epoch_size": 8}},
    }
    assert asked(given) == Key(
        id="",
        name="nightly runs",
        tenant="team-a.eu",
        plan="enterprise",
        upstreams={"anthropic": "env:TEAM_A", "openai": "file:/run/secrets/openai"},
        limits=KeyLimits(requests_per_minute=60),
        skills=KeySkills((SKILL,), {SKILL: "shadow"}, {SKILL: {"epoch_size": 8}}),
    )


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (None, ""),
        ({"tenent": "a"}, "tenent"),
        ({"name": 3}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"tenant": ""}, "tenant"),
        ({"tenant": "a/b"}, "tenant"),
        ({"tenant": "x" * 65}, "tenant"),
        ({"tenant": None}, "tenant"),
        ({"plan": "Enterprise"}, "plan"),
        ({"plan": ["team"]}, "plan"),
        ({"upstreams": []}, "upstreams"),
        ({"upstreams": {"mistral": "env:A"}}, "upstreams.mistral"),
        ({"upstreams": {"openai": "sk-secret"}}, "upstreams.openai"),
        ({"upstreams": {"openai": None}}, "upstreams.openai"),
        ({"limits": 3}, "limits"),
        ({"limits": {"requests": 3}}, "limits.requests"),
        ({"limits": {"requests_per_minute": 0}}, "limits.requests_per_minute"),
        ({"limits": {"requests_per_minute": True}}, "limits.requests_per_minute"),
        ({"limits": {"concurrent_requests": 1.5}}, "limits.concurrent_requests"),
        ({"limits": {"tokens_per_minute": 10**30}}, "limits.tokens_per_minute"),
        ({"skill_modes": {SKILL: "on"}}, f"skill_modes.{SKILL}"),
    ],
)
def test_what_is_not_usable(given: object, field: str) -> None:
    """One problem, at its field; a credential itself is in no message."""
    with pytest.raises(Rejected) as caught:
        asked(given)
    assert [name for name, _ in caught.value.problems] == [field]
    assert "sk-secret" not in str(caught.value)


def test_every_problem_at_once() -> None:
    """Those of the skills, too."""
    with pytest.raises(Rejected) as caught:
        asked({"plan": "x", "limits": {"a": 1, "b": 1}, "skills": 1})
    assert [name for name, _ in caught.value.problems] == ["plan", "limits.a", "limits.b", "skills"]


def test_parameters_want_the_enterprise_plan() -> None:
    """Whoever makes the key."""
    with pytest.raises(PlanForbids):
        asked({"plan": "team", "skill_params": {SKILL: {"epoch_size": 8}}})
