"""Runs the command line in a process of its own, as a person does."""

import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@contextlib.contextmanager
def serving(*arguments: str, at: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The gateway on a free port, and the line in which it says where it listens; told to stop at the end."""
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=at, env=environment(at, **more), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def get(url: str, **headers: str) -> Any:
    """The JSON at the address."""
    asked = urllib.request.Request(url, headers=headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=20) as answer:
        return json.load(answer)
