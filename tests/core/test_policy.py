"""Policies, from the mapping of a configuration file."""

from pathlib import Path
from typing import Any

import pytest

from foldpoint.core.errors import FoldpointError, PolicyError
from foldpoint.core.policy import Policy, Trajectory

SKILL = "skills.agent_trajectory_compaction"


def of(**parameters: Any) -> Trajectory:
    """The trajectory parameters of a mapping."""
    return Policy.from_dict({"skills": {"agent_trajectory_compaction": parameters}}).agent_trajectory_compaction


def problems(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with a mapping."""
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict(settings)
    return caught.value.problems


def wrong(**parameters: Any) -> list[tuple[str, str]]:
    """What is wrong with trajectory parameters."""
    return problems({"skills": {"agent_trajectory_compaction": parameters}})


def test_the_defaults_are_the_documented_ones() -> None:
    """Every parameter has the default of the contract."""
    assert Policy().agent_trajectory_compaction == Trajectory(
        mode="prod",
        epoch_size=5,
        keep_recent_turns=2,
        keep_recent_images=1,
        token_watermark=20_000,
        max_tool_repeats=0,
        expected_task_steps=12,
        payback_turns=None,
        horizon="task",
        manage_breakpoints=None,
        pricing=True,
        extract="head",
        recall_hint=False,
        fold_on_idle=False,
        fold_text_trajectories=True,
        bytes_per_token=3.0,
        tool_result_head_chars=320,
        verbatim_chars=240,
        strategy="epoch",
        window_turns=10,
    )


def test_an_empty_mapping_is_the_default_policy() -> None:
    """Nothing set is every default."""
    assert Policy.from_dict({}) == Policy()


def test_a_set_parameter_is_read() -> None:
    """What is set stands in place of its default, all else stays."""
    assert of(mode="shadow", horizon="adaptive") == Trajectory(mode="shadow", horizon="adaptive")


def test_a_whole_number_serves_as_a_number() -> None:
    """`bytes_per_token = 4` is a number."""
    assert of(bytes_per_token=4).bytes_per_token == 4


def test_an_optional_parameter_may_be_unset() -> None:
    """`payback_turns` may be none, as in a document that is merged from several."""
    assert of(payback_turns=None, manage_breakpoints=None) == Trajectory()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epoch_size", 1, "epoch_size must be >= 2"),
        ("keep_recent_turns", 0, "keep_recent_turns must be >= 1"),
        ("keep_recent_images", -1, "keep_recent_images must be >= 0"),
        ("token_watermark", -1, "token_watermark must be >= 0"),
        ("max_tool_repeats", -1, "max_tool_repeats must be >= 0"),
        ("expected_task_steps", 0, "expected_task_steps must be >= 1"),
        ("payback_turns", 0, "payback_turns must be >= 1"),
        ("window_turns", 0, "window_turns must be >= 1"),
        ("bytes_per_token", 0, "bytes_per_token must be > 0"),
        ("bytes_per_token", float("nan"), "bytes_per_token must be > 0"),
        ("bytes_per_token", float("inf"), "bytes_per_token must be <= 1000000000000"),
        ("tool_result_head_chars", -1, "tool_result_head_chars must be >= 0"),
        ("verbatim_chars", -1, "verbatim_chars must be >= 0"),
        ("fold_on_idle", True, "fold_on_idle is not in this version; leave it out"),
        ("epoch_size", "5", "epoch_size must be a whole number"),
        ("epoch_size", 5.0, "epoch_size must be a whole number"),
        ("epoch_size", True, "epoch_size must be a whole number"),
        ("epoch_size", None, "epoch_size must have a value"),
        ("bytes_per_token", "3", "bytes_per_token must be a number"),
        ("pricing", 1, "pricing must be true or false"),
        ("horizon", "forever", "horizon must be one of task, adaptive"),
        ("mode", "on", "mode must be one of off, shadow, prod"),
        ("strategy", ["epoch"], "strategy must be one of epoch, sliding_window"),
    ],
)
def test_a_bad_value_is_named(name: str, value: object, message: str) -> None:
    """A value that can't be used is named with its key and with what would be right."""
    assert wrong(**{name: value}) == [(f"{SKILL}.{name}", message)]


def test_a_floor_is_allowed() -> None:
    """The floors themselves are good values."""
    floors = {"epoch_size": 2, "keep_recent_turns": 1, "token_watermark": 0, "payback_turns": 1, "window_turns": 1}
    assert of(**floors) == Trajectory(**floors)


def test_every_problem_is_named_at_once() -> None:
    """One error lists all that is wrong, unknown keys first."""
    assert [key for key, _ in wrong(epoch_size=1, epocs=2, mode="on")] == [
        f"{SKILL}.epocs",
        f"{SKILL}.mode",
        f"{SKILL}.epoch_size",
    ]


def test_an_unknown_parameter_names_the_nearest() -> None:
    """A misspelt key is told the right one."""
    assert wrong(epoch_sise=5) == [
        (f"{SKILL}.epoch_sise", f"unknown key 'epoch_sise' in [{SKILL}] (did you mean 'epoch_size'?)")
    ]


def test_an_unknown_table_names_the_nearest() -> None:
    """So is a misspelt table."""
    assert problems({"skils": {}}) == [("skils", "unknown key 'skils' (did you mean 'skills'?)")]


def test_an_unknown_skill_is_named() -> None:
    """A skill that is not known, and near none, is named alone."""
    assert problems({"skills": {"zzz": {}}}) == [("skills.zzz", "unknown key 'zzz' in [skills]")]


def test_the_gateways_tables_are_left_alone() -> None:
    """The same file configures the gateway."""
    assert Policy.from_dict({"gateway": {"port": 1}, "store": {}, "upstreams": {}}) == Policy()


def test_a_skill_of_later_versions_may_be_off() -> None:
    """The other skills' keys are known, switched off."""
    assert Policy.from_dict({"skills": {"compact_history": {"mode": "off"}}}) == Policy()


def test_a_skill_of_later_versions_can_not_be_on() -> None:
    """Switched on they are refused, not ignored."""
    assert problems({"skills": {"compact_history": {"mode": "prod"}}}) == [
        ("skills.compact_history", 'compact_history is not in this version: only mode = "off" is understood')
    ]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"skills": 3}, ("skills", "skills must be a table of skills")),
        ({"skills": {"agent_trajectory_compaction": "prod"}}, (SKILL, f"{SKILL} must be a table of parameters")),
    ],
)
def test_a_table_must_be_a_table(settings: dict[str, Any], problem: tuple[str, str]) -> None:
    """A value where a table belongs is named."""
    assert problems(settings) == [problem]


def test_the_error_says_all_messages() -> None:
    """The error's own text holds each message, for whoever reads no fields."""
    error = PolicyError([("a", "a must be 1"), ("b", "b must be 2")])
    assert (str(error), isinstance(error, FoldpointError)) == ("a must be 1; b must be 2", True)


def test_a_file_is_read_as_its_mapping(tmp_path: Path) -> None:
    """A TOML file says the same as the mapping."""
    path = tmp_path / "foldpoint.toml"
    path.write_text('[skills.agent_trajectory_compaction]\nhorizon = "adaptive"\n')
    assert Policy.from_file(path) == Policy(Trajectory(horizon="adaptive"))


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "foldpoint.toml"
    path.write_text("skills =")
    with pytest.raises(PolicyError, match=r"foldpoint\.toml is not TOML"):
        Policy.from_file(path)


def test_a_policy_is_a_value() -> None:
    """Equal settings make equal policies, and a policy can be a key."""
    assert {Policy.from_dict({}): 1}[Policy()] == 1
