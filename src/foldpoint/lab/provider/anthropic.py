"""The Messages API's answers: one object, or its sequence of stream events."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.surfaces.errors import ANTHROPIC_TYPES

from . import binding, validate_anthropic
from .dialect import EVENTS, Answered, event, pieces
from .refusal import Refused
from .reply import Finish
from .signing import signature

STOPS: Mapping[Finish, str] = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens"}


OF_A_CLOUD = frozenset(("anthropic_version", "anthropic_beta"))
"""Members that bodies have on the clouds, where the API itself takes headers."""


class Anthropic:
    """`/v1/messages`; `merge_roles` accepts neighbouring messages of one role, as the API itself does.

    `on_vertex`: bodies name their `anthropic_version`, as they do there.
    """

    surface = "anthropic"
    errors_of = "anthropic"
    request_id_header = "request-id"
    stream_type = EVENTS

    def __init__(self, *, merge_roles: bool = False, on_vertex: bool = False) -> None:
        self.merge_roles = merge_roles
        self.on_vertex = on_vertex

    def check(self, body: Mapping[str, Any]) -> None:
        validate_anthropic.check(self.api_body(body), merge_roles=self.merge_roles)

    def check_counting(self, body: Mapping[str, Any]) -> None:
        """What count_tokens refuses."""
        validate_anthropic.check(self.api_body(body), counting=True, merge_roles=self.merge_roles)

    def api_body(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body as the API itself takes it. Raises Refused."""
        if not self.on_vertex:
            return body
        if not isinstance(body.get("anthropic_version"), str):
            raise Refused("anthropic_version: Field required")
        return {key: value for key, value in body.items() if key not in OF_A_CLOUD}

    def limit(self, body: Mapping[str, Any]) -> int | None:
        return int(body["max_tokens"])

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return list(body["messages"])

    def whole(self, answered: Answered) -> dict[str, Any]:
        reply = answered.reply
        return message(answered, list(blocks(answered)), STOPS[reply.finish], usage(answered, reply.output_tokens))

    def events(self, answered: Answered) -> Iterator[bytes]:
        yield said("message_start", message=message(answered, [], None, usage(answered, 1)))
        for index, block in enumerate(blocks(answered)):
            yield said("content_block_start", index=index, content_block=begun(block))
            if index == 0:
                yield said("ping")
            for delta in deltas(block):
                yield said("content_block_delta", index=index, delta=delta)
            yield said("content_block_stop", index=index)
        stop = {"stop_reason": STOPS[answered.reply.finish], "stop_sequence": None}
        yield said("message_delta", delta=stop, usage=final_usage(answered))
        yield said("message_stop")

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        usual = "api_error" if refused.status >= 500 else "invalid_request_error"
        kind = refused.kind or ANTHROPIC_TYPES.get(refused.status, usual)
        error: dict[str, Any] = {"type": kind, "message": refused.message}
        if refused.details:
            error["details"] = refused.details
        return {"type": "error", "error": error, "request_id": request_id}


def message(
    answered: Answered, content: list[dict[str, Any]], stop: str | None, billed: dict[str, Any]
) -> dict[str, Any]:
    """A message object."""
    dropped = {} if answered.dropped is None else {"input_transformations": answered.dropped}
    return {
        "id": f"msg_{answered.id}",
        "type": "message",
        "role": "assistant",
        "model": answered.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": billed,
        **dropped,
    }


def blocks(answered: Answered) -> Iterator[dict[str, Any]]:
    """The blocks of an answer: thinking, text, calls."""
    reply = answered.reply
    if reply.thinking:
        signed = signature(reply.thinking, binding.prefix_of(answered.body))
        yield {"type": "thinking", "thinking": reply.thinking, "signature": signed}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.calls:
        arguments = msgspec.json.decode(call.arguments)
        yield {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name, "input": arguments}


def begun(block: Mapping[str, Any]) -> dict[str, Any]:
    """The block as its first event shows it: without what the deltas bring."""
    empty: dict[str, Any] = {"thinking": "", "signature": "", "text": "", "input": {}}
    return {key: empty.get(key, value) for key, value in block.items()}


def deltas(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the events of a block add to it."""
    match block["type"]:
        case "thinking":
            for piece in pieces(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "text":
            for piece in pieces(block["text"]):
                yield {"type": "text_delta", "text": piece}
        case _:
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in pieces(msgspec.json.encode(block["input"]).decode()):
                yield {"type": "input_json_delta", "partial_json": piece}


def usage(answered: Answered, output: int) -> dict[str, Any]:
    """The usage object of a message."""
    charge = answered.charge
    return {
        "input_tokens": charge.usage.input,
        "cache_creation_input_tokens": charge.usage.cache_write,
        "cache_read_input_tokens": charge.usage.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": charge.write_5m,
            "ephemeral_1h_input_tokens": charge.write_1h,
        },
        "output_tokens": output,
        "service_tier": "standard",
    }


def final_usage(answered: Answered) -> dict[str, int]:
    """The cumulative usage that a stream ends with."""
    billed = answered.charge.usage
    return {
        "input_tokens": billed.input,
        "cache_creation_input_tokens": billed.cache_write,
        "cache_read_input_tokens": billed.cache_read,
        "output_tokens": answered.reply.output_tokens,
    }


def said(kind: str, **members: Any) -> bytes:
    """One event; its name is its type."""
    return event({"type": kind, **members}, kind)
