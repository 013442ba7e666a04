"""A model that binds thinking to its prefix, behind the gateway: no answer is a refusal, no thought is sent in vain.

The provider signs what it thinks with a digest of the request, and refuses a thought that stands behind anything else.
"""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import anthropic
import pytest

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.gateway.serving import listening, run
from foldpoint.lab.provider import Answers, Call, Provider, Script, Step

MODEL, UNBOUND = "claude-opus-5-5", "claude-sonnet-5"
TURNS = 20
TASK = "Read all parts of the report and say when you are done with them."
ENDED = Step("All parts are read.", thinking="That was the last one.")
STEPS = [Step(f"Part {n}.", (Call("read", {"part": n}),), f"Part {n} is next: it may say more.") for n in range(TURNS)]
SAME = [Step("Again.", (Call("poll", {}),), f"It may be ready now, at try {n}.") for n in range(TURNS)]
TOOLS = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in ("read", "poll")]
TEXT = "the quick brown fox jumps over the lazy dog; " * 80

Answered = tuple[int, dict[str, Any], dict[str, str]]
"""(status, answer, the fold's headers)"""


@contextlib.asynccontextmanager
async def through(folder: Path, answers: Answers, **parameters: int) -> AsyncIterator[tuple[str, Provider]]:
    """The gateway, folding wherever it may, in front of a provider that plays the script."""
    rows = "".join(f"{name} = {value}\n" for name, value in {"payback_turns": 1000, **parameters}.items())
    async with Provider(answers=answers, keep_bodies=True) as provider:
        config = folder / "foldpoint.toml"
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n[upstreams.anthropic]\nbase_url = "{provider.url}"\n'
            f'[upstreams.bedrock]\nbase_url = "{provider.url}"\n'
            f"[skills.agent_trajectory_compaction]\n{rows}"
        )
        with assemble.gateway(load(config, environ={"HOME": str(folder)}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                yield url, provider


class Session:
    """A tool loop that sends all of its history, thoughts included, at each turn."""

    def __init__(self, client: aiohttp.ClientSession, model: str = MODEL, **members: Any) -> None:
        self.client = client
        self.beta = "some-beta"
        self.members = {"model": model, "max_tokens": 1000, "tools": TOOLS, **members}
        self.messages: list[Any] = [{"role": "user", "content": TASK}]

    async def turn(self, url: str, path: str = "/v1/messages") -> Answered:
        """Ask once, and answer the calls."""
        body = {**self.members, "messages": self.messages}
        async with self.client.post(url + path, json=body, headers={"anthropic-beta": self.beta}) as response:
            answer = await response.json()
            said = {name: response.headers.get(f"x-ace-trajectory-compaction{name}", "") for name in ("", "-reason")}
        if "content" in answer:
            self.took(answer["content"])
        return response.status, answer, said

    def took(self, content: list[Any]) -> None:
        """Go on from an answer."""
        calls = [block for block in content if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": TEXT} for call in calls]
        self.messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


async def played(
    folder: Path, turns: int, script: list[Step], session: dict[str, Any], **policy: int
) -> list[Answered]:
    """So many turns of a session through the gateway."""
    async with through(folder, Script(script, ENDED), **policy) as (url, _), aiohttp.ClientSession() as client:
        loop = Session(client, **session)
        return [await loop.turn(url) for _ in range(turns)]


def test_no_thought_is_sent_behind_another_prefix(tmp_path: Path) -> None:
    """Over three folds: nothing is refused, and nothing was there to be dropped."""
    answers = run(played(tmp_path, TURNS - 1, STEPS, {}))
    assert [status for status, _, _ in answers] == [200] * (TURNS - 1)
    assert [said["-reason"] for _, _, said in answers].count("fold_moved") == 3
    asked = [answer.get("input_transformations") for _, answer, said in answers if said[""] == "compacted"]
    assert asked == [[]] * (TURNS - 7)


def test_no_thought_is_sent_behind_another_prefix_on_bedrock(tmp_path: Path) -> None:
    """InvokeModel's bodies are Anthropic's, with the beta in the body."""

    async def main() -> tuple[list[Answered], list[bytes]]:
        async with through(tmp_path, Script(STEPS, ENDED)) as (url, provider), aiohttp.ClientSession() as client:
            loop = Session(client, anthropic_version="bedrock-2023-05-31")
            del loop.members["model"]
            answers = [await loop.turn(url, f"/bedrock/model/us.anthropic.{MODEL}-v1:0/invoke") for _ in range(13)]
            return answers, [exchange.body for exchange in provider.log.exchanges]

    answers, bodies = run(main())
    assert [status for status, _, _ in answers] == [200] * 13
    assert [said[""] for _, _, said in answers] == ["skipped"] + ["no_op"] * 5 + ["compacted"] * 7
    assert [(b"drop_block" in body, b"thinking-binding-controls" in body) for body in bodies] == [
        (False, False)
    ] * 6 + [(True, True)] * 7


def test_before_a_fold_the_request_is_the_clients(tmp_path: Path) -> None:
    """No setting and no beta of ours where nothing was folded."""

    async def main() -> list[tuple[bool, str]]:
        async with through(tmp_path, Script(STEPS)) as (url, provider), aiohttp.ClientSession() as client:
            loop = Session(client)
            for _ in range(8):
                await loop.turn(url)
            return [
                (b"drop_block" in exchange.body, dict(exchange.headers)["anthropic-beta"])
                for exchange in provider.log.exchanges
            ]

    ours = "some-beta,thinking-binding-controls-2026-08-01"
    assert run(main()) == [(False, "some-beta")] * 6 + [(True, ours)] * 2


def test_models_that_bind_nothing_get_no_setting(tmp_path: Path) -> None:
    """The thoughts of their kept turns are never touched."""
    answers = run(played(tmp_path, 13, STEPS, {"model": UNBOUND}))
    assert [status for status, _, _ in answers] == [200] * 13
    assert {answer.get("input_transformations") for _, answer, _ in answers} == {None}


def test_a_session_that_began_elsewhere(tmp_path: Path) -> None:
    """Its thoughts are of the unfolded request: they are dropped by the provider, not refused."""

    async def main() -> list[Answered]:
        async with through(tmp_path, Script(STEPS)) as (url, provider), aiohttp.ClientSession() as client:
            loop = Session(client)
            for _ in range(8):
                await loop.turn(provider.url)
            return [await loop.turn(url) for _ in range(4)]

    answers = run(main())
    assert [status for status, _, _ in answers] == [200] * 4
    assert [len(answer["input_transformations"]) for _, answer, _ in answers] == [2, 2, 2, 0]


def test_a_loop_is_served_unfolded_with_the_setting(tmp_path: Path) -> None:
    """The guard takes the fold back; thoughts that were made behind it are dropped by the provider, not refused."""
    answers = run(played(tmp_path, 12, [*STEPS[:8], *SAME[8:]], {}, max_tool_repeats=2))
    assert [status for status, _, _ in answers] == [200] * 12
    dropped = [[spot["path"] for spot in answer.get("input_transformations") or ()] for _, answer, _ in answers]
    assert [said[""] for _, _, said in answers][6:] == ["compacted"] * 5 + ["refused"]
    assert dropped == [[]] * 11 + [[f"messages.{place}.content.0" for place in (13, 15, 17, 19, 21)]]


def test_the_callers_own_setting_stands(tmp_path: Path) -> None:
    """Who asks for an error gets it where the session began elsewhere."""
    own = {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}}

    async def main() -> tuple[int, str]:
        async with through(tmp_path, Script(STEPS)) as (url, provider), aiohttp.ClientSession() as client:
            loop = Session(client)
            for _ in range(8):
                await loop.turn(provider.url)
            loop.members |= own
            loop.beta = "thinking-binding-controls-2026-08-01"
            status, answer, _ = await loop.turn(url)
            return status, answer["error"]["message"]

    status, message = run(main())
    assert (status, "bound to a different conversation" in message) == (400, True)


def test_a_count_is_of_what_would_be_sent(tmp_path: Path) -> None:
    """Of the folded request: less than the client would count itself, and what is billed then."""

    async def main() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        async with through(tmp_path, Script(STEPS)) as (url, provider), aiohttp.ClientSession() as client:
            loop = Session(client, UNBOUND)
            for _ in range(8):
                await loop.turn(url)
            del loop.members["max_tokens"]
            counts = [(await loop.turn(at, "/v1/messages/count_tokens"))[1] for at in (url, provider.url)]
            loop.members["max_tokens"] = 1000
            return counts[0], counts[1], (await loop.turn(url))[1]["usage"]

    through_us, direct, usage = run(main())
    billed = sum(usage[name] for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))
    assert through_us["input_tokens"] == billed < direct["input_tokens"]


@pytest.mark.parametrize("streamed", [False, True])
def test_the_sdk_on_vertex(tmp_path: Path, streamed: bool) -> None:
    """`rawPredict` and `streamRawPredict` name the model in the path; no thought is sent behind another prefix."""

    async def main() -> tuple[list[str], list[Any], str, int]:
        async with through(tmp_path, Script(STEPS, ENDED)) as (url, provider):
            client = anthropic.AsyncAnthropicVertex(
                base_url=f"{url}/anthropic/v1", project_id="p", region="us-east5", access_token="any", max_retries=0
            )
            messages: list[Any] = [{"role": "user", "content": TASK}]
            dropped = []
            async with client:
                while True:
                    answer: Any = await asked(client, messages, streamed)
                    dropped.append(getattr(answer, "input_transformations", None))
                    if answer.stop_reason != "tool_use":
                        break
                    calls = [block for block in answer.content if block.type == "tool_use"]
                    results = [{"type": "tool_result", "tool_use_id": call.id, "content": TEXT} for call in calls]
                    messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": results}]
                count = await client.messages.count_tokens(model=MODEL, messages=messages)
            paths = sorted({exchange.path for exchange in provider.log.exchanges})
            return paths, dropped, answer.content[-1].text, count.input_tokens

    paths, dropped, said, count = run(main())
    models = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/"
    verb = "streamRawPredict" if streamed else "rawPredict"
    assert paths == [f"{models}{MODEL}:{verb}", f"{models}count-tokens:rawPredict"]
    assert (dropped, said) == ([None] * 6 + [[]] * (TURNS - 5), ENDED.text)
    assert count < len(TEXT) * TURNS / 3


async def asked(client: anthropic.AsyncAnthropicVertex, messages: list[Any], streamed: bool) -> Any:
    """One answer."""
    wanted: dict[str, Any] = {"model": MODEL, "max_tokens": 1000, "messages": messages, "tools": TOOLS}
    if not streamed:
        return await client.messages.create(**wanted)
    async with client.messages.stream(**wanted) as stream:
        return await stream.get_final_message()
