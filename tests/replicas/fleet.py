"""Gateways as processes of their own before one provider, on one Postgres and one Valkey, and keys for two tenants."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foldpoint.config import load
from foldpoint.core.key import Key
from foldpoint.core.key_skills import policy_of
from foldpoint.core.policy import Policy
from servers import Postgres, Valkey, postgres, valkey

MAIN = "from foldpoint.cli import main; main()"
OURS = ("FOLDPOINT_", "ACE_", "AWS_", "XDG_", "OTEL_", "PROMETHEUS_")
SECONDS = 60
KEYS = {
    "north": ("--requests-per-minute", "1000000", "--tokens-per-minute", "1000000000", "--concurrent-requests", "5000"),
    "south": ("--plan", "enterprise", "--param", "horizon=adaptive"),
}
"""Options of the key of each tenant: one has limits that it never meets, one folds otherwise."""
CONFIG = """
[gateway]
auth = "keys"
drain_seconds = {drain}
[store]
url = "{store}"
shared = "{shared}"
[upstreams.anthropic]
base_url = "{provider}"
[upstreams.openai]
base_url = "{provider}/v1"
[skills.agent_trajectory_compaction]
mode = "prod"
"""


@dataclass
class Process:
    """A gateway at work, and what it logged so far."""

    popen: subprocess.Popen[str]
    spool: Path
    lines: list[str] = field(default_factory=list)
    address: str = ""

    def events(self, level: str = "") -> list[str]:
        """What was logged (at that level), in order."""
        logged = [json.loads(line) for line in self.lines if line.startswith("{")]
        return [line["event"] for line in logged if level in ("", line["level"])]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; the exit code."""
        self.popen.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """The exit code, once it has ended and all that it said is here."""
        code = self.popen.wait(SECONDS)
        self._reading.join(SECONDS)
        return code

    def read(self) -> None:
        """Take what it says from now on, so that it never waits for us."""
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        with self.popen.stdout as said:
            self.lines.extend(said)


@dataclass
class Fleet:
    """What stands together; `keys` are secrets by tenant, `policies` what each tenant's key folds by."""

    folder: Path
    postgres: Postgres
    valkey: Valkey
    provider: str
    config: Path
    database: str
    keys: dict[str, str] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)

    def command(self, *arguments: str) -> str:
        """What a command of ours prints."""
        ran = self.run(*arguments)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of ours, once it has ended."""
        command = [sys.executable, "-c", MAIN, *arguments, "--config", str(self.config)]
        environment = self.environment(self.folder / "data")
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)

    def environment(self, data: Path) -> dict[str, str]:
        """Of a machine of its own: nothing of ours is set, and its files lie in that folder."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return {**kept, "HOME": str(self.folder), "XDG_DATA_HOME": str(data)}

    def key(self, *options: str) -> str:
        """The secret of a new key."""
        secret: str = json.loads(self.command("keys", "create", *options, "--json"))["secret"]
        return secret

    def gateway(self, data: Path | None = None, workers: int = 1) -> Process:
        """Start a gateway that keeps its files in that folder or one of its own, and wait until it listens."""
        command = [sys.executable, "-c", MAIN, "serve", "--config", str(self.config), "--port", "0"]
        command += ["--workers", str(workers)]
        data = data or self.folder / f"data{len(self.processes)}"
        process = Process(
            subprocess.Popen(command, env=self.environment(data), stdout=subprocess.PIPE, text=True),
            spool=data / "foldpoint" / "foldpoint.spool",
        )
        self.processes.append(process)
        assert process.popen.stdout is not None
        for line in process.popen.stdout:
            process.lines.append(line)
            if '"listening"' in line:
                process.address = json.loads(line)["address"]
                break
        assert process.address, process.lines
        process.read()
        return process

    def records(self) -> list[dict[str, Any]]:
        """All records in the order of the transactions that wrote them."""
        columns = ("id", "tenant", "session", "status", "input", "sealed")
        query = f"SELECT {', '.join(columns)} FROM foldpoint.request ORDER BY xmin::text::bigint, id"
        rows = self.postgres.run(query, self.database)
        return [dict(zip(columns, row, strict=True)) for row in rows]


@contextlib.contextmanager
def standing_provider() -> Iterator[str]:
    """The address of a provider in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("standing_provider.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextlib.contextmanager
def standing(folder: Path, drain: float = 30) -> Iterator[Fleet]:
    """Everything but the gateways; those that are started end with the block."""
    with contextlib.ExitStack() as stack:
        database, cache = stack.enter_context(postgres()), stack.enter_context(valkey())
        provider = stack.enter_context(standing_provider())
        store = database.database()
        config = folder / "foldpoint.toml"
        config.write_text(CONFIG.format(drain=drain, store=store, shared=cache.url, provider=provider))
        fleet = Fleet(folder, database, cache, provider, config, store.rpartition("/")[2])
        configured = load(config, environ={}).settings.policy()
        for tenant, options in KEYS.items():
            made = json.loads(fleet.command("keys", "create", "--tenant", tenant, *options, "--json"))
            fleet.keys[tenant] = made.pop("secret")
            fleet.policies[tenant] = policy_of(configured, key_of(made).skills)
        stack.callback(ended, fleet.processes)
        yield fleet


def key_of(made: dict[str, Any]) -> Key:
    """The key as the command shows it."""
    import msgspec

    return msgspec.convert(made, Key)


def ended(processes: list[Process]) -> None:
    """End what is still at work."""
    for process in processes:
        if process.popen.poll() is None:
            process.popen.kill()
            process.popen.wait()
