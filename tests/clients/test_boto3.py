"""boto3 runs a tool loop through the gateway: Converse and InvokeModel, streamed and not, signed or by a bearer key."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
from botocore import UNSIGNED
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from loops import ENDED, SCHEMA, TASK, TURNS, Headers, Loop, Run, part, ran, through

from foldpoint.gateway.serving import run
from foldpoint.lab.provider import Exchange, Provider

MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDCLIENT", "AWS_SECRET_ACCESS_KEY": "client secret"}
POINT = {"cachePoint": {"type": "default"}}

Ask = Callable[[Any, list[Any]], tuple[dict[str, Any], Headers]]


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


def looped(url: str, ask: Ask, bearer: str | None) -> Loop:
    """The loop, with a client that signs or that has a bearer key."""
    session = boto3.Session(botocore_session=botocore.session.Session())
    settings: dict[str, Any] = {"endpoint_url": f"{url}/bedrock", "config": Config(retries={"total_max_attempts": 1})}
    if bearer:
        settings["config"] = settings["config"].merge(Config(signature_version=UNSIGNED))
    else:
        settings["aws_access_key_id"], settings["aws_secret_access_key"] = KEYS.values()
    client = session.client("bedrock-runtime", region_name="us-east-1", **settings)
    if bearer:
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


def ended(folder: Path, ask: Ask, environ: dict[str, str], bearer: str | None = None) -> Run:
    """One loop from its first request to its last."""

    async def main() -> Run:
        async with through(folder, environ=environ) as (url, provider, app):
            return await ran(asyncio.to_thread(looped, url, ask, bearer), provider, app)

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
    loop = ended(tmp_path, ask, {} if bearer else KEYS, bearer)
    loop.check()
    assert {record.model for record in loop.records} == {MODEL if ask in ASKS[:2] else ARN}
    if bearer:
        assert {dict(one.headers)["Authorization"] for one in loop.log.exchanges} == {f"Bearer {bearer}"}
    else:
        assert all(is_sound(exchange, loop.provider) for exchange in loop.log.exchanges)


@pytest.mark.parametrize("ask", [converse, invoke_stream], ids=lambda ask: ask.__name__)
def test_without_keys_a_signed_loop_is_measured_alone(ask: Ask, tmp_path: Path) -> None:
    """It runs as it would without us, and the record says what a fold would have saved and why there is none."""
    loop = ended(tmp_path, ask, {})
    assert loop.said == ENDED
    assert loop.verdicts.count("would_compact") >= TURNS // 2
    told = {(record.mode, record.reason) for record in loop.records if record.verdict == "would_compact"}
    assert told == {("shadow", "signed")}
    assert "[trajectory summary]" not in loop.log.exchanges[-1].body.decode()
    assert loop.records[-1].tokens_would_save > 0 == loop.records[-1].tokens_saved


def test_between_folds_the_folded_prefix_is_read_from_the_cache(tmp_path: Path) -> None:
    """The caller's cache points and ours: while the fold stands still nothing in front of it is written again."""
    loop = ended(tmp_path, converse, KEYS)
    stood = [record for record in loop.records if record.reason == "checkpoint"]
    prompts = [record.usage for record in stood if record.usage]
    assert len(prompts) >= 5
    assert all(usage.cache_write < usage.prompt / 2 and usage.cache_read > 0 for usage in prompts)


def test_boto3_reads_errors_of_ours(tmp_path: Path) -> None:
    """As AWS's own, with the message that names us."""

    async def main() -> tuple[str, str]:
        async with through(tmp_path, environ=KEYS) as (url, provider, _):
            await provider.runner.cleanup()
            try:
                await asyncio.to_thread(looped, url, converse, None)
            except ClientError as error:
                return error.response["Error"]["Code"], error.response["Error"]["Message"].partition(" to ")[0]
            return "", ""

    assert run(main()) == ("ServiceUnavailableException", "foldpoint: cannot connect")
