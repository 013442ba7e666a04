"""Every recorded Responses session goes through the gateway, folding, to a provider that says what it got."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from loopback import Gateway, gateway

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.receipt import HEADER
from foldpoint.engine import Engine
from foldpoint.lab.provider import validate_openai_responses
from naive.passage import Passage
from naive.sources import Source, recordings

SURFACE = "openai-responses"
POLICY = Policy(Trajectory(payback_turns=1000))


async def sent(it: Gateway, body: bytes) -> tuple[bytes, str]:
    """What the provider got of a request, and the verdict that the client was told."""
    headers = {"content-type": "application/json", "authorization": "Bearer k"}
    async with it.client.post(it.url + "/v1/responses", data=body, headers=headers) as answer:
        await answer.read()
        return it.provider.got[-1].body, answer.headers[HEADER]


async def problems(it: Gateway, source: Source, counts: Counter[str]) -> list[str]:
    """What does not hold of a session's requests as they arrived."""
    found: list[str] = []
    passage = Passage(Engine(POLICY), SURFACE)
    for data in source.steps:
        got, verdict = await sent(it, data)
        counts[verdict] += 1
        found += passage.problems(data, got, verdict)
        if verdict == "compacted" and not json.loads(data).get("previous_response_id"):
            validate_openai_responses.check(json.loads(got))
    return [f"{source.name}: {problem}" for problem in found]


@pytest.mark.shared
def test_every_recorded_session_arrives_whole(shared: Path) -> None:
    """What is not folded is the same bytes; what is folded is sound, accepted by the provider, and keeps its prefix."""

    async def main() -> tuple[list[str], Counter[str]]:
        counts: Counter[str] = Counter()
        async with gateway(Engine(POLICY)) as it:  # type: ignore[arg-type]
            sources = [source for source in recordings(shared) if source.surface == SURFACE]
            found = [problem for source in sources for problem in await problems(it, source, counts)]
        return found, counts

    found, counts = asyncio.run(main())
    assert found == []
    assert counts.keys() == {"compacted", "no_op", "skipped"}
    assert min(counts.values()) >= 20
