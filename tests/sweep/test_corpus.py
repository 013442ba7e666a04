"""Every request of the corpus and every recording, at every turn, under every horizon: no miss.

Of transcripts past 60 turns two neighbouring requests of twenty-five are taken, and the last.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from naive.sources import corpus, recordings
from naive.sweeping import Sweep

TESTS = Path(__file__).resolve().parents[1]


@cache
def swept(shared: Path, name: str) -> Sweep:
    """The sweep over one of the two sets, done once."""
    return Sweep().run((corpus if name == "corpus" else recordings)(shared))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["corpus", "recordings"])
def test_nothing_misses(shared: Path, name: str) -> None:
    """Every invariant of a request, and between one request and the next, holds."""
    assert swept(shared, name).problems == []


@pytest.mark.shared
@pytest.mark.parametrize(("name", "sources"), [("corpus", 48), ("recordings", 60)])
def test_the_sweep_is_about_something(shared: Path, name: str, sources: int) -> None:
    """Bodies were folded, fold points moved and stood still, and steps were compared."""
    counts = swept(shared, name).counts
    assert counts["sources"] >= sources
    assert min(counts[what] for what in ("bodies", "folded", "moves", "steps", "stood")) > 100


@pytest.mark.shared
def test_a_fresh_process_sends_the_same_bytes(shared: Path) -> None:
    """One process that folds each body for itself gives the bytes that long-lived engines gave."""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    ran = subprocess.run(
        [sys.executable, str(TESTS / "sweep" / "fresh.py"), str(shared)],
        capture_output=True,
        text=True,
        timeout=280,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    fresh = dict(line.rsplit(" ", 1) for line in ran.stdout.splitlines())
    assert fresh == swept(shared, "corpus").digests | swept(shared, "recordings").digests
