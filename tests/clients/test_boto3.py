"""boto3 runs a tool loop through the gateway: Converse and InvokeModel, streamed and not, signed or by a bearer key."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import botocore.session
import pytest
from botocore import UNSIGNED
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.core.record import Record
from foldpoint.gateway.serving import listening, run
from foldpoint.gateway.state import RECORDER, STORE
from foldpoint.lab.provider import Call, Exchange, Provider, Script, Step

TURNS = 16
STEPS = [
    Step(f"Reading part {n}.", (Call("read_file", {"path": f"part_{n}.txt"}),), thinking=f"Part {n} is next.")
    for n in range(TURNS)
]
TASK = "Read all parts of the report and say when you are done with them."
ENDED = "All parts are read."
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDCLIENT", "AWS_SECRET_ACCESS_KEY": "client secret"}
POINT = {"cachePoint": {"type": "default"}}

Headers = dict[str, str]
Ask = Callable[[Any, list[Any]], tuple[dict[str, Any], Headers]]


class Loop(NamedTuple):
    """What became of a loop: the last words, the fold's headers of each answer, records and the provider's log."""

    said: str
    headers: list[Headers]
    records: list[Record]
    provider: Provider

    @property
    def verdicts(self) -> list[str]:
        return [given["x-ace-trajectory-compaction"] for given in self.headers]


def part(path: str) -> str:
    """The tool."""
    return f"{path}: " + "the quick brown fox jumps over the lazy dog; " * 60


def wanted(messages: list[Any]) -> dict[str, Any]:
    """The request of Converse: a cache point behind the system prompt and behind the newest message."""
    tool = {"toolSpec": {"name": "read_file", "description": "Read a file.", "inputSchema": {"json": SCHEMA}}}
    newest = {**messages[-1], "content": [*messages[-1]["content"], POINT]}
    return {
        "modelId": MODEL,
        "messages": [*messages[:-1], newest],
        "system": [{"text": "You read."}, POINT],
        "inferenceConfig": {"maxTokens": 1000},
        "toolConfig": {"tools": [tool]},
    }


def converse(client: Any, messages: list[Any]) -> tuple[dict[str, Any], Headers]:
    """Converse."""
    answer = client.converse(**wanted(messages))
    return answer["output"]["message"], answer["ResponseMetadata"]["HTTPHeaders"]


def converse_stream(client: Any, messages: list[Any]) -> tuple[dict[str, Any], Headers]:
    """ConverseStream, its events put together."""
    answer = client.converse_stream(**wanted(messages))
    content: list[dict[str, Any]] = []
    for event in answer["stream"]:
        if "contentBlockStart" in event:
            use = event["contentBlockStart"]["start"]["toolUse"]
            content.append({"toolUse": {**use, "input": ""}})
        elif "contentBlockDelta" in event:
            delta, index = event["contentBlockDelta"]["delta"], event["contentBlockDelta"]["contentBlockIndex"]
            if index == len(content):
                content.append(
                    {"text": ""} if "text" in delta else {"reasoningContent": {"reasoningText": {"text": ""}}}
                )
            grow(content[index], delta)
    for block in content:
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return {"role": "assistant", "content": content}, answer["ResponseMetadata"]["HTTPHeaders"]


def grow(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add a delta to its block."""
    if "text" in delta:
        block["text"] += delta["text"]
    elif "toolUse" in delta:
        block["toolUse"]["input"] += delta["toolUse"]["input"]
    else:
        thought = block["reasoningContent"]["reasoningText"]
        for name, value in delta["reasoningContent"].items():
            thought[name] = thought.get(name, "") + value


def invoked(messages: list[Any]) -> dict[str, Any]:
    """The request of InvokeModel: Anthropic's body, its beta in the body."""
    body = {
        "anthropic_version": "bedrock-2023-05-31",
        "anthropic_beta": ["effort-2025-11-24"],
        "max_tokens": 1000,
        "system": "You read.",
        "messages": [as_anthropic(message) for message in messages],
        "tools": [{"name": "read_file", "description": "Read a file.", "input_schema": SCHEMA}],
    }
    return {"modelId": ARN, "body": json.dumps(body)}


def as_anthropic(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the loop in Anthropic's form."""
    found = []
    for block in message["content"]:
        if "toolResult" in block:
            given = block["toolResult"]
            text = given["content"][0]["text"]
            found.append({"type": "tool_result", "tool_use_id": given["toolUseId"], "content": text})
        else:
            found.append({"type": "text", "text": block["text"]} if set(block) == {"text"} else block)
    return {"role": message["role"], "content": found}


def invoke(client: Any, messages: list[Any]) -> tuple[dict[str, Any], Headers]:
    """InvokeModel."""
    answer = client.invoke_model(**invoked(messages))
    content = json.loads(answer["body"].read())["content"]
    return {"role": "assistant", "content": content}, answer["ResponseMetadata"]["HTTPHeaders"]


def invoke_stream(client: Any, messages: list[Any]) -> tuple[dict[str, Any], Headers]:
    """InvokeModelWithResponseStream, its events put together."""
    answer = client.invoke_model_with_response_stream(**invoked(messages))
    content: list[dict[str, Any]] = []
    for frame in answer["body"]:
        event = json.loads(frame["chunk"]["bytes"])
        if event["type"] == "content_block_start":
            content.append({**event["content_block"], **({"input": ""} if "input" in event["content_block"] else {})})
        elif event["type"] == "content_block_delta":
            for name, value in event["delta"].items():
                key = {"partial_json": "input"}.get(name, name)
                content[-1][key] = content[-1][key] + value if name != "type" else content[-1]["type"]
    for block in content:
        if block["type"] == "tool_use":
            block["input"] = json.loads(block["input"])
    return {"role": "assistant", "content": content}, answer["ResponseMetadata"]["HTTPHeaders"]


def calls(message: dict[str, Any]) -> list[tuple[str, str]]:
    """(id, path) of the calls of an answer, of either API."""
    found = [block.get("toolUse", block) for block in message["content"]]
    return [(one.get("toolUseId") or one["id"], one["input"]["path"]) for one in found if "input" in one]


def with_bearer(key: str) -> Callable[..., None]:
    """What puts a bearer key on a request: botocore itself sends one over TLS alone."""

    def before_send(request: Any, **_: Any) -> None:
        request.headers["Authorization"] = f"Bearer {key}"

    return before_send


def looped(url: str, ask: Ask, bearer: str | None) -> tuple[str, list[Headers]]:
    """The loop, with a client that signs or that has a bearer key."""
    session = boto3.Session(botocore_session=botocore.session.Session())
    settings = Config(retries={"total_max_attempts": 1}, region_name="us-east-1")
    key, secret = KEYS.values()
    client = session.client(
        "bedrock-runtime", endpoint_url=url, config=settings, aws_access_key_id=key, aws_secret_access_key=secret
    )
    if bearer:
        settings = settings.merge(Config(signature_version=UNSIGNED))
        client = session.client("bedrock-runtime", endpoint_url=url, config=settings)
        client.meta.events.register("before-send", with_bearer(bearer))
    messages: list[Any] = [{"role": "user", "content": [{"text": TASK}]}]
    headers = []
    while True:
        message, given = ask(client, messages)
        headers.append(given)
        messages.append(message)
        asked = calls(message)
        if not asked:
            return message["content"][-1]["text"], headers
        content = [{"toolResult": {"toolUseId": id, "content": [{"text": part(path)}]}} for id, path in asked]
        messages.append({"role": "user", "content": content})


@contextlib.asynccontextmanager
async def through(folder: Path, environ: dict[str, str]) -> AsyncIterator[tuple[str, Provider, Any]]:
    """The gateway, folding, in front of a provider that plays the script."""
    async with Provider(answers=Script(STEPS, Step(ENDED)), keep_bodies=True) as provider:
        config = folder / "foldpoint.toml"
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/foldpoint.db"\n[upstreams.bedrock]\nbase_url = "{provider.url}"\n'
            "[skills.agent_trajectory_compaction]\npayback_turns = 1000\n"
        )
        with assemble.gateway(load(config, environ={"HOME": str(folder), **environ}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                yield f"{url}/bedrock", provider, app


def ran(folder: Path, ask: Ask, environ: dict[str, str], bearer: str | None = None) -> Loop:
    """One loop from its first request to its last."""

    async def main() -> Loop:
        async with through(folder, environ) as (url, provider, app):
            said, headers = await asyncio.to_thread(looped, url, ask, bearer)
            await app[RECORDER].flush()
            records = app[STORE].requests("local", limit=100).records
            return Loop(said, headers, list(reversed(records)), provider)

    return run(main())


def is_sound(exchange: Exchange, provider: Provider) -> bool:
    """Does the signature fit the body that came, and the host it came to?"""
    headers = {name.lower(): value for name, value in exchange.headers}
    names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    request = AWSRequest(
        "POST", provider.url + exchange.path, headers={name: headers[name] for name in names}, data=exchange.body
    )
    request.context["timestamp"] = headers["x-amz-date"]
    auth = SigV4Auth(Credentials(*KEYS.values()), "bedrock", "us-east-1")
    mine = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    return headers["authorization"].endswith(f"Signature={mine}")


ASKS = [converse, converse_stream, invoke, invoke_stream]


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("bearer", [None, "bearer-key"], ids=["signed", "bearer"])
def test_a_tool_loop_ends_as_it_should_and_is_folded(ask: Ask, bearer: str | None, tmp_path: Path) -> None:
    """Every request is valid to the provider, folds happen, signatures fit, and the records say what was billed."""
    loop = ran(tmp_path, ask, {} if bearer else KEYS, bearer)
    log = loop.provider.log
    assert loop.said == ENDED
    assert (log.requests, dict(log.outcomes)) == (TURNS + 1, {"answered": TURNS + 1})
    assert loop.verdicts[:2] == ["skipped", "no_op"]
    assert loop.verdicts.count("compacted") >= TURNS // 2
    assert [record.verdict for record in loop.records] == loop.verdicts
    assert {record.model for record in loop.records} == {MODEL if ask in ASKS[:2] else ARN}
    billed = [exchange.charge.usage for exchange in log.exchanges if exchange.charge]
    recorded = [record.usage for record in loop.records if record.usage]
    assert [(one.input, one.cache_read, one.cache_write) for one in recorded] == [
        (one.input, one.cache_read, one.cache_write) for one in billed
    ]
    if bearer:
        assert {dict(one.headers)["Authorization"] for one in log.exchanges} == {f"Bearer {bearer}"}
    else:
        assert all(is_sound(exchange, loop.provider) for exchange in log.exchanges)


@pytest.mark.parametrize("ask", [converse, invoke_stream], ids=lambda ask: ask.__name__)
def test_without_keys_a_signed_loop_is_measured_alone(ask: Ask, tmp_path: Path) -> None:
    """It runs as it would without us, and the record says what a fold would have saved and why there is none."""
    loop = ran(tmp_path, ask, {})
    assert loop.said == ENDED
    assert loop.verdicts.count("would_compact") >= TURNS // 2
    told = {(record.mode, record.reason) for record in loop.records if record.verdict == "would_compact"}
    assert told == {("shadow", "signed")}
    assert "[trajectory summary]" not in loop.provider.log.exchanges[-1].body.decode()
    assert loop.records[-1].tokens_would_save > 0 == loop.records[-1].tokens_saved


def test_between_folds_the_folded_prefix_is_read_from_the_cache(tmp_path: Path) -> None:
    """The caller's cache points and ours: while the fold stands still nothing in front of it is written again."""
    loop = ran(tmp_path, converse, KEYS)
    stood = [record for record in loop.records if record.reason == "checkpoint"]
    prompts = [record.usage for record in stood if record.usage]
    assert len(prompts) >= 5
    assert all(usage.cache_write < usage.prompt / 2 and usage.cache_read > 0 for usage in prompts)


def test_boto3_reads_errors_of_ours(tmp_path: Path) -> None:
    """As AWS's own, with the message that names us."""

    async def main() -> tuple[str, str]:
        async with through(tmp_path, KEYS) as (url, provider, _):
            await provider.runner.cleanup()
            try:
                await asyncio.to_thread(looped, url, converse, None)
            except ClientError as error:
                return error.response["Error"]["Code"], error.response["Error"]["Message"].partition(" to ")[0]
            return "", ""

    assert run(main()) == ("ServiceUnavailableException", "foldpoint: cannot connect")
