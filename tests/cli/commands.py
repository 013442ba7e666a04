"""Runs the command line in a process of its own, as a person does."""

import os
import subprocess
import sys
from pathlib import Path

MAIN = "from foldpoint.cli import main; main()"
OURS = ("FOLDPOINT_", "ACE_", "AWS_", "XDG_")


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment without what would change the settings, with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "HOME": str(home), "TMPDIR": str(home), "COLUMNS": "200", **more}


def without(*modules: str) -> str:
    """The main program where these modules are not installed."""
    return f"import sys; sys.modules.update(dict.fromkeys({modules!r})); {MAIN}"


def run(
    *arguments: object, at: Path, stdin: bytes = b"", main: str = MAIN, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run one command in the folder `at`; `more` are variables of its environment."""
    command = [sys.executable, "-c", main, *map(str, arguments)]
    return subprocess.run(
        command, cwd=at, env=environment(at, **more), input=stdin, capture_output=True, timeout=60, check=False
    )
