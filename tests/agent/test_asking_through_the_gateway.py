"""A conversation through the real gateway, which folds it, in front of the simulated provider."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from asking import SURFACES, Talk

from foldpoint import assemble
from foldpoint.agent.asker import HttpAsker
from foldpoint.config import load
from foldpoint.core.record import Record
from foldpoint.gateway.serving import listening
from foldpoint.gateway.state import RECORDER, STORE
from foldpoint.lab.provider import Call, Provider, Script, Step

TURNS = 22
STEPS = [
    Step(
        f"Part {n}.",
        (Call("read_file", {"path": f"part_{n}.txt"}),)
        if n % 3
        else (Call("poll"), Call("read_file", {"path": f"{n}"})),
        f"Part {n} is next: it may say more.",
    )
    for n in range(TURNS)
]
ENDED = Step("All parts are read.", thinking="That was the last one.")
BASES = {"anthropic": "/anthropic", "openai-chat": "/v1", "openai-responses": ""}


@contextlib.asynccontextmanager
async def talking(folder: Path) -> AsyncIterator[tuple[dict[str, HttpAsker], Provider, list[Record]]]:
    """Askers of all surfaces, the provider that plays the script, and (at the end) what the gateway recorded."""
    records: list[Record] = []
    async with Provider(answers=Script(STEPS, ENDED)) as provider, contextlib.AsyncExitStack() as stack:
        config = folder / "foldpoint.toml"
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n'
            + "".join(f'[upstreams.{name}]\nbase_url = "{provider.url}"\n' for name in ("openai", "anthropic"))
            + "[skills.agent_trajectory_compaction]\npayback_turns = 1000\n"
        )
        with assemble.gateway(load(config, environ={"HOME": str(folder)}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                askers = {
                    name: await stack.enter_async_context(HttpAsker(name, url + base, "key", conversation="reports"))
                    for name, base in BASES.items()
                }
                yield askers, provider, records
                await app[RECORDER].flush()
                records += reversed(app[STORE].requests("local", limit=100).records)


@pytest.mark.parametrize("switching", [False, True])
@pytest.mark.parametrize("surface", SURFACES)
def test_a_long_conversation_is_folded_and_every_request_is_valid(
    surface: str, switching: bool, tmp_path: Path
) -> None:
    """Recorded under the conversation's name, billed as the answers say; switching, every sixth turn elsewhere too."""

    async def talked() -> tuple[Talk, list[Record], Provider]:
        talk = Talk()
        async with talking(tmp_path) as (askers, provider, records):
            for turn in range(TURNS + 1):
                spoken = SURFACES[turn // 6 % 3] if switching and turn < 18 else surface
                answer = await talk.turn(askers[spoken], spoken)
                assert answer.usage is not None
            assert (answer.text, answer.stop) == (ENDED.text, "end")
        return talk, records, provider

    talk, records, provider = asyncio.run(talked())
    assert (dict(provider.log.outcomes), dict(provider.log.refused)) == ({"answered": TURNS + 1}, {})
    assert {record.session for record in records} == {"reports"}
    least = TURNS // 2 if not switching else 2
    assert [record.verdict for record in records].count("compacted") >= least
    assert sum(row.role == "assistant" for row in talk.rows) == TURNS + 1
