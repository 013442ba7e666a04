"""Several processes show the figures of all of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

from foldpoint.telemetry.workers import FOLDER, shared_figures, worker_gone

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


def test_any_worker_shows_all() -> None:
    """Counters and gauges are sums; of a worker that ended what it counted stays, and what it had open does not."""
    environ = dict(os.environ)
    with shared_figures(environ) as folder:
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
        worker_gone(other.pid, folder)
        left = one.told("show")
        assert [left[f"foldpoint_{name}"] for name in names] == [7, 7, 3, 7, 1, 1]
        one.end()
    assert not folder.exists()
    assert FOLDER not in environ


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    """It is made, emptied of old figures and left there."""
    mine = tmp_path / "figures"
    environ = {FOLDER: str(mine)}
    with shared_figures(environ) as folder:
        (folder / "counter_1.db").touch()
        (folder / "note").touch()
    with shared_figures(environ) as folder:
        assert (folder, [path.name for path in folder.iterdir()]) == (mine, ["note"])
    assert environ == {FOLDER: str(mine)}
