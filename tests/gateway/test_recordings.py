"""Every recorded session goes through the gateway, folding, to a provider that says what it got."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from loopback import Gateway, gateway

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.receipt import HEADER
from foldpoint.engine import Engine
from foldpoint.lab.provider import validate_openai_chat, validate_openai_responses
from foldpoint.lab.provider.refusal import Refused
from foldpoint.lab.provider.validate_anthropic import check
from naive.passage import Passage
from naive.sources import COUNTS, Source, recordings

POLICY = Policy(Trajectory(payback_turns=1000))


class Api(NamedTuple):
    """Where a surface's requests are sent, who says whether its provider would take one, and how many fold at least."""

    path: str
    check: Callable[[Mapping[str, Any]], None]
    folds: int


def anthropic(body: Mapping[str, Any]) -> None:
    """As the API takes them: a client may repeat a role."""
    check(body, merge_roles=True)


APIS = {
    "anthropic": Api("/v1/messages", anthropic, 20),
    "openai-chat": Api("/v1/chat/completions", validate_openai_chat.check, 20),
    "openai-responses": Api("/v1/responses", validate_openai_responses.check, 20),
}


def takes(api: Api, body: bytes) -> bool:
    """Would the provider take the request as the client sends it? A fault that it has already is not ours."""
    try:
        api.check(json.loads(body))
    except Refused:
        return False
    return True


async def sent(it: Gateway, path: str, body: bytes) -> tuple[bytes, str]:
    """What the provider got of a request, and the verdict that the client was told."""
    headers = {"content-type": "application/json", "authorization": "Bearer k"}
    async with it.client.post(it.url + path, data=body, headers=headers) as answer:
        await answer.read()
        return it.provider.got[-1].body, answer.headers[HEADER]


async def problems(it: Gateway, source: Source, counts: Counter[str]) -> list[str]:
    """What does not hold of a session's requests as they arrived."""
    found: list[str] = []
    api, passage = APIS[source.surface], Passage(Engine(POLICY), source.surface)
    path = source.path if source.path.endswith(COUNTS) else api.path
    for data in source.steps:
        got, verdict = await sent(it, path, data)
        counts[verdict] += 1
        found += passage.problems(data, got, verdict)
        if verdict == "compacted" and takes(api, data):
            api.check(json.loads(got))
    return [f"{source.name}: {problem}" for problem in found]


@pytest.mark.shared
@pytest.mark.parametrize("surface", APIS)
def test_every_recorded_session_arrives_whole(shared: Path, surface: str) -> None:
    """What is not folded is the same bytes; what is folded is sound, accepted by the provider, and keeps its prefix."""

    async def main() -> tuple[list[str], Counter[str]]:
        counts: Counter[str] = Counter()
        async with gateway(Engine(POLICY)) as it:  # type: ignore[arg-type]
            sources = [source for source in recordings(shared) if source.surface == surface]
            found = [problem for source in sources for problem in await problems(it, source, counts)]
        return found, counts

    found, counts = asyncio.run(main())
    assert found == []
    assert counts["compacted"] >= APIS[surface].folds
    assert set(counts) <= {"compacted", "no_op", "skipped"}
