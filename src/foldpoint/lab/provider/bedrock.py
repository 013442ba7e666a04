"""Bedrock's answers: Converse's, and InvokeModel's for Claude; one object, or frames of a binary stream."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.lab.cache.converse import spoken

from . import anthropic, validate_anthropic, validate_bedrock
from .anthropic import STOPS
from .dialect import Answered, pieces
from .frames import KIND, event
from .refusal import Refused
from .reply import Reply
from .signing import signature


class Converse:
    """`/model/{id}/converse` and `converse-stream`."""

    surface = "bedrock"
    errors_of = "bedrock"
    request_id_header = "x-amzn-requestid"
    stream_type = KIND

    def check(self, body: Mapping[str, Any]) -> None:
        validate_bedrock.check(body)

    def limit(self, body: Mapping[str, Any]) -> int | None:
        given = (body.get("inferenceConfig") or {}).get("maxTokens")
        return given if isinstance(given, int) else None

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return spoken(body)

    def whole(self, answered: Answered) -> dict[str, Any]:
        message = {"role": "assistant", "content": list(blocks(answered.reply))}
        stop = STOPS[answered.reply.finish]
        return {"output": {"message": message}, "stopReason": stop, "usage": usage(answered), "metrics": METRICS}

    def events(self, answered: Answered) -> Iterator[bytes]:
        yield event("messageStart", {"role": "assistant"})
        for index, block in enumerate(blocks(answered.reply)):
            place = {"contentBlockIndex": index}
            if use := block.get("toolUse"):
                start = {"toolUseId": use["toolUseId"], "name": use["name"]}
                yield event("contentBlockStart", {"start": {"toolUse": start}, **place})
            for delta in deltas(block):
                yield event("contentBlockDelta", {"delta": delta, **place})
            yield event("contentBlockStop", place)
        yield event("messageStop", {"stopReason": STOPS[answered.reply.finish]})
        yield event("metadata", {"usage": usage(answered), "metrics": METRICS})

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        return {"message": refused.message}


class Invoke:
    """`/model/{id}/invoke` and `invoke-with-response-stream` with bodies of Anthropic's."""

    surface = "anthropic"
    errors_of = "bedrock"
    request_id_header = "x-amzn-requestid"
    stream_type = KIND

    def __init__(self, api: anthropic.Anthropic) -> None:
        self.api = api

    def check(self, body: Mapping[str, Any]) -> None:
        validate_bedrock.check_invoked(body)
        inner = {key: value for key, value in body.items() if key not in validate_bedrock.OF_BEDROCK}
        validate_anthropic.check(inner, merge_roles=self.api.merge_roles)

    def limit(self, body: Mapping[str, Any]) -> int | None:
        return self.api.limit(body)

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return list(body["messages"])

    def whole(self, answered: Answered) -> dict[str, Any]:
        return self.api.whole(answered)

    def events(self, answered: Answered) -> Iterator[bytes]:
        for said in self.api.events(answered):
            inner = said.partition(b"data: ")[2].strip()
            yield event("chunk", {"bytes": b64encode(inner).decode()})

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        return {"message": refused.message}


METRICS = {"latencyMs": 1}


def blocks(reply: Reply) -> Iterator[dict[str, Any]]:
    """The blocks of an answer: thinking, text, calls."""
    if reply.thinking:
        thought = {"text": reply.thinking, "signature": signature(reply.thinking)}
        yield {"reasoningContent": {"reasoningText": thought}}
    if reply.text:
        yield {"text": reply.text}
    for call in reply.calls:
        arguments = msgspec.json.decode(call.arguments)
        yield {"toolUse": {"toolUseId": f"tooluse_{call.id}", "name": call.name, "input": arguments}}


def deltas(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the events of a block add to it."""
    if "text" in block:
        for piece in pieces(block["text"]):
            yield {"text": piece}
    elif "toolUse" in block:
        for piece in pieces(msgspec.json.encode(block["toolUse"]["input"]).decode()):
            yield {"toolUse": {"input": piece}}
    else:
        thought = block["reasoningContent"]["reasoningText"]
        for piece in pieces(thought["text"]):
            yield {"reasoningContent": {"text": piece}}
        yield {"reasoningContent": {"signature": thought["signature"]}}


def usage(answered: Answered) -> dict[str, Any]:
    """The usage object."""
    charge, output = answered.charge, answered.reply.output_tokens
    said: dict[str, Any] = {
        "inputTokens": charge.usage.input,
        "outputTokens": output,
        "totalTokens": charge.usage.prompt + output,
        "cacheReadInputTokens": charge.usage.cache_read,
        "cacheWriteInputTokens": charge.usage.cache_write,
    }
    written = [("1h", charge.write_1h), ("5m", charge.write_5m)]
    return said | {"cacheDetails": [{"ttl": ttl, "inputTokens": tokens} for ttl, tokens in written if tokens]}
