"""Python functions as tools: a schema from the signature, a check of the arguments, a text of what they give."""

import asyncio
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, TypeVar

import msgspec

from foldpoint.agent.ports import Outcome, ToolSpec

from .names import ToolError
from .output import storable
from .schema import arguments_of, call_of, object_schema
from .settings import PythonSettings
from .threads import in_thread

GROUP = "foldpoint.tools"
"""The group of entry points that installed packages offer tools in."""
_F = TypeVar("_F", bound=Callable[..., Any])


def repeatable(function: _F) -> _F:
    """Mark a function whose call may be made again when it is not known whether it was finished."""
    function.repeatable = True  # type: ignore[attr-defined]
    return function


class PythonTool:
    """A function under a name. Its docstring, up to `Args:`, is the description."""

    def __init__(self, name: str, function: Callable[..., Any], seconds: float) -> None:
        self._function = function
        self._seconds = seconds
        self._call, description = call_of(function, name)
        self._spec = ToolSpec(name, description, object_schema(self._call))
        self.repeatable = bool(getattr(function, "repeatable", False))

    @property
    def spec(self) -> ToolSpec:
        """The function's signature and docstring."""
        return self._spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Call it: a coroutine function on the loop, another in a thread, which can't be stopped, only left."""
        call = arguments_of(self._call, arguments)
        if isinstance(call, Outcome):
            return call
        given = msgspec.structs.asdict(call)
        waiting = self._function(**given) if inspect.iscoroutinefunction(self._function) else None
        timing = asyncio.timeout(self._seconds)
        try:
            async with timing:
                value = await (waiting or in_thread(lambda: self._function(**given)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a function raises is its outcome)
            if timing.expired() and isinstance(error, TimeoutError):
                left = "" if waiting else "; it can't be stopped and may still go on"
                return Outcome(f"[it took longer than {self._seconds:g} seconds{left}]", failed=True)
            return Outcome(storable(f"[{type(error).__name__}: {error}{_place(error)}]"), failed=True)
        return Outcome(storable(_text(value)))


def python_tool(name: str, settings: PythonSettings) -> PythonTool:
    """The function that the settings name, or the entry point of that name. Raises ToolError."""
    key = f"tools.python.{name}"
    try:
        function = _imported(settings.function) if settings.function else _entry_point(name)
    except Exception as error:
        raise ToolError(
            f"{key}: {settings.function or name} can't be loaded: {type(error).__name__}: {error}"
        ) from error
    if not callable(function):
        raise ToolError(f"{key}: {settings.function or name} is no function")
    try:
        return PythonTool(name, function, settings.timeout_seconds)
    except (TypeError, ValueError, NameError) as error:
        raise ToolError(f"{key}: its signature can't be told to a model: {error}") from error


def _imported(written: str) -> Any:
    """The function; modules of the working directory are found last."""
    module, colon, path = written.partition(":")
    if not colon or not path:
        raise ValueError("it must be written module:function")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _entry_point(name: str) -> Any:
    there = entry_points(group=GROUP)
    found = [one for one in there if one.name == name]
    if not found:
        known = ", ".join(sorted(one.name for one in there)) or "none"
        raise LookupError(f"no installed package has it in {GROUP} (there are: {known}); or set function")
    return found[0].load()


def _place(error: BaseException) -> str:
    """Where it was raised, in the words of a traceback's last frame."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""


def _text(value: Any) -> str:
    """A text as it is, any other value as JSON, what has none by its repr."""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()
    except (TypeError, ValueError, RecursionError):
        return repr(value)
