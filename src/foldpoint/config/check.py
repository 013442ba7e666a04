"""What is wrong with the values: unknown keys with the nearest right one, and values that are not usable."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from foldpoint.core import parameters
from foldpoint.core.errors import FoldpointError, nearest
from foldpoint.core.parameters import Value
from foldpoint.core.policy import SKILLS

from .keys import Setting, is_pointer, kind_problem
from .sources import FLAG, PREFIX, Key, Said

_OTHER_SKILLS = tuple(skill for skill in SKILLS if skill not in parameters.PARAMETERS)
_PARAMETERS = {
    f"skills.{skill}.{parameter.name}": parameter
    for skill, listed in parameters.PARAMETERS.items()
    for parameter in listed
}


class Problem(msgspec.Struct, frozen=True):
    """One setting that is not usable: its dotted key, what is wrong and the mend, and the source that gave it."""

    key: str
    message: str
    source: str

    def __str__(self) -> str:
        if self.source == FLAG:
            return self.message.replace(self.key, f"--{self.key.rpartition('.')[2]}", 1)
        return f"{self.source}: {self.message}" if self.source else self.message


class ConfigError(FoldpointError):
    """The configuration is not usable; lists every problem."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems, key=_place)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def checked(
    said: Iterable[Said], listed: Mapping[Key, Setting]
) -> tuple[dict[str, Value], dict[str, str], list[Problem]]:
    """Values and sources by dotted key, and a problem for each that is unknown or not usable."""
    given: dict[Key, Said] = {}
    problems = []
    for one in said:
        if one.path in listed:
            given[one.path] = one
        elif message := unknown(one, listed):
            problems.append(Problem(".".join(one.path), message, one.source))
    values = {setting.key: setting.default for setting in listed.values()}
    sources = dict.fromkeys(values, "default")
    for path, setting in listed.items():
        one = given.get(path, Said(path, setting.default, "default"))
        if message := value_problem(setting, one.value):
            problems.append(Problem(setting.key, message, one.source))
        values[setting.key], sources[setting.key] = one.value, one.source
    return values, sources, problems


def value_problem(setting: Setting, value: Any) -> str | None:
    """What is wrong with the value of a known setting, or None."""
    if isinstance(value, int) and abs(value) >= 2**63:
        return f"{setting.key} must be a number below 2^63"
    if setting.key in _PARAMETERS:
        message = parameters.problem(_PARAMETERS[setting.key], value)
        return f"{setting.table}.{message}" if message else None
    if (value is None and setting.optional) or (setting.address and is_pointer(value)):
        return None
    wrong = kind_problem(setting.kind, value) or setting.wrong(value)
    return f"{setting.key} {wrong}" if wrong else None


def unknown(one: Said, listed: Mapping[Key, Setting]) -> str | None:
    """What is wrong with a key that is no setting, with the nearest right one; None for an empty known table."""
    if one.source.startswith(f"env:{PREFIX}"):
        return _unknown_variable(one, listed)
    *table, word = one.path
    if one.path[0] == "skills" and len(one.path) > 1 and one.path[1] in _OTHER_SKILLS:
        off = one.path[2:] == ("mode",) and one.value == "off"
        return None if off else f'skills.{one.path[1]} is not in this version: only mode = "off" is understood'
    if children(one.path, listed):
        return None if one.value == {} else f"{'.'.join(one.path)} must be a table"
    while table and not children(tuple(table), listed):
        *table, word = table
    inside = f" in [{'.'.join(table)}]" if table else ""
    return f"unknown key {word!r}{inside}{_mend(word, tuple(table), listed)}"


def _unknown_variable(one: Said, listed: Iterable[Key]) -> str | None:
    if one.path[0] == "skills" and one.path[1:] in [(skill, "mode") for skill in _OTHER_SKILLS] and one.value == "off":
        return None
    name = one.source.removeprefix("env:")
    names = [PREFIX + "__".join(path).upper() for path in listed]
    homes = [known for known in names if known.endswith(f"__{name.removeprefix(PREFIX)}")]
    return "is no setting" + (f" (did you mean {' or '.join(map(repr, homes))}?)" if homes else nearest(name, names))


def children(table: Key, listed: Iterable[Key]) -> set[str]:
    """The keys that a table may have."""
    depth = len(table)
    found = {path[depth] for path in listed if len(path) > depth and path[:depth] == table}
    return found | set(_OTHER_SKILLS) if table == ("skills",) else found


def _mend(word: str, table: Key, listed: Mapping[Key, Setting]) -> str:
    """The nearest key of the same table, else the place where a key of that name belongs."""
    close = nearest(word, sorted(children(table, listed)))
    if close:
        return close
    dotted = {setting.key.replace(".", "_"): setting.key for setting in listed.values()}
    homes = [setting.table for setting in listed.values() if setting.name == word]
    if homes:
        return f" (it belongs in [{homes[0]}])"
    return f" (did you mean {dotted[word]!r}?)" if word in dotted else ""


def _place(problem: Problem) -> tuple[str, int]:
    """The file and line, to order problems by."""
    name, _, line = problem.source.rpartition(":")
    return (name, int(line)) if line.isdecimal() else (problem.source, 0)
