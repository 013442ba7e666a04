"""Chat completions' requests."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.agent.ports import Row, ToolSpec

from .extra import checked
from .rounds import Result, Round, arguments_of, takes, text_of, turns
from .texts import encoded

WRITTEN = ("model", "stream", "tools", "messages")

Message = dict[str, Any]


class _Function(msgspec.Struct, gc=False):
    name: str
    arguments: str


class _Called(msgspec.Struct, gc=False):
    id: str
    function: _Function


class _Native(msgspec.Struct, gc=False):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Called] | None = None


_NATIVE = msgspec.json.Decoder(_Native)


class OpenAIChat:
    """`openai-chat`; `extra`: further members of the body, such as `temperature`, which win over ours.

    The most that may be answered is `max_completion_tokens`; where `extra` has `max_tokens`, that alone.
    """

    surface = "openai-chat"

    def __init__(self, model: str, extra: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._extra = checked(extra, WRITTEN)

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """The request for the next answer."""
        body: dict[str, Any] = {"model": self._model, "stream": True, "stream_options": {"include_usage": True}}
        if "max_tokens" not in self._extra:
            body["max_completion_tokens"] = max_tokens
        body |= self._extra
        if tools:
            body["tools"] = [_tool(spec) for spec in tools]
        front = [{"role": "system", "content": system}] if system.strip() else []
        body["messages"] = [*front, *(part for _, parts in turns(rows, _Form()) for part in parts)]
        return encoded(body)


class _Form:
    def said(self, each: Round) -> tuple[list[Any], bool]:
        native = each.native(OpenAIChat.surface)
        if (calls := calls_of(native)) is not None and each.has(calls):
            return [msgspec.Raw(native)], True
        text = each.said.content if each.said else ""
        message: Message = {"role": "assistant", "content": text if text.strip() else None}
        if each.results:
            message["tool_calls"] = [_call(result) for result in each.results]
        return ([message] if each.results or text.strip() else []), False

    def result(self, result: Result, name: str) -> Message:
        return {"role": "tool", "tool_call_id": name, "content": text_of(result)}

    def told(self, text: str) -> Message:
        return {"role": "user", "content": text}


def calls_of(native: bytes) -> list[str] | None:
    """The ids of the calls of a native message; None where it says nothing, or can't be read."""
    try:
        found = _NATIVE.decode(native) if native else _Native()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    calls = found.tool_calls or []
    said = (found.content or "").strip() or found.refusal or calls
    return (
        [call.id for call in calls] if said and all(call.id and takes(call.function.name) for call in calls) else None
    )


def _call(result: Result) -> Message:
    call = result.call
    arguments = bytes(arguments_of(call)).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(spec: ToolSpec) -> Message:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}
