"""The shell tool: a command line in a session of its own, within limits of time, output and resources."""

import os
import signal
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foldpoint.agent.ports import Outcome, ToolSpec

from .output import Output
from .process import Ended, run
from .schema import arguments_of, object_schema
from .settings import ShellSettings, pointed

DESCRIPTION = """Run a command with {shell} and return what it prints (output and errors as they come) and its exit
code. Every call is a new shell in the same directory; nothing can be typed in. A command is stopped after {timeout:g}
seconds, or timeout_seconds (at most {longest:g}). Of long output the first and the last {half} bytes are returned.
Processes left in the background are stopped when the command ends; start one that must live on with setsid, its output
in a file."""
_LIMITED = '{limits} exec "$0" -c "$1"'


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model gives."""

    command: Annotated[str, Meta(description="The command line.")]
    timeout_seconds: Annotated[float, Meta(gt=0, description="Stop it after this many seconds.")] | None = None


class Shell:
    """Runs commands as the settings say.

    The text of an outcome: what was printed, then a last line: `[exit code 0]`, `[exit code 137 (SIGKILL)]`,
    `[ended by SIGSEGV]` or `[stopped: it ran longer than 5 seconds]`. It failed unless the code is 0.
    """

    repeatable = False

    def __init__(self, settings: ShellSettings, environ: Mapping[str, str] = os.environ) -> None:
        self._settings = settings
        kept = {name: environ[name] for name in settings.pass_environment if name in environ}
        self._environ = {"TERM": "dumb", **kept, **pointed(settings.environment, environ)}

    @property
    def spec(self) -> ToolSpec:
        """`shell`, with its limits told."""
        limits = self._settings
        told = DESCRIPTION.format(
            shell=limits.shell,
            timeout=min(limits.timeout_seconds, limits.max_timeout_seconds),
            longest=limits.max_timeout_seconds,
            half=limits.max_output_bytes // 2,
        )
        return ToolSpec("shell", told, object_schema(Call))

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Run the command; cancelled, it and all that it started is stopped."""
        call = arguments_of(Call, arguments)
        if isinstance(call, Outcome):
            return call
        settings = self._settings
        timeout = min(call.timeout_seconds or settings.timeout_seconds, settings.max_timeout_seconds)
        output = Output(settings.max_output_bytes)
        program = [settings.shell, "-c", call.command]
        if limits := _limits(settings):
            program = ["/bin/sh", "-c", _LIMITED.format(limits=limits), settings.shell, call.command]
        try:
            ended = await run(program, settings.directory, self._environ, output.add, timeout, settings.grace_seconds)
        except (OSError, ValueError) as error:
            return Outcome(f"[the command could not be started: {error}]", failed=True)
        return Outcome(_told(output, ended, timeout), failed=ended.code != 0)


def _limits(settings: ShellSettings) -> str:
    """The limits in the words of a POSIX shell: memory in KiB, time in seconds, files in blocks of 512 bytes."""
    limits = {
        "v": settings.max_memory_bytes // 1024,
        "t": settings.max_cpu_seconds,
        "f": settings.max_file_bytes // 512,
    }
    return " ".join(f"ulimit -{name} {most} || exit 126;" for name, most in limits.items() if most)


def _told(output: Output, ended: Ended, timeout: float) -> str:
    printed = output.text().rstrip("\n")
    lines = [printed] if printed else []
    if ended.left:
        lines.append("[processes that it left in the background were stopped]")
    return "\n".join([*lines, f"[{_end(ended.code, timeout)}]"])


def _end(code: int | None, timeout: float) -> str:
    if code is None:
        return f"stopped: it ran longer than {timeout:g} seconds"
    if code < 0:
        return f"ended by {_signal(-code)}"
    named = f" ({_signal(code - 128)})" if code - 128 in {*signal.Signals} else ""
    return f"exit code {code}{named}"


def _signal(number: int) -> str:
    return signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
