"""The simulated provider and the gateway as processes of their own, ended with the demo whatever happens."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import msgspec

from foldpoint.core.errors import FoldpointError
from foldpoint.core.policy import Policy

READY_SECONDS = 30.0
STOP_SECONDS = 5.0
COMMAND = (sys.executable, "-c", "from foldpoint.cli import main; main()")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
Ready = Callable[[], bool]


class Running(msgspec.Struct, frozen=True):
    """Where the provider and the gateway in front of it listen on 127.0.0.1."""

    provider: int
    gateway: int


@contextmanager
def running(policy: Policy, merge_roles: bool) -> Iterator[Running]:
    """Start both, and end both. Raises FoldpointError where one does not come up."""
    with TemporaryDirectory(prefix="foldpoint-demo-") as folder, stopped_by_signals():
        place, provider, gateway = Path(folder), free_port(), free_port()
        config = place / "foldpoint.toml"
        config.write_text(config_text(policy, place, provider), "utf-8")
        simulate = [*COMMAND, "simulate", "--port", str(provider), *(["--merge-roles"] if merge_roles else [])]
        serve = [*COMMAND, "serve", "--config", str(config), "--port", str(gateway)]
        with (
            process(simulate, place / "simulate.log", lambda: answers(provider, "HEAD", "/")),
            process(serve, place / "serve.log", lambda: answers(gateway, "GET", "/readyz")),
        ):
            yield Running(provider, gateway)


@contextmanager
def process(command: Sequence[str], output: Path, ready: Ready) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until the block ends, its output in a file. Raises FoldpointError where it does not come up."""
    with output.open("wb") as written:
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            env=environment(output.parent),
            start_new_session=True,
        )
    try:
        until_ready(started, ready, output)
        yield started
    finally:
        ended(started)


def until_ready(started: subprocess.Popen[bytes], ready: Ready, output: Path) -> None:
    """Wait until it takes requests. Raises FoldpointError."""
    deadline = time.monotonic() + READY_SECONDS
    while started.poll() is None and time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.05)
    told = "\n".join(
        f"  {line.removeprefix('foldpoint: ')}" for line in output.read_text("utf-8", "replace").splitlines()[-12:]
    )
    raise FoldpointError(f"the process of {output.stem} did not come up\n{told}".rstrip())


def ended(started: subprocess.Popen[bytes]) -> None:
    """End the process: asked first, then made to."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if started.poll() is None:
            started.send_signal(number)
            try:
                started.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, so that what was started is ended."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def answers(port: int, method: str, path: str) -> bool:
    """Whether somebody answers there with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request(method, path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def free_port() -> int:
    """Find a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(folder: Path) -> Mapping[str, str]:
    """Ours, without proxies and without settings that would change what is shown."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.lower() not in PROXIES and not name.startswith(("FOLDPOINT_", "ACE_"))
    }
    return {**kept, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}


def config_text(policy: Policy, folder: Path, provider: int) -> str:
    """A configuration with this policy, every provider sent to the simulated provider."""
    settings = msgspec.to_builtins(policy.agent_trajectory_compaction)
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in settings.items() if value is not None]
    tables = {
        "store": [f'url = "sqlite:///{folder}/foldpoint.db"'],
        "upstreams.anthropic": [f'base_url = "http://127.0.0.1:{provider}"'],
        "upstreams.openai": [f'base_url = "http://127.0.0.1:{provider}"'],
        "upstreams.gemini": [f'base_url = "http://127.0.0.1:{provider}"'],
        "upstreams.bedrock": [f'base_url = "http://127.0.0.1:{provider}"'],
        "skills.agent_trajectory_compaction": lines,
    }
    return "\n".join("\n".join([f"[{table}]", *said, ""]) for table, said in tables.items())
