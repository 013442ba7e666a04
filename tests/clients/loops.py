"""The tool loop that every SDK runs through the gateway: its task, its tool, and what must be true at its end."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Mapping
from pathlib import Path
from typing import Any

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.core.record import Record
from foldpoint.gateway.serving import listening
from foldpoint.gateway.state import RECORDER, STORE
from foldpoint.lab.provider import Answers, Call, Provider, Script, Step

TURNS = 20
STEPS = [
    Step(f"Reading part {n}.", (Call("read_file", {"path": f"part_{n}.txt"}),), f"Part {n} is next.")
    for n in range(TURNS)
]
PARTS = [f"part {n}: " + "the quick brown fox jumps over the lazy dog; " * 80 for n in range(TURNS)]
TASK = "Read all parts of the report and say when you are done with them."
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
ENDED = "All parts are read."
UPSTREAMS = ("openai", "anthropic", "gemini", "bedrock")

Headers = dict[str, str]
Loop = tuple[str, list[Headers]]
"""The last words, and the headers of each answer."""


def part(path: str) -> str:
    """The tool."""
    return PARTS[int(path.removeprefix("part_").removesuffix(".txt"))]


class Run:
    """What became of one loop: the last words, the fold's verdict on each request, the records, the provider's log."""

    def __init__(self, loop: Loop, records: list[Record], provider: Provider) -> None:
        self.said, headers = loop
        self.verdicts = [given.get("x-ace-trajectory-compaction", "") for given in headers]
        self.records = records
        self.provider = provider
        self.log = provider.log

    def check(self) -> None:
        """Every request was valid to the provider, folds happened, and the records say what was billed."""
        assert self.said == ENDED
        assert (self.log.requests, dict(self.log.outcomes)) == (TURNS + 1, {"answered": TURNS + 1})
        assert self.verdicts[:2] == ["skipped", "no_op"]
        assert self.verdicts.count("compacted") >= TURNS // 2
        assert [record.verdict for record in self.records] == self.verdicts
        billed = [exchange.charge.usage for exchange in self.log.exchanges if exchange.charge]
        recorded = [record.usage for record in self.records if record.usage]
        assert [(one.prompt, one.input, one.cache_read) for one in recorded] == [
            (one.prompt, one.input, one.cache_read) for one in billed
        ]


@contextlib.asynccontextmanager
async def through(
    folder: Path, answers: Answers | None = None, environ: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[str, Provider, Any]]:
    """The gateway, folding, in front of a provider that plays the script."""
    async with Provider(answers=answers or Script(STEPS, Step(ENDED)), keep_bodies=True) as provider:
        config = folder / "foldpoint.toml"
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n'
            + "".join(f'[upstreams.{name}]\nbase_url = "{provider.url}"\n' for name in UPSTREAMS)
            + "[skills.agent_trajectory_compaction]\npayback_turns = 1000\n"
        )
        with assemble.gateway(load(config, environ={"HOME": str(folder), **(environ or {})}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                yield url, provider, app


async def ran(loop: Awaitable[Loop], provider: Provider, app: Any) -> Run:
    """A loop from its first request to its last, and what is recorded of it, oldest first."""
    ended = await loop
    await app[RECORDER].flush()
    records = app[STORE].requests("local", limit=100).records
    return Run(ended, list(reversed(records)), provider)
