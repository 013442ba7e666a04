"""Several processes show the figures of all of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

from foldpoint.telemetry.workers import FOLDER, worker_gone

HERE = Path(__file__).parent


class Worker:
    """A process of its own that counts."""

    def __init__(self, open_requests: int, environ: dict[str, str]) -> None:
        command = [sys.executable, str(HERE / "working.py"), str(open_requests)]
        self._process = subprocess.Popen(
            command, env=environ, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE
        )
        self.pid = self._process.pid

    def told(self, line: str) -> dict[str, float]:
        """What it shows after it was told that."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        shown: dict[str, float] = json.loads(self._process.stdout.readline())
        return shown

    def end(self) -> None:
        self._process.communicate(timeout=20)


def test_any_worker_shows_all(tmp_path: Path) -> None:
    """Counters and gauges are sums; of a worker that ended what it counted stays, and what it had open does not."""
    environ = {**os.environ, FOLDER: str(tmp_path)}
    one, other = Worker(3, environ), Worker(4, environ)
    one.told("observe 2")
    other.told("observe 5")
    shown = one.told("show")
    assert shown == {**shown, **other.told("show")}
    names = (
        "requests_total",
        "overhead_seconds_count",
        "open_requests",
        "records_dropped_total",
        "draining",
        "sessions",
    )
    assert [shown[f"foldpoint_{name}"] for name in (*names, "build_info")] == [7, 7, 7, 7, 1, 2, 1]
    other.end()
    worker_gone(other.pid, tmp_path)
    left = one.told("show")
    assert [left[f"foldpoint_{name}"] for name in names] == [7, 7, 3, 7, 1, 1]
    one.end()
