"""The tool results in a message, read from its plain value: where their texts are, and what others become there."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BIG = 240
KNOWN = ("function", "custom_tool", "local_shell", "shell", "apply_patch", "computer")


@dataclass(frozen=True)
class Slot:
    """A text: the object or list that holds it, under which key, and the member another one stands in (or none)."""

    holder: Any
    key: Any
    within: str = ""

    @property
    def text(self) -> Any:
        """The text; the value itself where the text is its JSON."""
        return self.holder[self.key]

    def put(self, text: str) -> None:
        self.holder[self.key] = {self.within: text} if self.within else text


Found = list[tuple[str, list[Slot]]]


def found(surface: str, message: Any) -> Found:
    """(id, texts) of every result."""
    if not isinstance(message, dict):
        return []
    return {
        "anthropic": anthropic,
        "openai-chat": chat,
        "openai-responses": responses,
        "bedrock": bedrock,
        "gemini": gemini,
    }[surface](message)


def retold(surface: str, message: Any, texts: Sequence[Sequence[str | None] | None]) -> Any:
    """The message, changed in place."""
    for (_, slots), given in zip(found(surface, message), texts, strict=True):
        for slot, text in zip(slots, given or [None] * len(slots), strict=True):
            if text is not None:
                slot.put(text)
    return message


def word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def strings(holder: Any, *keys: str) -> list[Slot]:
    return [Slot(holder, key) for key in keys if isinstance(holder.get(key), str)]


def anthropic(message: dict[str, Any]) -> Found:
    content = message.get("content")
    if message.get("role") != "user" or not isinstance(content, list):
        return []
    results = [block for block in content if block.get("type") == "tool_result"]
    return [(word(block.get("tool_use_id")), contents(block, "content", "text")) for block in results]


def contents(holder: Any, key: str, kind: str) -> list[Slot]:
    """The texts of a string, or of a list of parts; `kind` is the type a part must have (empty: any)."""
    given = holder.get(key)
    parts = given if isinstance(given, list) else []
    return strings(holder, key) + [
        slot for part in parts if not kind or part.get("type") == kind for slot in strings(part, "text")
    ]


def chat(message: dict[str, Any]) -> Found:
    if message.get("role") not in ("tool", "function"):
        return []
    return [(word(message.get("tool_call_id")) or word(message.get("name")), contents(message, "content", ""))]


def responses(item: dict[str, Any]) -> Found:
    kind = word(item.get("type"))
    if not kind.endswith("_output") or kind == "program_output":
        return []
    if kind == "tool_search_output" and not (item.get("execution") == "client" and word(item.get("call_id"))):
        return []
    caller = item.get("caller")
    program = isinstance(caller, dict) and caller.get("type") == "program"
    output = item.get("output")
    slots = strings(item, "output")
    for part in output if isinstance(output, list) else []:
        slots += strings(part, "text", "logs", "stdout", "stderr")
    known = kind.removesuffix("_call_output") in KNOWN and not program
    return [(word(item.get("call_id")) or word(item.get("id")), slots if known else [])]


def bedrock(message: dict[str, Any]) -> Found:
    if message.get("role") != "user":
        return []
    results = [block["toolResult"] for block in message["content"] if block.get("toolResult") is not None]
    return [(word(result.get("toolUseId")), blocks(result.get("content") or [])) for result in results]


def blocks(content: list[Any]) -> list[Slot]:
    slots = []
    for at, block in enumerate(content):
        slots += strings(block, "text") or ([Slot(content, at, "text")] if "json" in block else [])
    return slots


def gemini(content: dict[str, Any]) -> Found:
    parts = content.get("parts") or []
    if content.get("role") not in (None, "", "user", "function"):
        return []
    given = [
        part.get("function_response") if part.get("functionResponse") is None else part["functionResponse"]
        for part in (parts if isinstance(parts, list) else [parts])
    ]
    return [(word(one.get("id")) or word(one.get("name")) + "#", response(one)) for one in given if one is not None]


def response(one: dict[str, Any]) -> list[Slot]:
    held = one.get("response")
    if not isinstance(held, dict):
        return []
    beside = [json.dumps(value) for value in held.values() if not isinstance(value, str)]
    if sum(map(len, beside)) > BIG or len(beside) == len(held) > 0:
        failed = json.dumps(held.get("error")) not in ("null", "false", '""', "{}", "[]")
        return [Slot(one, "response", "error" if failed else "output")]
    return strings(held, *held)


def says(slot: Slot, text: str) -> bool:
    """Is this what the slot says?"""
    return bool(json.loads(text) == json_of(slot)) if slot.within else slot.text == text


def json_of(slot: Slot) -> Any:
    """What the text of a slot that is JSON spells."""
    return slot.text["json"] if slot.within == "text" else slot.text
