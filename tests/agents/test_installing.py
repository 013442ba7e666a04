"""What is said of a client that can't be installed."""

import sys
from pathlib import Path

import pytest
from installing import NotInstalled, told


def test_an_installer_that_fails_is_quoted(tmp_path: Path) -> None:
    """The reason for the skip names the client and ends with the installer's last words."""
    with pytest.raises(NotInstalled) as raised:
        told([sys.executable, "-c", "raise SystemExit('first\\nno route to the registry')"], tmp_path, "codex")
    assert str(raised.value) == "codex can't be installed: first / no route to the registry"


def test_an_installer_that_is_not_there_is_named(tmp_path: Path) -> None:
    """So is a program that is missing."""
    with pytest.raises(NotInstalled) as raised:
        told(["no-such-installer"], tmp_path, "codex")
    assert str(raised.value).startswith("codex can't be installed: [Errno 2]")
