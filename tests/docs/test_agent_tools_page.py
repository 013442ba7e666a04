"""The page on the agent's tools says what holds."""

import re
import tomllib
from pathlib import Path

import pytest

from foldpoint.agent.text_mode_calls import read_calls
from foldpoint.agent.tools.settings import PASSED, ToolSettings

PAGE = (Path(__file__).parents[2] / "docs/guides/agent-tools.md").read_text()
FENCES = re.findall(r"^```toml agent.toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("fence", FENCES)
def test_settings_on_the_page_are_taken(fence: str) -> None:
    """As they stand there."""
    tables = tomllib.loads(fence)["tools"]
    settings = ToolSettings.from_dict(tables, {"TICKETS_AUTHORIZATION": "x"})
    named = (["shell"] if settings.shell else []) + [*settings.python, *settings.mcp]
    assert named == [name for kind in tables for name in (["shell"] if kind == "shell" else tables[kind])]


def test_call_on_the_page_is_read() -> None:
    """The block that it shows is one call."""
    block = re.findall(r"^````\n(.*?)^````$", PAGE, re.MULTILINE | re.DOTALL)[0]
    assert [(call.name, call.arguments) for call in read_calls(block, 1)] == [("shell", '{"command": "ls"}')]


def test_variables_that_are_passed_on_are_listed() -> None:
    """All of them, in their order."""
    assert ", ".join(f"`{name}`" for name in PASSED) in PAGE.replace("\n", " ")
