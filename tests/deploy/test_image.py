"""The image: its Dockerfile is carried out step by step, over this machine, and what comes of it runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dockerfile import DOCKERFILE, ROOT, stages

import foldpoint
from foldpoint.config import load

HERE = Path(__file__).parent
BUILD, LAST = stages(DOCKERFILE.read_text())
NAMESPACES = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x00020000 | 0x40000000) != 0)"


def versions(lock: Path) -> dict[str, set[str]]:
    """The versions that a lock allows of each package, and nothing of what it asks of the machine."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock.read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def test_hadolint_finds_nothing() -> None:
    """No finding of any severity."""
    ran = subprocess.run([Path(sys.executable).with_name("hadolint"), DOCKERFILE], capture_output=True, check=False)
    assert (ran.stdout, ran.returncode) == (b"", 0)


@pytest.mark.timeout(900)
def test_the_image_is_built_and_runs() -> None:
    """Its user may do nothing of root's and writes to /tmp and /data alone; who brings no key is not served."""
    if os.getuid() or subprocess.run([sys.executable, "-c", NAMESPACES], check=False).returncode:
        pytest.skip("building the image without an engine needs root, and mounts of its own")
    ran = subprocess.run(
        [sys.executable, HERE / "building.py", HERE / "probe.py"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    runs = {"well": True, "scraped": 200, "without a key": 401, "exit": 0}
    assert json.loads(ran.stdout) == {
        "user": [10001, 10001, []],
        "capabilities": "0000000000000000",
        "well before it runs": False,
        "one process": runs,
        "two workers": runs,
        "key made": True,
        "writable": ["/tmp/x", "/data/x"],
        "kept": ["foldpoint.db", "limits.db"],
    }


def test_both_stages_have_one_base_and_the_labels_are_true() -> None:
    """What was built for one Python runs on the same; the version is the package's."""
    assert BUILD.base == LAST.base
    assert LAST.labels()["org.opencontainers.image.version"] == foldpoint.__version__


def test_what_is_copied_is_let_in_and_nothing_else() -> None:
    """`.dockerignore` shuts everything out but what a COPY asks for."""
    *rows, cache = [row for row in (ROOT / ".dockerignore").read_text().splitlines() if not row.startswith("#")]
    assert rows[0] == "*"
    assert sorted(row.removeprefix("!") for row in rows[1:]) == sorted([*BUILD.copied(), *LAST.copied()])
    assert cache == "**/__pycache__"


def test_the_file_of_the_image_is_one_that_config_knows() -> None:
    """It listens to others, and only to who brings a key."""
    gateway = load(ROOT / "deploy" / "foldpoint.toml", environ={}).settings.gateway
    assert (gateway.host, gateway.port, gateway.auth) == ("0.0.0.0", 4600, "keys")


@pytest.mark.parametrize("lock", ["requirements.lock", "build.lock"])
def test_the_locks_are_those_of_the_tests(lock: str) -> None:
    """An image holds the versions that the tests ran with."""
    tested, shipped = versions(ROOT / "requirements.lock"), versions(ROOT / "deploy" / lock)
    assert {name: found for name, found in shipped.items() if not found <= tested.get(name, set())} == {}


def test_the_lock_has_what_the_gateway_needs_and_no_tool() -> None:
    """The extras that the guide promises, without the packages of tests."""
    names = set(versions(ROOT / "deploy" / "requirements.lock"))
    assert {"aiohttp", "botocore", "limits", "opentelemetry-sdk", "prometheus-client", "psycopg", "valkey"} <= names
    assert names & {"pytest", "mypy", "ruff", "hatchling"} == set()
