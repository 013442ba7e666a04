"""A Responses input as the messages that a script or an echo reads."""

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .script import actions

Item = Mapping[str, Any]


def spoken(given: str | Sequence[Item]) -> list[dict[str, Any]]:
    """The items as messages of chat completions: texts, the ids of calls, and what tools answered."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [message for item in given if (message := said(item))]


def said(item: Item) -> dict[str, Any] | None:
    """One item as a message; None where nobody says anything in it."""
    kind = item.get("type") or "message"
    if kind == "message":
        return {"role": item["role"], "content": [{"type": "text", "text": text} for text in texts(item["content"])]}
    if kind == "compaction":
        return compacted(item)
    if kind.endswith("_output"):
        return {"role": "tool", "content": " ".join(texts(item.get("output")))}
    if kind == "reasoning" or kind.endswith("_call"):
        return {"role": "assistant", "tool_calls": [{"id": item.get("call_id") or ""}]}
    return None


def compacted(item: Item) -> dict[str, Any] | None:
    """The last action that a compaction of ours stands for."""
    try:
        at = b64decode(item["encrypted_content"], validate=True)[:5].decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    if not (at.startswith("s") and at[1:].isdigit() and int(at[1:])):
        return None
    return {"role": "assistant", "tool_calls": [{"id": f"call_s{int(at[1:]) - 1:04d}{'0' * 18}"}]}


def position(given: Sequence[Item]) -> int:
    """How many actions of a script an input holds."""
    return actions(spoken(given))


def texts(content: object) -> Iterator[str]:
    """The texts of a content or an output."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping):
            yield from (part[key] for key in ("text", "refusal", "stdout", "stderr") if isinstance(part.get(key), str))


def custom_tools(body: Item) -> set[str]:
    """The names of the custom tools that a request declares, in its members or in its items."""
    listed = [body, *(item for item in body["input"] if isinstance(item, Mapping))]
    return {name for holder in listed for name in custom(holder.get("tools"))}


def custom(declared: object) -> Iterator[str]:
    """The names of custom tools, those in namespaces included."""
    for tool in declared if isinstance(declared, list) else ():
        if isinstance(tool, Mapping) and tool.get("type") == "custom":
            yield str(tool.get("name"))
        elif isinstance(tool, Mapping):
            yield from custom(tool.get("tools"))
