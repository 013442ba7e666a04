"""One session of an agent: the gateway, folding, between the agent's process and a provider that plays the task."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from guides import follow
from installing import installed
from outside import Outside
from roster import Agent
from sums import WRITTEN, lay, play

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.core.record import Record
from foldpoint.gateway.serving import listening
from foldpoint.gateway.state import RECORDER, STORE
from foldpoint.lab.provider import Exchange, Provider

SECONDS = 300
"""Longest that an agent may take."""


class Session(NamedTuple):
    """What became of it: the process, the file it wrote, the provider's log, our records, whom else it asked for."""

    status: int | None
    output: str
    written: str
    exchanges: list[Exchange]
    records: list[Record]
    asked: list[str]


async def session(agent: Agent, folder: Path, *, merge_roles: bool = False) -> Session:
    """Let an agent do the task as its guide says. Raises NotInstalled.

    `merge_roles`: the provider takes messages of one role in a row, as the real API does.
    """
    programs = installed(agent.client)
    home, project = folder / "home", folder / "project"
    home.mkdir()
    lay(project)
    answers = play(project, agent.reads, agent.writes, agent.last)
    async with Provider(answers=answers, keep_bodies=True, merge_roles=merge_roles) as provider, Outside() as outside:
        with assemble.gateway(load(config(folder, provider), environ={"HOME": str(home)}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                commands = follow(agent.client, agent.run, home, project, url)
                environment = alone(home, programs) | outside.environment | agent.environment
                status, output = await ran(commands, project, environment)
            await app[RECORDER].flush()
            records = app[STORE].requests("local", limit=200).records
        file = project / WRITTEN
        written = file.read_text() if file.is_file() else ""
        return Session(status, output, written, [*provider.log.exchanges], records[::-1], outside.asked)


def config(folder: Path, provider: Provider) -> Path:
    """A `foldpoint.toml` that folds as `foldpoint serve --horizon adaptive` does, in front of the provider."""
    file = folder / "foldpoint.toml"
    upstreams = "".join(
        f'[upstreams.{name}]\nbase_url = "{provider.url}"\n' for name in ("anthropic", "openai", "gemini")
    )
    file.write_text(
        f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n{upstreams}'
        '[skills.agent_trajectory_compaction]\nhorizon = "adaptive"\n'
    )
    return file


def alone(home: Path, programs: list[Path]) -> dict[str, str]:
    """An environment with nothing of the user's in it."""
    path = os.pathsep.join([*map(str, programs), os.defpath])
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": str(home), "CI": "1"}


async def ran(commands: str, project: Path, environment: Mapping[str, str]) -> tuple[int | None, str]:
    """Run commands in a project; exit status (None: it took too long and was ended) and output."""
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-euc",
        commands,
        cwd=project,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    reading = asyncio.create_task(process.stdout.read())
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.shield(reading), SECONDS)
    late = not reading.done()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    output = (await reading).decode(errors="replace")
    status = await process.wait()
    return (None if late else status), output
