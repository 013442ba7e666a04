"""The shell tool: what is printed, how it ended, and that nothing it starts outlives its limits."""

import asyncio
import os
import resource
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from foldpoint.agent.ports import Outcome
from foldpoint.agent.tools.settings import ShellSettings
from foldpoint.agent.tools.shell import Shell


def ran(command: str, environ: dict[str, str] | None = None, seconds: float | None = None, **settings: Any) -> Outcome:
    """What the tool gives for a command under these settings."""
    shell = Shell(ShellSettings(**{"grace_seconds": 0.3, **settings}), os.environ if environ is None else environ)
    arguments = {"command": command} | ({"timeout_seconds": seconds} if seconds else {})
    return asyncio.run(shell.run(arguments))


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("echo a; echo b >&2; echo c", Outcome("a\nb\nc\n[exit code 0]")),
        ("true", Outcome("[exit code 0]")),
        ("echo no; exit 3", Outcome("no\n[exit code 3]", failed=True)),
        ("kill -SEGV $$", Outcome("[ended by SIGSEGV]", failed=True)),
        ("exit 137", Outcome("[exit code 137 (SIGKILL)]", failed=True)),
        ("cat; echo over", Outcome("over\n[exit code 0]")),
        (r"printf 'caf\351'", Outcome("caf�\n[exit code 0]")),
        (r"printf 'a\000b, a long enough text to be one'", Outcome("a�b, a long enough text to be one\n[exit code 0]")),
        (
            "printf '\\000\\001\\002\\377'",
            Outcome("[binary output, 4 bytes, begins 00 01 02 ff]\n[exit code 0]"),
        ),
    ],
)
def test_outcome_says_what_was_printed_and_how_it_ended(command: str, outcome: Outcome) -> None:
    """Output and errors as they came, then one line; it failed unless the exit code is 0."""
    assert ran(command) == outcome


def test_long_output_keeps_head_and_tail() -> None:
    """Half of the limit each, with the number of bytes between them."""
    text = ran("seq 100000", max_output_bytes=256).text
    head, tail = "".join(f"{n}\n" for n in range(1, 100_001))[:128], "".join(f"{n}\n" for n in range(99_000, 100_001))
    assert text == f"{head}\n[588639 bytes left out]\n{tail[-128:]}[exit code 0]"


def test_characters_are_not_cut_in_two() -> None:
    """The halves of a text of three-byte characters begin and end with whole ones."""
    text = ran("yes € | head -c 40000 | tr -d '\\n'", max_output_bytes=256).text
    assert "�" not in text


def test_a_gigabyte_is_survived_in_flat_memory() -> None:
    """The memory of the agent does not grow with what a command prints."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = ran("head -c 1000000000 /dev/zero | tr '\\0' x")
    assert f"[{1_000_000_000 - 64 * 1024} bytes left out]" in outcome.text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024


def test_time_runs_out_for_the_whole_group(tmp_path: Path) -> None:
    """Grandchildren that ignore SIGTERM are gone too."""
    pids = tmp_path / "pids"
    outcome = ran(f"trap '' TERM; sh -c 'echo $$ >> {pids}; sleep 300' & echo $$ >> {pids}; sleep 300; :", seconds=0.4)
    assert outcome == Outcome("[stopped: it ran longer than 0.4 seconds]", failed=True)
    assert [pid for pid in pids.read_text().split() if lives(int(pid))] == []


def test_timeout_is_bounded_by_the_settings() -> None:
    """A model can't ask for more than the longest."""
    assert ran("sleep 300", seconds=999, max_timeout_seconds=0.2).text == "[stopped: it ran longer than 0.2 seconds]"


def test_background_process_does_not_hang_it(tmp_path: Path) -> None:
    """It is stopped when the command ends, and the outcome says so."""
    outcome = ran(f"sleep 300 & echo $! > {tmp_path}/pid; echo x")
    assert outcome == Outcome("x\n[processes that it left in the background were stopped]\n[exit code 0]")
    assert not lives(int((tmp_path / "pid").read_text()))


def test_process_of_another_session_lives_on_and_does_not_hang_it(tmp_path: Path) -> None:
    """Though it holds the output."""
    outcome = ran(f"setsid sh -c 'echo $$ > {tmp_path}/pid; exec sleep 30' & sleep 0.2; echo x")
    process = psutil.Process(int((tmp_path / "pid").read_text()))
    assert (outcome, process.name()) == (Outcome("x\n[exit code 0]"), "sleep")
    process.kill()


def test_cancelled_it_stops_what_it_started(tmp_path: Path) -> None:
    """A cancelled call leaves no process behind."""

    os.mkfifo(tmp_path / "pid")

    async def cancel() -> int:
        shell = Shell(ShellSettings(grace_seconds=0.3))
        call = asyncio.create_task(shell.run({"command": f"echo $$ > {tmp_path}/pid; sleep 300; :"}))
        pid = await asyncio.to_thread((tmp_path / "pid").read_text)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return int(pid)

    assert not lives(asyncio.run(cancel()))


def test_environment_is_what_the_settings_say() -> None:
    """Keys of the agent are not passed on unless they are named."""
    environ = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "secret", "TOKEN": "t"}
    printed = ran("env | grep -v ^PWD= | grep -v ^_= | sort", environ, environment={"A": "1", "B": "env:TOKEN"}).text
    assert printed == f"A=1\nB=t\nPATH={os.environ['PATH']}\nTERM=dumb\n[exit code 0]"


def test_command_runs_in_the_directory(tmp_path: Path) -> None:
    """That of the settings."""
    assert ran("pwd", directory=str(tmp_path)).text == f"{tmp_path}\n[exit code 0]"


def test_limits_of_resources_hold(tmp_path: Path) -> None:
    """Memory, time of the processor and size of files; the command reaches the shell as it was written."""
    assert ran("while :; do :; done", max_cpu_seconds=1).text == "[ended by SIGKILL]"
    assert ran(f"head -c 100000 /dev/zero > {tmp_path}/f", max_file_bytes=4096).failed
    assert (tmp_path / "f").stat().st_size == 4096
    greedy = ran("python3 -c 'bytearray(800 * 2**20)'", max_memory_bytes=400 * 2**20)
    assert greedy.text.splitlines()[-2:] == ["MemoryError", "[exit code 1]"]
    assert ran("echo \"it's\" '$HOME'", max_cpu_seconds=9) == Outcome("it's $HOME\n[exit code 0]")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "[the arguments do not fit: Object missing required field `command`]"),
        ({"command": 5}, "[the arguments do not fit: Expected `str`, got `int` - at `$.command`]"),
        ({"command": "a", "cwd": "/"}, "[the arguments do not fit: Object contains unknown field `cwd`]"),
        ({"command": "a\0b"}, "[the command could not be started: embedded null byte]"),
    ],
)
def test_bad_arguments_are_a_failed_outcome(arguments: dict[str, Any], text: str) -> None:
    """With what is wrong in them."""
    assert asyncio.run(Shell(ShellSettings()).run(arguments)) == Outcome(text, failed=True)


def test_shell_that_is_gone_is_a_failed_outcome() -> None:
    """As is a command line that the system does not take."""
    assert ran("true", shell="/nowhere/sh").failed
    assert "Argument list too long" in ran("x" * 4_000_000).text


def lives(pid: int) -> bool:
    """Whether the process runs, a moment after it was told to end."""
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return False
        time.sleep(0.01)
    return True
