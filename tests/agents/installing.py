"""Installs the clients that these tests run: each from its lock, into a folder of its own under `.clients/`."""

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / ".clients"
LOCKS = Path(__file__).with_name("locks")
NODE = "node"
SECONDS = 900
"""Longest that one install may take."""


class NotInstalled(Exception):
    """A client can't be had here; the message says why."""


def installed(name: str) -> list[Path]:
    """The folders of a client's programs, for PATH; it is installed first where it is not. Raises NotInstalled."""
    npm = (LOCKS / name).is_dir()
    before = installed(NODE) if npm else []
    folder = CLIENTS / name
    with locked(name):
        if not up_to_date(folder, name):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (install_npm if npm else install_pip)(folder, name, before)
            (folder / ".ready").write_text(digest(name))
    return [folder / ("node_modules/.bin" if npm else "venv/bin"), *before]


def install_pip(folder: Path, name: str, before: list[Path]) -> None:
    """A virtual environment with exactly what the lock says."""
    venv.create(folder / "venv", symlinks=True)
    python = str(folder / "venv/bin/python")
    uv = [sys.executable, "-m", "uv", "--quiet", "pip", "install", "--python", python]
    told([*uv, "--require-hashes", "--only-binary=:all:", "-r", str(LOCKS / f"{name}.txt")], folder, name)


def install_npm(folder: Path, name: str, before: list[Path]) -> None:
    """A `node_modules` with exactly what the lock says; no script runs but `link` of our own package.json."""
    for file in ("package.json", "package-lock.json"):
        shutil.copy(LOCKS / name / file, folder)
    told(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder, name, before)
    told(["npm", "run", "--if-present", "--silent", "link"], folder, name, before)


def told(command: list[str], folder: Path, name: str, before: list[Path] | None = None) -> None:
    """Run an installer to its end. Raises NotInstalled with the last words of one that failed."""
    path = os.pathsep.join([*map(str, before or ()), os.environ["PATH"]])
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"{name} can't be installed: {error}") from None
    if done.returncode:
        words = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise NotInstalled(f"{name} can't be installed: {' / '.join(words[-3:]) or done.returncode}")


def up_to_date(folder: Path, name: str) -> bool:
    """Does the folder hold what the lock says?"""
    ready = folder / ".ready"
    return ready.is_file() and ready.read_text() == digest(name)


def digest(name: str) -> str:
    """What an install follows from: the lock, and the interpreter."""
    lock = LOCKS / name / "package-lock.json" if (LOCKS / name).is_dir() else LOCKS / f"{name}.txt"
    return sha256(lock.read_bytes() + sys.version.encode()).hexdigest()


@contextmanager
def locked(name: str) -> Iterator[None]:
    """One process at a time installs a client."""
    CLIENTS.mkdir(exist_ok=True)
    with (CLIENTS / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
