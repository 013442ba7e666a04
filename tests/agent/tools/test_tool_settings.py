"""The `[tools]` table: every problem is named, with the nearest right key."""

from typing import Any

import pytest

from foldpoint.agent.tools.settings import McpSettings, PythonSettings, ShellSettings, ToolSettings
from foldpoint.core.errors import PolicyError


def test_tables_become_settings() -> None:
    """A shell or none, functions and servers by name, the rest by default."""
    given = {
        "shell": {"timeout_seconds": 5},
        "python": {"sum": {"function": "a:b"}},
        "mcp": {"files": {"command": "x", "args": ["y"]}},
    }
    assert ToolSettings.from_dict(given) == ToolSettings(
        ShellSettings(timeout_seconds=5),
        {"sum": PythonSettings("a:b")},
        {"files": McpSettings(command="x", args=("y",))},
    )
    assert ToolSettings.from_dict({}) == ToolSettings()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shel": {}}, "unknown key 'shel' in [tools] (did you mean 'shell'?)"),
        ({"shell": {"timeout": 5}}, "unknown key 'timeout' in [tools.shell]"),
        ({"shell": {"directry": "."}}, "unknown key 'directry' in [tools.shell] (did you mean 'directory'?)"),
        ({"shell": {"timeout_seconds": "5"}}, "tools.shell.timeout_seconds: expected a number, got a string"),
        ({"shell": {"timeout_seconds": 0}}, "tools.shell.timeout_seconds: expected a number > 0.0"),
        ({"shell": {"max_file_bytes": -1}}, "tools.shell.max_file_bytes: expected an integer >= 0"),
        ({"shell": {"max_file_bytes": 2**70}}, "tools.shell.max_file_bytes: "),
        ({"shell": {"directory": "/no/where"}}, "tools.shell.directory: '/no/where' is no directory"),
        ({"shell": {"shell": "zzsh"}}, "tools.shell.shell: 'zzsh' is no program; /bin/sh is one"),
        (
            {"shell": {"environment": {"A": "env:NONE"}}},
            "tools.shell.environment.A names the variable NONE, which is not set",
        ),
        ({"shell": True}, "tools.shell must be a table"),
        ({"python": {"x": {"fn": "a:b"}}}, "unknown key 'fn' in [tools.python.x]"),
        ({"python": []}, "tools.python must be a table of tables, one for each name"),
        ({"mcp": {"x": {}}}, "tools.mcp.x must have a command to start or a url to reach, one of them"),
        ({"mcp": {"x": {"url": "ftp://x"}}}, "tools.mcp.x.url must begin http:// or https://"),
        ([], "tools must be a table of tables: shell, python.<name>, mcp.<name>"),
    ],
)
def test_problem_is_named(given: Any, message: str) -> None:
    """By its key, with the mend."""
    with pytest.raises(PolicyError) as caught:
        ToolSettings.from_dict(given, environ={})
    assert str(caught.value).startswith(message)


def test_every_problem_is_named() -> None:
    """Not the first alone."""
    with pytest.raises(PolicyError) as caught:
        ToolSettings.from_dict({"shell": {"a": 1, "shell": 2}, "mcp": {"m": {"command": 3, "url": "http://x"}}})
    assert [key for key, _ in caught.value.problems] == ["tools.shell.a", "tools.shell.shell", "tools.mcp.m.command"]
