"""The Responses API's requests; the history is ours, so nothing is stored there."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.agent.ports import Row, ToolSpec

from .extra import checked
from .rounds import Result, Round, arguments_of, takes, text_of, turns
from .texts import encoded

WRITTEN = ("model", "stream", "store", "instructions", "tools", "input", "previous_response_id", "conversation")
INCLUDE = ["reasoning.encrypted_content"]
LEAST = 16
"""The least that `max_output_tokens` may be."""
PARTS = ("output_text", "refusal")
OTHER_ITEMS = """
web_search_call file_search_call code_interpreter_call image_generation_call mcp_call mcp_list_tools compaction
"""
KNOWN = frozenset(OTHER_ITEMS.split())
"""Items of the provider's own tools. Other calls want an output that the agent has none for; it declares functions."""

Item = dict[str, Any]


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct, gc=False):
    type: str = "message"
    call_id: str = ""
    name: str = ""
    arguments: str | None = None
    role: str = ""
    content: list[_Part] | None = None
    encrypted_content: str | None = None

    @property
    def mute(self) -> bool:
        """Is it a message that says nothing?"""
        return self.type == "message" and not any(part.text.strip() or part.refusal for part in self.content or ())

    @property
    def sound(self) -> bool:
        """May it be sent back, to a provider that stores nothing?"""
        match self.type:
            case "function_call":
                return takes(self.call_id) and takes(self.name) and self.arguments is not None
            case "reasoning":
                return bool(self.encrypted_content)
            case "message":
                return self.role == "assistant" and all(part.type in PARTS for part in self.content or ())
        return self.type in KNOWN


_ITEM = msgspec.json.Decoder(_Item)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


class OpenAIResponses:
    """`openai-responses`; `extra`: further members of the body, such as `reasoning`, which win over ours.

    Models that don't reason refuse what is asked to be included; `include = []` asks for nothing.
    """

    surface = "openai-responses"

    def __init__(self, model: str, extra: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._extra = checked(extra, WRITTEN)

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """The request for the next answer."""
        body: dict[str, Any] = {"model": self._model, "stream": True, "store": False, "include": INCLUDE}
        body |= {"max_output_tokens": max(LEAST, max_tokens), **self._extra}
        if system.strip():
            body["instructions"] = system
        if tools:
            body["tools"] = [_tool(spec) for spec in tools]
        body["input"] = [part for _, parts in turns(rows, _Form()) for part in parts]
        return encoded(body)


def items_of(native: bytes) -> list[tuple[_Item, msgspec.Raw]]:
    """The items of a native answer that may be sent back, and their JSON; nothing where they can't be.

    Reasoning that is not encrypted is unknown to a provider that stores nothing, and what it made is refused without
    it. Messages that say nothing, and reasoning that nothing follows, stay behind.
    """
    try:
        found = [(_ITEM.decode(raw), raw) for raw in _ITEMS.decode(native)] if native else []
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return []
    if not all(item.sound for item, _ in found):
        return []
    return without_unfollowed([(item, raw) for item, raw in found if not item.mute])


def without_unfollowed(items: list[tuple[_Item, msgspec.Raw]]) -> list[tuple[_Item, msgspec.Raw]]:
    """The items without the reasoning at their end."""
    end = len(items)
    while end and items[end - 1][0].type == "reasoning":
        end -= 1
    return items[:end]


class _Form:
    def said(self, each: Round) -> tuple[list[Any], bool]:
        kept = items_of(each.native(OpenAIResponses.surface))
        if kept and each.has([item.call_id for item, _ in kept if item.type == "function_call"]):
            return [raw for _, raw in kept], True
        text = each.said.content if each.said else ""
        message = [{"role": "assistant", "content": text}] if text.strip() else []
        return [*message, *(_call(result) for result in each.results)], False

    def result(self, result: Result, name: str) -> Item:
        return {"type": "function_call_output", "call_id": name, "output": text_of(result)}

    def told(self, text: str) -> Item:
        return {"role": "user", "content": text}


def _call(result: Result) -> Item:
    call = result.call
    arguments = bytes(arguments_of(call)).decode()
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _tool(spec: ToolSpec) -> Item:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", **function, "strict": False}
