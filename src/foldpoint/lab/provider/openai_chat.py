"""Chat completions' answers: one object, or its sequence of chunks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldpoint.surfaces.errors import OPENAI_TYPES

from . import validate_openai_chat
from .dialect import EVENTS, Answered, event, pieces
from .refusal import Refused
from .reply import Called, Finish, Reply

FINISHES: Mapping[Finish, str] = {"end": "stop", "calls": "tool_calls", "length": "length"}
CREATED = 1_767_225_600
"""The time every answer bears: the same request has the same answer."""


class OpenAIChat:
    """`/v1/chat/completions`."""

    surface = "openai-chat"
    errors_of = "openai-chat"
    request_id_header = "x-request-id"
    stream_type = EVENTS

    def check(self, body: Mapping[str, Any]) -> None:
        validate_openai_chat.check(body)

    def limit(self, body: Mapping[str, Any]) -> int | None:
        given = body.get("max_completion_tokens") or body.get("max_tokens")
        return given if isinstance(given, int) else None

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return list(body["messages"])

    def whole(self, answered: Answered) -> dict[str, Any]:
        reply = answered.reply
        choice = {
            "index": 0,
            "message": message(reply),
            "logprobs": None,
            "finish_reason": FINISHES[reply.finish],
        }
        return {**frame(answered, "chat.completion"), "choices": [choice], "usage": usage(answered)}

    def events(self, answered: Answered) -> Iterator[bytes]:
        counted = bool((answered.body.get("stream_options") or {}).get("include_usage"))
        shared = frame(answered, "chat.completion.chunk") | ({"usage": None} if counted else {})
        for delta in deltas(answered.reply):
            yield event({**shared, "choices": [choice(delta, None)]})
        yield event({**shared, "choices": [choice({}, FINISHES[answered.reply.finish])]})
        if counted:
            yield event({**shared, "choices": [], "usage": usage(answered)})
        yield b"data: [DONE]\n\n"

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        return error(refused)


def error(refused: Refused) -> dict[str, Any]:
    """The body of an error, of either of OpenAI's APIs."""
    usual = "server_error" if refused.status >= 500 else "invalid_request_error"
    kind = refused.kind or OPENAI_TYPES.get(refused.status, usual)
    return {"error": {"message": refused.message, "type": kind, "param": refused.param, "code": refused.code}}


def frame(answered: Answered, kind: str) -> dict[str, Any]:
    """What the answer and each of its chunks have in common."""
    return {"id": f"chatcmpl-{answered.id}", "object": kind, "created": CREATED, "model": answered.model}


def message(reply: Reply) -> dict[str, Any]:
    """The assistant message."""
    said: dict[str, Any] = {"role": "assistant", "content": content(reply), "refusal": None}
    if reply.calls:
        said["tool_calls"] = [tool_call(call, call.arguments) for call in reply.calls]
    return said


def content(reply: Reply) -> str | None:
    """The text; null where calls alone are answered."""
    return None if reply.calls and not reply.text else reply.text


def tool_call(call: Called, arguments: str) -> dict[str, Any]:
    """A call with so much of its arguments."""
    return {"id": f"call_{call.id}", "type": "function", "function": {"name": call.name, "arguments": arguments}}


def deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    """What the chunks add to the message."""
    yield {"role": "assistant", "content": None if content(reply) is None else "", "refusal": None}
    for piece in pieces(reply.text):
        yield {"content": piece}
    for index, call in enumerate(reply.calls):
        yield {"tool_calls": [{"index": index, **tool_call(call, "")}]}
        for piece in pieces(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def choice(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    """The one choice of a chunk."""
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def usage(answered: Answered) -> dict[str, Any]:
    """The usage object."""
    billed, output = answered.charge.usage, answered.reply.output_tokens
    details = {"cached_tokens": billed.cache_read, "audio_tokens": 0}
    if billed.cache_write:
        details["cache_write_tokens"] = billed.cache_write
    return {
        "prompt_tokens": billed.prompt,
        "completion_tokens": output,
        "total_tokens": billed.prompt + output,
        "prompt_tokens_details": details,
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
