"""What tests of a whole agent share: an agent's file, the simulated provider with a script, and the command."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from foldpoint.agent.ports import Answer, ToolCall

MAIN = "from foldpoint.cli import main; main()"


def step(text: str = "", *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A step of a script."""
    return {"text": text, "calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


@contextlib.contextmanager
def provider(folder: Path, steps: Sequence[dict[str, Any]], *options: str) -> Iterator[str]:
    """The simulated provider, playing the steps; its address."""
    script = folder / "script.json"
    script.write_text(json.dumps(steps))
    command = [sys.executable, "-c", MAIN, "simulate", "--port", "0", "--answers", str(script), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def agent_file(folder: Path, address: str, more: str = "", surface: str = "anthropic") -> Path:
    """An agent's file; `more` are further lines of it."""
    path = folder / "agent.toml"
    suffix = "" if surface == "anthropic" else "/v1"
    where = f'surface = "{surface}"\nbase_url = "{address}{suffix}"\napi_key = "key-of-nobody"\n'
    path.write_text(f'name = "mender"\nmodel = "m"\n{where}{more}')
    return path


def command(file: Path, *arguments: str) -> list[str]:
    """The command line of `foldpoint agent` on the file."""
    return [sys.executable, "-c", MAIN, "agent", arguments[0], "--config", str(file), *arguments[1:]]


def agent(file: Path, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """Run `foldpoint agent` to its end."""
    return subprocess.run(
        command(file, *arguments), capture_output=True, text=True, timeout=seconds, cwd=file.parent, check=False
    )


def logged(file: Path) -> list[dict[str, Any]]:
    """The rows of the agent's conversation."""
    said = agent(file, "log", "--json")
    assert said.returncode == 0, said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]


class Canned:
    """Answers with what it is given, in order, and remembers the bodies that it was asked with."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes] = []

    async def ask(self, body: bytes, say: Callable[[str], None]) -> Answer:
        """The next answer."""
        self.bodies.append(body)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        say(answer.text)
        return answer


def says(text: str = "", *calls: tuple[str, str, str]) -> Answer:
    """An answer with calls of (id, name, arguments)."""
    return Answer(text, tuple(ToolCall(*call) for call in calls), "calls" if calls else "end", b"")
