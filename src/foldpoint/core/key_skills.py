"""What a key's skills are set to: what a save may say (W6), what comes of it, and the policy that the key folds by."""

from collections.abc import Mapping
from typing import Any

import msgspec

from .errors import FoldpointError, nearest
from .key import Key, KeySkills
from .parameters import PARAMETERS, Parameter, Value, problem
from .policy import MODES, SKILLS, Policy

FIELDS = ("skills", "skill_modes", "skill_params")
ENTERPRISE = "skill_params is only configurable on the Enterprise plan"
SETTABLE: Mapping[str, Mapping[str, Parameter]] = {
    skill: {each.name: each for each in listed if each.per_key and each.name != "mode"}
    for skill, listed in PARAMETERS.items()
}
"""The parameters that a key may set, by skill."""
Problems = list[tuple[str, str]]


class Rejected(FoldpointError, ValueError):
    """What was asked for is not usable.

    Attributes:
        problems: (field, what is wrong and the mend), one for each bad field.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        super().__init__("; ".join(message for _, message in problems))


class PlanForbids(FoldpointError):
    """The key's plan does not have what was asked for."""


def saved(key: Key, given: object) -> KeySkills:
    """What the key's skills are set to after a save of `given`: a mapping of `skills`, `skill_modes`, `skill_params`.

    What is not named stays; a mode or parameter that is null goes back to what the gateway is configured with.

    Raises:
        PlanForbids: where parameters are set on a plan that has none.
        Rejected: naming every bad field.
    """
    if not isinstance(given, Mapping):
        raise Rejected([("", f"the body must be an object with {', '.join(FIELDS)}")])
    if given.get("skill_params") not in (None, {}) and key.plan != "enterprise":
        raise PlanForbids(ENTERPRISE)
    problems = [
        (str(name), f"unknown field {name!r}{nearest(str(name), FIELDS)}") for name in given if name not in FIELDS
    ]
    problems += skills_problems(given.get("skills"))
    problems += modes_problems(given.get("skill_modes"))
    problems += params_problems(given.get("skill_params"))
    if problems:
        raise Rejected(problems)
    return _merged(key.skills, given)


def skills_problems(given: object) -> Problems:
    """What is wrong with the list of skills that are on."""
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        return [("skills", "skills must be a list of skills")]
    return [("skills", wrong) for each in given if (wrong := _not_on(each, "skills"))]


def modes_problems(given: object) -> Problems:
    """What is wrong with the modes by skill."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        return [("skill_modes", "skill_modes must be an object: skill to mode")]
    problems = []
    for skill, mode in given.items():
        field = f"skill_modes.{skill}"
        if skill not in SKILLS:
            problems.append((field, _unknown_skill(skill, "skill_modes")))
        elif mode is not None and mode not in MODES:
            problems.append((field, f"{field} must be one of {', '.join(MODES)}"))
        elif mode not in (None, "off") and (wrong := _not_on(skill, "skill_modes")):
            problems.append((field, wrong))
    return problems


def params_problems(given: object) -> Problems:
    """What is wrong with the parameters by skill; each problem names the parameter as its field."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        return [("skill_params", "skill_params must be an object: skill to parameters")]
    problems = []
    for skill, params in given.items():
        place = f"skill_params.{skill}"
        if skill not in SKILLS:
            problems.append((place, _unknown_skill(skill, "skill_params")))
        elif wrong := _not_on(skill, "skill_params"):
            problems.append((place, wrong))
        elif not isinstance(params, Mapping):
            problems.append((place, f"{place} must be an object of parameters"))
        else:
            found = ((str(name), _param_problem(skill, name, value, place)) for name, value in params.items())
            problems += [(name, wrong) for name, wrong in found if wrong]
    return problems


def policy_of(configured: Policy, skills: KeySkills) -> Policy:
    """What a key folds by: its own settings over those of the configuration.

    A skill that is listed without a mode runs in the configured one, or in `prod` where that is `off`; one that a list
    leaves out is off.
    """
    if skills == KeySkills():
        return configured
    return Policy(**{skill: _of_key(skill, getattr(configured, skill), skills) for skill in PARAMETERS})


def _of_key(skill: str, configured: Any, skills: KeySkills) -> Any:
    """The parameters of one skill, a key's over the configured ones."""
    mode = configured.mode
    if skills.skills is not None and skill not in skills.skills:
        return msgspec.structs.replace(configured, mode="off")
    if skills.skills is not None and mode == "off":
        mode = "prod"
    mode = skills.modes.get(skill, mode)
    return msgspec.structs.replace(configured, **{**skills.params.get(skill, {}), "mode": mode})


def effective(policy: Policy) -> dict[str, Any]:
    """A policy in the shape of a save: the skills that are on, the mode of each, the parameters that a key may set."""
    modes = policy.modes
    return {
        "skills": [skill for skill, mode in modes.items() if mode != "off"],
        "skill_modes": modes,
        "skill_params": {
            skill: {name: getattr(getattr(policy, skill), name) for name in settable}
            for skill, settable in SETTABLE.items()
        },
    }


def _merged(present: KeySkills, given: Mapping[str, Any]) -> KeySkills:
    skills, modes, params = (given.get(name) for name in FIELDS)
    both = dict(present.params)
    for skill, said in (params or {}).items():
        both[skill] = _over(both.get(skill, {}), said)
    return KeySkills(
        skills=present.skills if skills is None else tuple(dict.fromkeys(skills)),
        modes=_over(present.modes, modes or {}),
        params={skill: said for skill, said in both.items() if said},
    )


def _over(present: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Both, the given over the present; null takes away."""
    return {name: value for name, value in {**present, **given}.items() if value is not None}


def _not_on(skill: object, field: str) -> str | None:
    """Why a skill cannot be on, or None."""
    if skill not in SKILLS:
        return _unknown_skill(skill, field)
    return None if skill in PARAMETERS else f"{skill} is not in this version; leave it out of {field}"


def _unknown_skill(skill: object, field: str) -> str:
    return f"unknown skill {skill!r} in {field}{nearest(str(skill), SKILLS)}"


def _param_problem(skill: str, name: object, value: Value, place: str) -> str | None:
    if name == "mode":
        return "mode is set in skill_modes, not in skill_params"
    settable = SETTABLE[skill]
    if name not in settable:
        if any(each.name == name for each in PARAMETERS[skill]):
            return f"{name} is set for the whole gateway, not for a key"
        return f"unknown field {name!r} in {place}{nearest(str(name), settable)}"
    return None if value is None else problem(settable[str(name)], value)
