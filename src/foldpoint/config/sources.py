"""What each source says: the file, the environment, flags. Every value comes with the place it was said at."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from foldpoint.core.parameters import HEAD_CHARS_VARIABLE, Value

from .keys import SKILL, Kind, Setting, bedrock_address

PREFIX = "FOLDPOINT_"
FLAG = "flag"
Key = tuple[str, ...]
# What Kubernetes puts into every container for a service called foldpoint or foldpoint-something: no settings.
_SERVICE_LINK = re.compile(
    r"FOLDPOINT_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)


class Said(msgspec.Struct, frozen=True):
    """One value, the path of its key and the source that gave it."""

    path: Key
    value: Any
    source: str


def from_text(text: str, name: str) -> list[Said]:
    """The leaves of a TOML text, each with `name:line`. Raises ValueError when it is not TOML."""
    lines = line_numbers(text)
    return [Said(path, value, f"{name}:{_line(path, lines)}") for path, value in leaves(tomllib.loads(text))]


def from_environment(environ: Mapping[str, str], settings: Mapping[Key, Setting]) -> list[Said]:
    """The settings that `FOLDPOINT_*` gives, converted to their kinds. An empty variable counts as unset."""
    said = []
    for name, text in sorted(environ.items()):
        if not name.startswith(PREFIX) or text == "" or _is_service_link(name, text):
            continue
        path = tuple(name.removeprefix(PREFIX).lower().split("__"))
        kind: Kind = settings[path].kind if path in settings else "text"
        said.append(Said(path, converted(text, kind), f"env:{name}"))
    return said


def from_deployment(environ: Mapping[str, str]) -> list[Said]:
    """Defaults that the place we run in sets: below the file."""
    said = []
    if text := environ.get(HEAD_CHARS_VARIABLE):
        path = (*SKILL.split("."), "tool_result_head_chars")
        said.append(Said(path, converted(text, "int"), f"env:{HEAD_CHARS_VARIABLE}"))
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION"):
        if region := environ.get(name):
            said.append(Said(("upstreams", "bedrock", "base_url"), bedrock_address(region), f"env:{name}"))
    return said


def from_flags(flags: Mapping[str, Value]) -> list[Said]:
    """The flags that were given, by dotted key; None = not given."""
    return [Said(tuple(key.split(".")), value, FLAG) for key, value in flags.items() if value is not None]


def converted(text: str, kind: Kind) -> Value:
    """The value that the text spells, or the text itself where it spells none (the checks then say so)."""
    word = text.strip()
    match kind:
        case "bool":
            return {"true": True, "false": False, "1": True, "0": False}.get(word.lower(), text)
        case "int":
            return int(word) if re.fullmatch(r"[+-]?\d{1,30}", word) else text
        case "float":
            return float(word) if re.fullmatch(r"[+-]?\d{1,30}(\.\d{0,30})?", word) else text
        case _:
            return text


def leaves(table: Mapping[str, Any], path: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Every value that is no table, and every empty table, with its path."""
    for key, value in table.items():
        here = (*path, key)
        if isinstance(value, dict) and value:
            yield from leaves(value, here)
        else:
            yield here, value


def line_numbers(text: str) -> dict[Key, int]:
    """The line at which each leaf of a TOML text is set, and each table opened."""
    found: dict[Key, int] = {}
    table: Key = ()
    for line, statement in statements(text):
        paths = [path for path, _ in leaves(tomllib.loads(statement))]
        if statement.lstrip().startswith("["):
            table = paths[0]
            found.setdefault(table, line)
        else:
            found.update({(*table, *path): line for path in paths})
    return found


def statements(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a TOML text, each with the line it begins at; one may go over several lines."""
    held: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        held.append(line + "\n")
        statement = "".join(held)
        try:
            tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        yield number - len(held) + 1, statement
        held.clear()


def read_text(path: Path) -> str:
    """The text of a configuration file. Raises OSError, or ValueError when it is not UTF-8."""
    return path.read_text(encoding="utf-8-sig")


def _line(path: Key, lines: Mapping[Key, int]) -> int:
    """The line of the path, or of the nearest table around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _is_service_link(name: str, text: str) -> bool:
    if "__" in name:
        return False
    return bool(_SERVICE_LINK.fullmatch(name)) or (name.endswith("_PORT") and "://" in text)
