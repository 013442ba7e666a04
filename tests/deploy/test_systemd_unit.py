"""The unit is one that systemd reads, keeps the gateway to itself, and hands it settings that it knows."""

import re
import subprocess
import sys
from pathlib import Path

from dockerfile import ROOT
from installed import systemd_analyze

from foldpoint.config import load

UNIT = ROOT / "deploy" / "systemd" / "foldpoint.service"
TEXT = UNIT.read_text()
MOST_EXPOSED = 15
"""In tenths, as `systemd-analyze security` counts: 1.5 of 10. What is left is the network, which a gateway needs."""


def values(name: str) -> list[str]:
    """What the unit gives a setting of systemd's, line by line."""
    return re.findall(rf"^{name}=(.*)$", TEXT, re.MULTILINE)


def test_systemd_reads_every_line(tmp_path: Path) -> None:
    """With a program that this machine has; what systemd does not know it says."""
    program = Path(sys.executable).with_name("foldpoint")
    unit = tmp_path / UNIT.name
    unit.write_text(TEXT.replace("/opt/foldpoint/bin/foldpoint", str(program)))
    ran = subprocess.run([systemd_analyze(), "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_service_is_hardly_exposed() -> None:
    """By systemd's own count, which needs no running systemd."""
    ran = subprocess.run(
        [systemd_analyze(), "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", UNIT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-300:]
    assert "Overall exposure level for foldpoint.service" in ran.stdout


def test_the_gateway_knows_every_setting(tmp_path: Path) -> None:
    """Its keys come from the credentials, its data directory is the unit's own."""
    (tmp_path / "state").mkdir()
    for credential in values("LoadCredential"):
        (tmp_path / credential.partition(":")[0]).write_text("a-key")
    said = " ".join(values("Environment")).replace("%d", str(tmp_path)).replace("%S", str(tmp_path / "state"))
    loaded = load(environ=dict(pair.split("=", 1) for pair in said.split()))
    assert (loaded.settings.gateway.admin_key, loaded.settings.gateway.key_secret) == ("a-key", "a-key")
    assert loaded.settings.data_dir == tmp_path / "state" / values("StateDirectory")[0]


def test_there_is_time_to_drain_and_no_start_after_a_wrong_setting() -> None:
    """Systemd waits longer than the gateway; exit 2 is wrong use."""
    assert int(values("TimeoutStopSec")[0]) == load(environ={}).settings.gateway.drain_seconds + 15
    assert values("RestartPreventExitStatus") == ["2"]
