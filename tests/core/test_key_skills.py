"""What a save of a key's skills may say, and what the key folds by afterwards (W6)."""

import pytest

from foldpoint.core.key import Key, KeySkills
from foldpoint.core.key_skills import ENTERPRISE, PlanForbids, Rejected, effective, policy_of, saved
from foldpoint.core.policy import Policy, Trajectory

SKILL = "agent_trajectory_compaction"
KEY = Key(id="k", plan="enterprise")


def refused(given: object) -> list[tuple[str, str]]:
    """What a save is refused for."""
    with pytest.raises(Rejected) as caught:
        saved(KEY, given)
    return caught.value.problems


@pytest.mark.parametrize(
    ("field", "value", "floor"),
    [
        ("epoch_size", 1, 2),
        ("keep_recent_turns", 0, 1),
        ("expected_task_steps", 0, 1),
        ("payback_turns", 0, 1),
        ("keep_recent_images", -1, 0),
        ("token_watermark", -1, 0),
        ("max_tool_repeats", -1, 0),
    ],
)
def test_floors(field: str, value: int, floor: int) -> None:
    """Each has the floor of the contract, and the message names field and floor; the floor itself is fine."""
    assert refused({"skill_params": {SKILL: {field: value}}}) == [(field, f"{field} must be >= {floor}")]
    assert saved(KEY, {"skill_params": {SKILL: {field: floor}}}).params == {SKILL: {field: floor}}


def test_every_bad_field_is_said_at_once() -> None:
    """Unknown fields, skills, modes and parameters, each with the nearest right one."""
    given = {
        "skils": [],
        "skills": [SKILL, "agent_trajectory", "compact_history"],
        "skill_modes": {"nothing": "prod", SKILL: "live", "compact_history": "prod", "tool_output_cap": "off"},
        "skill_params": {SKILL: {"epoch_sise": 5, "epoch_size": 2.5, "strategy": "epoch", "mode": "prod"}},
    }
    assert refused(given) == [
        ("skils", "unknown field 'skils' (did you mean 'skills'?)"),
        ("skills", f"unknown skill 'agent_trajectory' in skills (did you mean '{SKILL}'?)"),
        ("skills", "compact_history is not in this version; leave it out of skills"),
        ("skill_modes.nothing", "unknown skill 'nothing' in skill_modes"),
        (f"skill_modes.{SKILL}", f"skill_modes.{SKILL} must be one of off, shadow, prod"),
        ("skill_modes.compact_history", "compact_history is not in this version; leave it out of skill_modes"),
        ("epoch_sise", f"unknown field 'epoch_sise' in skill_params.{SKILL} (did you mean 'epoch_size'?)"),
        ("epoch_size", "epoch_size must be a whole number"),
        ("strategy", "strategy is set for the whole gateway, not for a key"),
        ("mode", "mode is set in skill_modes, not in skill_params"),
    ]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([], ""),
        (None, ""),
        ({"skills": "prod"}, "skills"),
        ({"skills": [{}]}, "skills"),
        ({"skill_modes": []}, "skill_modes"),
        ({"skill_modes": {SKILL: []}}, f"skill_modes.{SKILL}"),
        ({"skill_params": [1]}, "skill_params"),
        ({"skill_params": {SKILL: 3}}, f"skill_params.{SKILL}"),
        ({"skill_params": {"compact_history": {}}}, "skill_params.compact_history"),
        ({"skill_params": {SKILL: {"epoch_size": True}}}, "epoch_size"),
        ({"skill_params": {SKILL: {"epoch_size": 10**30}}}, "epoch_size"),
        ({"skill_params": {SKILL: {"horizon": ["task"]}}}, "horizon"),
    ],
)
def test_what_has_no_right_shape(given: object, field: str) -> None:
    """One problem, at its field."""
    assert [name for name, _ in refused(given)] == [field]


@pytest.mark.parametrize("plan", ["developer", "team"])
def test_parameters_are_for_the_enterprise_plan(plan: str) -> None:
    """The whole save is refused with exactly that sentence, whatever else is in it; modes are for every plan."""
    key = Key(id="k", plan=plan)  # type: ignore[arg-type]
    for params in ({SKILL: {"epoch_size": 1}}, {SKILL: {"epoch_size": 6}}, "nonsense"):
        with pytest.raises(PlanForbids) as caught:
            saved(key, {"skill_modes": {SKILL: "off"}, "skill_params": params, "unknown": 1})
        assert str(caught.value) == "skill_params is only configurable on the Enterprise plan" == ENTERPRISE
    assert saved(key, {"skill_modes": {SKILL: "shadow"}, "skill_params": {}}).modes == {SKILL: "shadow"}


def test_a_save_adds_to_the_ones_before() -> None:
    """What is not named stays; null goes back to what is configured; a list of skills is replaced."""
    first = saved(KEY, {"skills": [SKILL, SKILL], "skill_params": {SKILL: {"epoch_size": 7, "payback_turns": 3}}})
    assert first == KeySkills((SKILL,), {}, {SKILL: {"epoch_size": 7, "payback_turns": 3}})
    key = Key(id="k", plan="enterprise", skills=first)
    second = saved(key, {"skill_modes": {SKILL: "off"}, "skill_params": {SKILL: {"payback_turns": None}}})
    assert second == KeySkills((SKILL,), {SKILL: "off"}, {SKILL: {"epoch_size": 7}})
    key = Key(id="k", plan="enterprise", skills=second)
    third = {"skills": [], "skill_modes": {SKILL: None}, "skill_params": {SKILL: {"epoch_size": None}}}
    assert saved(key, third) == KeySkills((), {}, {})


@pytest.mark.parametrize(
    ("configured", "skills", "mode"),
    [
        ("prod", KeySkills(), "prod"),
        ("off", KeySkills(), "off"),
        ("prod", KeySkills(skills=()), "off"),
        ("shadow", KeySkills(skills=(SKILL,)), "shadow"),
        ("off", KeySkills(skills=(SKILL,)), "prod"),
        ("prod", KeySkills(modes={SKILL: "shadow"}), "shadow"),
        ("off", KeySkills(skills=(SKILL,), modes={SKILL: "shadow"}), "shadow"),
        ("prod", KeySkills(skills=(), modes={SKILL: "prod"}), "off"),
    ],
)
def test_the_mode_of_a_key(configured: str, skills: KeySkills, mode: str) -> None:
    """A list decides what is on, a mode how; without either it is as configured."""
    policy = Policy(Trajectory(mode=configured))  # type: ignore[arg-type]
    assert policy_of(policy, skills).agent_trajectory_compaction.mode == mode


def test_parameters_of_a_key() -> None:
    """Its own over the configured ones, the others as configured; said back whole."""
    policy = Policy(Trajectory(epoch_size=9, horizon="adaptive"))
    own = policy_of(policy, KeySkills(params={SKILL: {"epoch_size": 3}}))
    assert own == Policy(Trajectory(epoch_size=3, horizon="adaptive"))
    said = effective(own)
    assert said["skills"] == [SKILL]
    assert said["skill_modes"][SKILL] == "prod"
    params = said["skill_params"][SKILL]
    assert (params["epoch_size"], params["horizon"], params["payback_turns"]) == (3, "adaptive", None)
    assert "strategy" not in params
    assert "mode" not in params
