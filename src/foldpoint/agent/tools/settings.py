"""What the `[tools]` table of an agent's settings may say, and every problem of one that says something else."""

import os
from collections.abc import Mapping
from typing import Annotated, Self, TypeVar

import msgspec
from msgspec import Meta

from foldpoint.core.errors import PolicyError
from foldpoint.core.policy import unknown_keys

Problems = list[tuple[str, str]]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Count = Annotated[int, Meta(ge=0, le=2**60)]
PASSED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The variables of the agent that a command sees where the settings name no others."""
KINDS = ("shell", "python", "mcp")
_Table = TypeVar("_Table", bound=msgspec.Struct)


class ShellSettings(msgspec.Struct, frozen=True):
    """`[tools.shell]`. Times in seconds, sizes in bytes; a limit of 0 is none.

    environment: what a command sees besides the `pass_environment` of the agent's own variables; a value
    `env:NAME` is that variable of the agent.
    """

    shell: str = "/bin/sh"
    directory: str = "."
    pass_environment: tuple[str, ...] = PASSED
    environment: dict[str, str] = {}
    timeout_seconds: Seconds = 120
    max_timeout_seconds: Seconds = 600
    grace_seconds: Annotated[float, Meta(ge=0, le=60)] = 2
    max_output_bytes: Annotated[int, Meta(ge=256, le=64 * 2**20)] = 64 * 1024
    max_memory_bytes: Count = 0
    max_cpu_seconds: Count = 0
    max_file_bytes: Count = 0


class PythonSettings(msgspec.Struct, frozen=True):
    """`[tools.python.<name>]`; function: `module:function`, or nothing for the entry point of that name."""

    function: str = ""
    timeout_seconds: Seconds = 120


class McpSettings(msgspec.Struct, frozen=True):
    """`[tools.mcp.<name>]`: a server that is started (`command`) or reached (`url`).

    environment, headers: a value `env:NAME` is that variable of the agent. tools: those of its tools that the agent
    has; nothing = all of them.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    directory: str = "."
    url: str = ""
    headers: dict[str, str] = {}
    tools: tuple[str, ...] = ()
    timeout_seconds: Seconds = 120
    start_timeout_seconds: Seconds = 30


class ToolSettings(msgspec.Struct, frozen=True):
    """The tools of an agent: a shell or none, functions and MCP servers by their names."""

    shell: ShellSettings | None = None
    python: dict[str, PythonSettings] = {}
    mcp: dict[str, McpSettings] = {}

    @classmethod
    def from_dict(cls, given: object, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the mapping of the `[tools]` table. Raises PolicyError, naming every unknown key and bad value."""
        if not isinstance(given, Mapping):
            raise PolicyError([("tools", "tools must be a table of tables: shell, python.<name>, mcp.<name>")])
        problems = unknown_keys(given, KINDS, "tools")
        shell = read_table(given["shell"], ShellSettings, "tools.shell", problems) if "shell" in given else None
        python = _named(given.get("python", {}), PythonSettings, "tools.python", problems)
        mcp = _named(given.get("mcp", {}), McpSettings, "tools.mcp", problems)
        tables: dict[str, ShellSettings | McpSettings] = {f"tools.mcp.{name}": one for name, one in mcp.items()}
        if shell:
            tables["tools.shell"] = shell
        for table, one in tables.items():
            problems += _wrong(table, one, environ)
        if problems:
            raise PolicyError(problems)
        return cls(shell, python, mcp)


def pointed(values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The values, `env:NAME` replaced by that variable; one that is not set gives nothing."""
    found = {key: environ.get(name[4:]) if name.startswith("env:") else name for key, name in values.items()}
    return {key: value for key, value in found.items() if value is not None}


def _named(given: object, kind: type[_Table], table: str, problems: Problems) -> dict[str, _Table]:
    """The tables of one kind by name; what is wrong goes to the problems."""
    if not isinstance(given, Mapping):
        problems.append((table, f"{table} must be a table of tables, one for each name"))
        return {}
    return {str(name): read_table(one, kind, f"{table}.{name}", problems) for name, one in given.items()}


def read_table(given: object, kind: type[_Table], table: str, problems: Problems) -> _Table:
    """One table as its settings; a bad value goes to the problems and its default is taken."""
    if not isinstance(given, Mapping):
        problems.append((table, f"{table} must be a table"))
        return kind()
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    problems += unknown_keys(given, tuple(fields), table)
    taken = {}
    for key in [key for key in fields if key in given]:
        try:
            taken[key] = msgspec.convert(given[key], fields[key])
        except msgspec.ValidationError as error:
            problems.append((f"{table}.{key}", f"{table}.{key}: {_plain(str(error))}"))
    return kind(**taken)


def _plain(message: str) -> str:
    """The message of msgspec, with the words that TOML has for its types."""
    names = {
        "`str`": "a string",
        "`int`": "an integer",
        "`float`": "a number",
        "`array`": "a list",
        "`object`": "a table",
    }
    for name, plain in names.items():
        message = message.replace(name, plain)
    return message[:1].lower() + message[1:]


def _wrong(table: str, one: ShellSettings | McpSettings, environ: Mapping[str, str]) -> Problems:
    """What is wrong with settings of the right types."""
    problems = _unset(f"{table}.environment", one.environment, environ)
    if not os.path.isdir(one.directory):
        problems.append((f"{table}.directory", f"{table}.directory: {one.directory!r} is no directory"))
    if isinstance(one, ShellSettings):
        if not os.access(one.shell, os.X_OK):
            problems.append((f"{table}.shell", f"{table}.shell: {one.shell!r} is no program; /bin/sh is one"))
        return problems
    problems += _unset(f"{table}.headers", one.headers, environ)
    if bool(one.command) == bool(one.url):
        problems.append((table, f"{table} must have a command to start or a url to reach, one of them"))
    if one.url and not one.url.startswith(("http://", "https://")):
        problems.append((f"{table}.url", f"{table}.url must begin http:// or https://"))
    return problems


def _unset(key: str, values: Mapping[str, str], environ: Mapping[str, str]) -> Problems:
    return [
        (f"{key}.{name}", f"{key}.{name} names the variable {value[4:]}, which is not set")
        for name, value in values.items()
        if value.startswith("env:") and value[4:] not in environ
    ]
