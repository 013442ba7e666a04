"""Programs that these tests use: those of the machine, or of a Debian package that is unpacked into .clients/ for them.

A test without its program is skipped, and says which.
"""

import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

UNPACKED = Path(__file__).parents[2] / ".clients" / "debian"
SECONDS = 120


def promtool() -> str:
    """Prometheus's own checks."""
    return _found("promtool", "prometheus")


def systemd_analyze() -> str:
    """systemd's own checks."""
    return _found("systemd-analyze", "systemd")


def _found(program: str, package: str) -> str:
    here = UNPACKED / "usr" / "bin" / program
    if not shutil.which(program) and not here.exists():
        _unpack(package)
    path = shutil.which(program) or (str(here) if here.exists() else None)
    if path is None:
        pytest.skip(f"{program} is not installed; Debian has it in the package {package}")
    return path


@cache
def _unpack(package: str) -> None:
    """Fetch the package and unpack it, where this is a Debian; nothing is installed."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return
    UNPACKED.mkdir(parents=True, exist_ok=True)
    fetching = [f"apt-get --quiet {what}".split() for what in ("update", f"download {package}")]
    with suppress(subprocess.TimeoutExpired):
        for command in fetching:
            subprocess.run(command, cwd=UNPACKED, capture_output=True, timeout=SECONDS, check=False)
        for found in UNPACKED.glob(f"{package}_*.deb"):
            subprocess.run(["dpkg-deb", "--extract", found, UNPACKED], timeout=SECONDS, check=False)
