"""The cases from public reports, run against a real gateway process with a recording provider behind it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.shared
@pytest.mark.parametrize("only", ["*anthropic*", "*openai-chat*", "*responses*", "*bedrock*", "*gemini*"])
def test_every_case_holds(shared: Path, only: str) -> None:
    """Every expectation of every case of the surface holds."""
    serve = f"{Path(sys.executable).parent / 'foldpoint'} serve --config {{config}} --port {{port}}"
    command = [sys.executable, str(shared / "checks" / "cases.py"), "--serve", serve, "--cases", str(shared / "cases")]
    ran = subprocess.run([*command, "--only", only], capture_output=True, text=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
