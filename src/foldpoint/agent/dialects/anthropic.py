"""The Messages API's requests, with cache breakpoints for a conversation that grows."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.agent.ports import Row, ToolSpec

from .extra import checked
from .rounds import Result, Round, arguments_of, takes, turns
from .texts import encoded

MARK = {"type": "ephemeral"}
MARKED_MESSAGES = 2
"""The newest messages of the user that bear a breakpoint: one is written now, the one before is read for certain even
where more blocks came since than a look-up goes back."""
WRITTEN = ("model", "max_tokens", "stream", "system", "tools", "messages")

Block = dict[str, Any]


class _Block(msgspec.Struct, gc=False):
    type: str
    text: str = ""
    thinking: str | None = None
    signature: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] | None = None

    @property
    def sendable(self) -> bool:
        """Does it say something that the provider takes back?"""
        match self.type:
            case "text":
                return bool(self.text.strip())
            case "thinking":
                return self.thinking is not None and bool(self.signature)
        return self.type not in ("", "tool_result")

    @property
    def sound(self) -> bool:
        """Is a call one that the provider takes?"""
        return self.type != "tool_use" or (takes(self.id) and takes(self.name) and self.input is not None)


class _Native(msgspec.Struct, gc=False):
    content: list[msgspec.Raw] = []


_BLOCK = msgspec.json.Decoder(_Block)
_NATIVE = msgspec.json.Decoder(_Native)


class Anthropic:
    """`anthropic`; `extra`: further members of the body, such as `thinking`."""

    surface = "anthropic"

    def __init__(self, model: str, extra: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._extra = checked(extra, WRITTEN)

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """The request for the next answer."""
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_tokens, "stream": True, **self._extra}
        if tools:
            body["tools"] = [_tool(spec) for spec in tools]
        if system.strip():
            body["system"] = [{"type": "text", "text": system, "cache_control": MARK}]
        elif tools:
            body["tools"][-1]["cache_control"] = MARK
        body["messages"] = _marked([{"role": role, "content": said} for role, said in turns(rows, _Form())])
        return encoded(body)


def blocks_of(native: bytes) -> list[tuple[str, str, msgspec.Raw]]:
    """(type, id, JSON) of the blocks of a native message that may be sent back; nothing where it can't be.

    Blank texts, thinking that was never signed and thinking that nothing follows are refused by the provider.
    """
    try:
        found = [(_BLOCK.decode(raw), raw) for raw in _NATIVE.decode(native).content] if native else []
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return []
    if not all(block.sound for block, _ in found):
        return []
    kept = [(block.type, block.id, raw) for block, raw in found if block.sendable]
    while kept and kept[-1][0] in ("thinking", "redacted_thinking"):
        kept.pop()
    return kept


def sendable(native: bytes) -> bytes:
    """The JSON of a message of the model with nothing in it that would be refused; empty where nothing is left."""
    kept = [raw for _, _, raw in blocks_of(native)]
    return msgspec.json.encode({"role": "assistant", "content": kept}) if kept else b""


class _Form:
    def said(self, each: Round) -> tuple[list[Any], bool]:
        kept = blocks_of(each.native(Anthropic.surface))
        if kept and each.has([name for kind, name, _ in kept if kind == "tool_use"]):
            return [raw for _, _, raw in kept], True
        text = [self.told(each.said.content)] if each.said and each.said.content.strip() else []
        return [*text, *(_call(result) for result in each.results)], False

    def result(self, result: Result, name: str) -> Block:
        block: Block = {"type": "tool_result", "tool_use_id": name}
        if result.text.strip():
            block["content"] = result.text
        if result.failed:
            block["is_error"] = True
        return block

    def told(self, text: str) -> Block:
        return {"type": "text", "text": text}


def _call(result: Result) -> Block:
    call = result.call
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call)}


def _tool(spec: ToolSpec) -> Block:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}


def _marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with breakpoints on the last blocks of the newest ones of the user."""
    for message in [message for message in messages if message["role"] == "user"][-MARKED_MESSAGES:]:
        message["content"][-1]["cache_control"] = MARK
    return messages
