"""Every recorded Gemini request goes through the gateway in `prod`, to a provider as strict as the real one."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.engine import Engine
from foldpoint.gateway.serving import listening
from foldpoint.lab.provider import Provider
from naive.passage import Passage
from naive.policies import POLICIES

WORDS = ("/gemini", "")  # with the gateway's prefix and without


def sessions(shared: Path) -> Iterator[list[tuple[str, bytes]]]:
    """(path, body) of the requests of each session that speaks Gemini."""
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found = [(one["path"], encoded(one["body"])) for one in lines if "/models/gemini" in one["path"]]
        if found:
            yield found


def encoded(body: object) -> bytes:
    """The body as its client would have written it."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


async def relayed(folder: Path, requests: list[list[tuple[str, bytes]]]) -> list[list[tuple[int, str, bytes]]]:
    """(status, verdict, what the provider got) of each request."""
    async with Provider(keep_bodies=True) as provider, aiohttp.ClientSession() as client:
        config = folder / "foldpoint.toml"
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n[upstreams.gemini]\nbase_url = "{provider.url}"\n'
            "[skills.agent_trajectory_compaction]\npayback_turns = 1000\n"
        )
        found = []
        with assemble.gateway(load(config, environ={"HOME": str(folder)}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                for number, session in enumerate(requests):
                    found.append([])
                    for path, body in session:
                        async with client.post(url + WORDS[number % 2] + path, data=body) as answer:
                            await answer.read()
                            verdict = answer.headers["x-ace-trajectory-compaction"]
                        found[-1].append((answer.status, verdict, provider.log.exchanges[-1].body))
        return found


@pytest.mark.shared
def test_every_recorded_request_is_relayed_soundly(shared: Path, tmp_path: Path) -> None:
    """What is not folded is byte-identical, what is folded keeps every invariant, and the provider accepts it all."""
    requests = list(sessions(shared))
    engine = Engine(POLICIES["always"])
    problems, folds, kept = [], 0, 0
    for session, sent in zip(requests, asyncio.run(relayed(tmp_path, requests)), strict=True):
        passages: dict[str, Passage] = {}
        for (path, body), (status, verdict, got) in zip(session, sent, strict=True):
            problems += [] if status == 200 else [f"{path}: {status}"]
            problems += passages.setdefault(path, Passage(engine, "gemini", path)).problems(body, got, verdict)
            folds += verdict == "compacted"
        kept += sum(passage.stood for passage in passages.values())
    assert problems == []
    assert min(len(requests), folds, kept) >= 9
