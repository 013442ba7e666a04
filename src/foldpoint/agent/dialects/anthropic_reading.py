"""The Messages API's answers."""

from collections.abc import Mapping
from typing import Any

from foldpoint.agent.ports import Answer, Stop, ToolCall

from .anthropic import sendable
from .counts import Counts, merged, of_anthropic
from .reading import Members, failure, listed, meant, members, number_in, stop_of, text_in, written
from .rounds import as_object
from .texts import encoded, mended

STOPS: Mapping[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "refused",
}
"""Any other reason is an end. `pause_turn`: the provider waits to be asked again with what it has said so far."""
INPUT = "partial_json"
GROWN: Mapping[str, tuple[str, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
    "input_json_delta": ("partial_json", INPUT),
}
"""From a delta to its text's name in it, and in the block."""


class AnthropicReading:
    """A message as its blocks come."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._grown: dict[int, dict[str, list[str]]] = {}
        self._counts: Counts = {}
        self._stop = ""
        self._name = ""
        self._ended = False

    @property
    def ended(self) -> bool:
        """Did `message_stop` come?"""
        return self._ended

    @property
    def complete(self) -> bool:
        """The same: it is the last event."""
        return self._ended

    def take(self, event: Members) -> str:
        """Take the next event."""
        at = number_in(event.get("index"))
        match event.get("type"):
            case "message_start":
                message = members(event.get("message"))
                self._name = text_in(message.get("id"))
                self._counts = merged(self._counts, message.get("usage"))
            case "content_block_start":
                self._blocks[at] = dict(members(event.get("content_block")))
                return _said(self._blocks[at])
            case "content_block_delta":
                return self._grow(at, members(event.get("delta")))
            case "message_delta":
                self._counts = merged(self._counts, event.get("usage"))
                self._stop = text_in(members(event.get("delta")).get("stop_reason")) or self._stop
            case "message_stop":
                self._ended = True
            case "error":
                raise failure(event.get("error"))
        return ""

    def whole(self, document: Members) -> str:
        """Take a message."""
        self._blocks = {at: dict(block) for at, block in enumerate(listed(document.get("content")))}
        self._counts = merged({}, document.get("usage"))
        self._stop = text_in(document.get("stop_reason"))
        self._name = text_in(document.get("id"))
        self._ended = document.get("type") == "message"
        return "".join(map(_said, self._blocks.values()))

    def answer(self) -> Answer:
        """The message so far."""
        said: Stop = STOPS.get(self._stop, "end")
        blocks: list[dict[str, Any]] = []
        calls: list[ToolCall] = []
        for at in sorted(self._blocks):
            block, arguments = self._closed(at)
            if block.get("type") == "tool_use":
                name = text_in(block.get("id")) or f"call_{self._name or 'unnamed'}_{at}"
                call = meant(ToolCall(mended(name), mended(text_in(block.get("name"))), arguments), said)
                if call is None:
                    continue
                calls.append(call)
                block["id"] = call.id
            blocks.append(block)
        native = sendable(encoded({"role": "assistant", "content": blocks}))
        text = mended("".join(map(_said, blocks)))
        return Answer(text, tuple(calls), stop_of(said, calls), native, of_anthropic(self._counts))

    def _grow(self, at: int, delta: Members) -> str:
        kind = text_in(delta.get("type"))
        if kind == "citations_delta":
            block = self._blocks.setdefault(at, {})
            block["citations"] = [*listed(block.get("citations")), delta.get("citation")]
        elif kind in GROWN:
            source, target = GROWN[kind]
            piece = text_in(delta.get(source))
            if kind == "text_delta":
                self._blocks.setdefault(at, {"type": "text", "text": ""})
            self._grown.setdefault(at, {}).setdefault(target, []).append(piece)
            return piece if kind == "text_delta" else ""
        return ""

    def _closed(self, at: int) -> tuple[dict[str, Any], str]:
        """A block with all that its deltas brought, and the JSON of its input as the model wrote it."""
        block = dict(self._blocks[at])
        grown = {name: mended("".join(pieces)) for name, pieces in self._grown.get(at, {}).items()}
        arguments = grown.pop(INPUT, "") or mended(written(block.get("input")))
        for name, text in grown.items():
            block[name] = text_in(block.get(name)) + text
        if "input" in block:
            block["input"] = as_object(arguments)
        return block, arguments


def _said(block: Members) -> str:
    return text_in(block.get("text")) if block.get("type") == "text" else ""
