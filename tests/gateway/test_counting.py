"""CountTokens counts what would be sent, of Converse and of InvokeModel."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from loopback import gateway

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine, fold
from foldpoint.gateway.serving import run

ALWAYS = Policy(Trajectory(payback_turns=1000))
MODEL = "us.anthropic.claude-x"


def loop(turns: int) -> list[dict[str, Any]]:
    """The messages of a tool loop in Anthropic's form."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": f"{turn} " + "word " * 400}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return found


def converse(turns: int) -> list[dict[str, Any]]:
    """The same in Converse's."""
    found: list[dict[str, Any]] = [{"role": "user", "content": [{"text": "go"}]}]
    for turn in range(turns):
        call = {"toolUse": {"toolUseId": f"t{turn}", "name": "read", "input": {}}}
        result = {"toolResult": {"toolUseId": f"t{turn}", "content": [{"text": f"{turn} " + "word " * 400}]}}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return found


def counted(body: bytes) -> tuple[bytes, str]:
    """The body that the provider was sent, and the verdict. Counts are no requests: they are not recorded."""

    async def main() -> tuple[bytes, str]:
        async with gateway(Engine(ALWAYS)) as it:  # type: ignore[arg-type]
            async with it.client.post(f"{it.url}/bedrock/model/{MODEL}/count-tokens", data=body) as answer:
                await answer.read()
            assert it.recorder.records == []
            return it.provider.got[0].body, answer.headers["x-ace-trajectory-compaction"]

    return run(main())


def invoked(turns: int) -> bytes:
    """A body for InvokeModel."""
    return json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": loop(turns)}).encode()


def wrapped(inner: bytes) -> bytes:
    """The request that counts it."""
    return b'{ "input" : {"invokeModel":{"body": "' + b64encode(inner) + b'"} }, "x":1}'


def test_a_body_for_invoke_model_is_counted_as_it_would_be_sent() -> None:
    """The folded body stands where the whole one stood; all around it is the caller's."""
    inner = invoked(8)
    sent, verdict = counted(wrapped(inner))
    assert sent == wrapped(fold(inner, "anthropic", ALWAYS, f"/model/{MODEL}/invoke").body)
    assert verdict == "compacted"


def test_a_body_of_converse_is_counted_as_it_would_be_sent() -> None:
    """Inside its wrapping."""
    sent, verdict = counted(json.dumps({"input": {"converse": {"messages": converse(8), "system": []}}}).encode())
    alone = fold(json.dumps({"messages": converse(8)}).encode(), "bedrock", ALWAYS)
    assert json.loads(sent)["input"]["converse"]["messages"] == json.loads(alone.body)["messages"]
    assert verdict == "compacted"


@pytest.mark.parametrize(
    "body",
    [
        wrapped(invoked(2)),
        wrapped(b'{"prompt":"a"}'),
        b'{"input":{"invokeModel":{"body":"not base64!"}}}',
        b'{"input":{"invokeModel":{"body":5}}}',
        b'{"input":{}}',
        b"",
    ],
)
def test_what_is_not_folded_passes_as_it_is(body: bytes) -> None:
    """Byte for byte."""
    assert counted(body)[0] == body


def test_what_is_inside_is_the_only_thing_that_changes() -> None:
    """Decoded it is a body that is smaller."""
    inner = invoked(8)
    sent = b64decode(json.loads(counted(wrapped(inner))[0])["input"]["invokeModel"]["body"])
    assert len(sent) < len(inner)
