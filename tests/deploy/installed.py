"""Programs that these tests use where the machine has them; a test without its program is skipped, and says which."""

import shutil

import pytest


def promtool() -> str:
    """Prometheus's own checks."""
    return _found("promtool", "prometheus")


def systemd_analyze() -> str:
    """systemd's own checks."""
    return _found("systemd-analyze", "systemd")


def _found(program: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed; Debian has it in the package {package}")
    return path
