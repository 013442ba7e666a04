"""What a caller wants of the fold: one frozen value, made from the same mapping as the configuration file."""

import os
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, get_args

import msgspec

from .errors import PolicyError, nearest
from .parameters import PARAMETERS, problem

Mode = Literal["off", "shadow", "prod"]
MODES: tuple[Mode, ...] = get_args(Mode)
SKILLS = ("agent_trajectory_compaction", "tool_output_cap", "stale_tool_output", "compact_history")
TABLES = ("gateway", "store", "telemetry", "upstreams", "skills")


class Trajectory(msgspec.Struct, frozen=True):
    """The parameters of `agent_trajectory_compaction`; `foldpoint.core.parameters` says what each means."""

    mode: Mode = "prod"
    epoch_size: int = 5
    keep_recent_turns: int = 2
    keep_recent_images: int = 1
    token_watermark: int = 20_000
    max_tool_repeats: int = 0
    expected_task_steps: int = 12
    payback_turns: int | None = None
    horizon: Literal["task", "adaptive"] = "task"
    manage_breakpoints: bool | None = None
    pricing: bool = True
    extract: Literal["head", "evidence"] = "head"
    recall_hint: bool = False
    fold_on_idle: bool = False
    fold_text_trajectories: bool = True
    bytes_per_token: float = 3.0
    tool_result_head_chars: int = 320
    verbatim_chars: int = 240
    strategy: Literal["epoch", "sliding_window"] = "epoch"
    window_turns: int = 10


class OutputCap(msgspec.Struct, frozen=True):
    """The parameters of `tool_output_cap`."""

    mode: Mode = "off"
    max_chars: int = 2_000
    exempt_tools: str = ""
    recall_hint: bool = False


class StaleOutput(msgspec.Struct, frozen=True):
    """The parameters of `stale_tool_output`."""

    mode: Mode = "off"
    max_chars: int = 300
    max_age_messages: int = 10
    grid: int = 5
    placeholder: str = "[long tool output stale/compacted]"


STRUCTS: Mapping[str, Callable[..., "Trajectory | OutputCap | StaleOutput"]] = {
    "agent_trajectory_compaction": Trajectory,
    "tool_output_cap": OutputCap,
    "stale_tool_output": StaleOutput,
}


class Policy(msgspec.Struct, frozen=True):
    """The skills and their parameters. `Policy()` folds in `prod` with every default; the other skills are off."""

    agent_trajectory_compaction: Trajectory = Trajectory()
    tool_output_cap: OutputCap = OutputCap()
    stale_tool_output: StaleOutput = StaleOutput()

    @property
    def modes(self) -> dict[str, Mode]:
        """The mode of every skill; one that this version does not have is off."""
        return {skill: getattr(self, skill).mode if skill in PARAMETERS else "off" for skill in SKILLS}

    @property
    def mode(self) -> Mode:
        """What may become of a request: `prod` where some skill may change it, `off` where none is consulted."""
        modes = self.modes.values()
        return "prod" if "prod" in modes else "shadow" if "shadow" in modes else "off"

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Read the mapping of a configuration file: `{"skills": {"agent_trajectory_compaction": {...}}}`.

        Tables of the gateway (`gateway`, `store`, `telemetry`, `upstreams`) may stand in it and are left alone.

        Raises:
            PolicyError: naming every unknown key and bad value.
        """
        if not isinstance(settings, Mapping):
            raise PolicyError([("", f"settings must be a mapping of tables, not {type(settings).__name__}")])
        problems = unknown_keys(settings, TABLES, "")
        skills = settings.get("skills", {})
        if not isinstance(skills, Mapping):
            raise PolicyError([*problems, ("skills", "skills must be a table of skills")])
        problems += unknown_keys(skills, SKILLS, "skills")
        for skill, given in skills.items():
            if skill in PARAMETERS:
                problems += parameter_problems(skill, given)
            elif skill in SKILLS and given != {"mode": "off"}:
                message = f'{skill} is not in this version: only mode = "off" is understood'
                problems.append((f"skills.{skill}", message))
        if problems:
            raise PolicyError(problems)
        made: dict[str, Any] = {skill: STRUCTS[skill](**skills[skill]) for skill in PARAMETERS if skill in skills}
        return cls(**made)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a TOML file. Raises PolicyError (bad settings or not TOML) or OSError."""
        with open(path, "rb") as file:
            try:
                settings = tomllib.load(file)
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise PolicyError([("", f"{os.fspath(path)} is not TOML: {error}")]) from None
        return cls.from_dict(settings)


def unknown_keys(given: Mapping[str, Any], known: tuple[str, ...], table: str) -> list[tuple[str, str]]:
    """A problem for each key that is not known, with the nearest right one."""
    inside = f" in [{table}]" if table else ""
    return [
        (f"{table}.{key}" if table else str(key), f"unknown key {key!r}{inside}{nearest(str(key), known)}")
        for key in given
        if key not in known
    ]


def parameter_problems(skill: str, given: object) -> list[tuple[str, str]]:
    """What is wrong with the parameters of a skill, every one of them."""
    table = f"skills.{skill}"
    if not isinstance(given, Mapping):
        return [(table, f"{table} must be a table of parameters")]
    problems = unknown_keys(given, tuple(parameter.name for parameter in PARAMETERS[skill]), table)
    for parameter in PARAMETERS[skill]:
        wrong = problem(parameter, given[parameter.name]) if parameter.name in given else None
        if wrong:
            problems.append((f"{table}.{parameter.name}", wrong))
    return problems
