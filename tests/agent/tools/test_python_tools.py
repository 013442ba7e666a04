"""Python functions as tools."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import functions
import pytest

from foldpoint.agent.ports import Outcome, ToolSpec
from foldpoint.agent.tools import PythonSettings, ToolError, ToolSettings, open_tools
from foldpoint.agent.tools.python import PythonTool, python_tool


def called(function: Any, arguments: dict[str, Any], seconds: float = 5) -> Outcome:
    """What the function gives as a tool."""
    return asyncio.run(PythonTool("f", function, seconds).run(arguments))


def test_spec_is_the_signature_and_the_docstring() -> None:
    """With the parameters' descriptions from the section Args."""
    spec = PythonTool("add", functions.add, 5).spec
    assert spec == ToolSpec(
        "add",
        "Add two numbers.\n\nThey may be negative.",
        {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "The first."},
                "b": {"type": "integer", "description": "The second, on two lines.", "default": 1},
                "kind": {"enum": ["sum", "text"], "default": "sum"},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
    )


@pytest.mark.parametrize(
    ("function", "arguments", "outcome"),
    [
        (functions.add, {"a": 2, "b": 3}, Outcome("5")),
        (functions.add, {"a": 2, "kind": "text"}, Outcome("2+1")),
        (functions.later, {"seconds": 0.01}, Outcome('{"slept":0.01}')),
        (functions.hang, {"seconds": 0}, Outcome("null")),
        (
            functions.add,
            {"a": "2"},
            Outcome("[the arguments do not fit: Expected `int`, got `str` - at `$.a`]", failed=True),
        ),
        (
            functions.add,
            {"a": 1, "c": 2},
            Outcome("[the arguments do not fit: Object contains unknown field `c`]", True),
        ),
        (
            functions.broken,
            {"kind": "value"},
            Outcome("[ValueError: no good at functions.py:44 in broken]", failed=True),
        ),
        (functions.broken, {"kind": "exit"}, Outcome("[SystemExit: 3 at functions.py:41 in broken]", failed=True)),
        (functions.halves, {}, Outcome("a�b?c")),
        (functions.odd, {}, Outcome('{"when":[1,2],"what":"<built-in function print>"}')),
    ],
)
def test_outcome_is_the_value_as_text(function: Any, arguments: dict[str, Any], outcome: Outcome) -> None:
    """Text as it is, other values as JSON, what it raises with the last frame."""
    assert called(function, arguments) == outcome


def test_stop_iteration_is_a_failed_outcome() -> None:
    """Though a future can't carry it."""
    assert called(functions.broken, {"kind": "stop"}).failed


def test_time_runs_out() -> None:
    """A coroutine is cancelled; a thread is left, and the outcome says so."""
    assert called(functions.later, {"seconds": 60}, 0.05) == Outcome("[it took longer than 0.05 seconds]", failed=True)
    assert called(functions.hang, {"seconds": 1}, 0.05) == Outcome(
        "[it took longer than 0.05 seconds; it can't be stopped and may still go on]", failed=True
    )


def test_repeatable_is_what_the_function_says() -> None:
    """Nothing is unless it is marked."""
    assert [PythonTool("f", one, 1).repeatable for one in (functions.add, functions.odd)] == [True, False]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nowhere:f", "tools.python.x: nowhere:f can't be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("functions", "tools.python.x: functions can't be loaded: ValueError: it must be written module:function"),
        ("functions:NUMBER", "tools.python.x: functions:NUMBER is no function"),
        (
            "functions:splat",
            "tools.python.x: its signature can't be told to a model: parameter *args: int can't be given by name",
        ),
        ("", "tools.python.x: x can't be loaded: LookupError: no installed package has it in foldpoint.tools"),
    ],
)
def test_function_that_cant_be_a_tool_is_an_error(function: str, message: str) -> None:
    """At the start, with the settings' key."""
    with pytest.raises(ToolError) as caught:
        python_tool("x", PythonSettings(function))
    assert str(caught.value).startswith(message)


def test_entry_point_is_found_by_its_name(tmp_path: Path) -> None:
    """That of an installed package, when the settings name it."""
    about = tmp_path / "greeter-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[foldpoint.tools]\ngreet = greeter_tools:greet\n")
    (tmp_path / "greeter_tools.py").write_text("def greet(name: str) -> str:\n    return f'hello {name}'\n")
    sys.path.insert(0, str(tmp_path))
    try:
        assert asyncio.run(_greeted()) == Outcome("hello you")
    finally:
        sys.path.remove(str(tmp_path))


async def _greeted() -> Outcome:
    async with open_tools(ToolSettings(python={"greet": PythonSettings()})) as tools:
        return await tools[0].run({"name": "you"})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a b"], "a tool is called 'a b': its name must be 1 to 64 letters, digits, _ and -"),
        (["shell"], "two tools are called 'shell': rename one in [tools]"),
    ],
)
def test_names_are_checked_at_the_start(names: list[str], message: str) -> None:
    """They must be ones that providers take, each of one tool."""

    async def opened() -> None:
        settings = ToolSettings.from_dict(
            {"shell": {}, "python": {name: {"function": "functions:add"} for name in names}}
        )
        async with open_tools(settings):
            pass

    with pytest.raises(ToolError) as caught:
        asyncio.run(opened())
    assert str(caught.value) == message
