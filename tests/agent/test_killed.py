"""An agent that is killed at any point goes on from its log: nothing runs twice, nothing is lost or doubled."""

import json
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from living import agent_file, command, provider, step

from foldpoint.agent.runtime import INTERRUPTED
from foldpoint.stores import open_log

pytestmark = pytest.mark.timeout(900)
TURNS, KILLS, EACH = 40, 200, 25
"""Turns of the task; kills in all, and of one run of it at most."""
TOOL = """
import time

def effect(n: int) -> str:
    \"\"\"Has an effect that must not happen twice.\"\"\"
    with open("effects.txt", "a") as file:
        file.write(f"{n}\\n")
    time.sleep(0.002)
    return f"effect {n} " + "x" * 500
"""
MORE = '[tools.python.effect]\nfunction = "effects:effect"\n'


def script() -> list[dict[str, object]]:
    """Forty turns, some of two calls, and an end."""
    steps, n = [], 0
    for turn in range(TURNS):
        calls = []
        for _ in range(1 + (turn % 3 == 0)):
            calls.append(("effect", {"n": n}))
            n += 1
        steps.append(step(f"Turn {turn}.", *calls))
    return [*steps, step("All is done.")]


def killed(folder: Path, address: str, seed: int) -> tuple[Path, int]:
    """Run the task, killing the process at random points; how many kills it took."""
    folder.mkdir()
    (folder / "effects.py").write_text(TOOL)
    file, rng, kills = agent_file(folder, address, MORE), random.Random(f"kill {seed}"), 0
    while True:
        process = subprocess.Popen(
            command(file, "run", "--trigger", "Do all of it.", "--id", "one"),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )
        assert process.stderr is not None
        if kills < EACH:
            begun = log_size(folder)
            deadline = time.monotonic() + 20
            while process.poll() is None and log_size(folder) == begun and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(rng.random() * 0.03)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
        error = process.stderr.read().decode()
        if process.wait(60) != -signal.SIGKILL:
            assert process.returncode == 0, error
            return folder, kills


def log_size(folder: Path) -> int:
    """Bytes of the log that were written so far."""
    return sum((folder / name).stat().st_size for name in ("conversations.db-wal",) if (folder / name).exists())


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, int]]:
    """The folders of tasks that came to their end, and how often each was killed."""
    folder = tmp_path_factory.mktemp("killed")
    found = list[tuple[Path, int]]()

    def work(first: int) -> None:
        for seed in count(first, 2):
            if sum(kills for _, kills in found) >= KILLS:
                return
            found.append(killed(folder / str(seed), address, seed))

    with provider(folder, script()) as address, ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    return found


def test_they_were_killed_two_hundred_times(ended: list[tuple[Path, int]]) -> None:
    """In all; and every run came to its end."""
    assert sum(kills for _, kills in ended) >= KILLS


def test_no_call_was_carried_out_twice(ended: list[tuple[Path, int]]) -> None:
    """Every effect happened once, or its call is said to have been interrupted and it happened at most once."""
    calls = sum(len(one["calls"]) for one in script())  # type: ignore[arg-type]
    for folder, _ in ended:
        effects = [int(line) for line in (folder / "effects.txt").read_text().split()]
        assert len(effects) == len(set(effects))
        with closing(open_log("sqlite:///conversations.db", folder)) as log:
            rows = log.rows(log.current("mender"))
        asked = {call.id: json.loads(call.arguments)["n"] for row in rows for call in row.calls}
        lost = {asked[row.tool_call_id] for row in rows if row.content == INTERRUPTED}
        assert set(range(calls)) - set(effects) <= lost


def test_no_message_is_lost_or_doubled(ended: list[tuple[Path, int]]) -> None:
    """The log is the script, turn by turn, each call with one result, and it verifies."""
    steps = script()
    for folder, _ in ended:
        with closing(open_log("sqlite:///conversations.db", folder)) as log:
            rows = log.rows(log.current("mender"))
            assert log.verify(log.current("mender")) == len(rows)
        assert (rows[0].role, rows[0].content, [row.role for row in rows].count("user")) == ("user", "Do all of it.", 1)
        said = [row for row in rows if row.role == "assistant"]
        assert [row.content for row in said] == [one["text"] for one in steps]
        at = 1
        for row in said:
            assert rows[at] is row
            results = rows[at + 1 : at + 1 + len(row.calls)]
            answered = [(result.role, result.tool_call_id) for result in results]
            assert answered == [("tool", call.id) for call in row.calls]
            at += 1 + len(row.calls)
        assert at == len(rows)
