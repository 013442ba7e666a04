"""Messages of a chat completions request, read naively."""

from typing import Any

from . import rawjson
from .model import Message, Part, counted, words

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


def message(at: int, found: dict[str, Any], raw: str) -> Message:
    """Read one message; `raw` is its spelling."""
    role = ROLES.get(found.get("role", ""), "other")
    content, spelled = found.get("content"), rawjson.member(raw, "content")
    parts = content_parts(content, spelled)
    if role == "tool":
        whole = isinstance(content, str)
        result = Part("result", content if whole else "", counted(spelled) if whole else 0)
        name = words(found.get("tool_call_id"))
        parts = [result.named(id=name, name=words(found.get("name")), inner=() if whole else tuple(parts))]
    for key in ("refusal", "reasoning_content"):
        if role == "assistant" and isinstance(found.get(key), str) and found[key]:
            kind = "text" if key == "refusal" else "thinking"
            parts.append(Part(kind, found[key], counted(rawjson.member(raw, key))))
    calls = found.get("tool_calls") if isinstance(found.get("tool_calls"), list) else []
    for call, text in zip(calls or [], rawjson.elements(rawjson.member(raw, "tool_calls")), strict=True):
        parts.append(called(call, text))
    alone = role == "user" and bool(found.keys() - {"role", "content"})
    return Message(at, role, tuple(parts), marked(found), alone)


def called(call: dict[str, Any], raw: str) -> Part:
    """A call; its arguments are a string, as sent."""
    key = "function" if "function" in call else "custom"
    body = call.get(key) or {}
    inner = "arguments" if "arguments" in body else "input"
    spelled = rawjson.member(rawjson.member(raw, key) or "{}", inner)
    found = Part("call", words(body.get(inner)), counted(spelled))
    return found.named(id=words(call.get("id")), name=words(body.get("name")))


def content_parts(content: Any, raw: str | None) -> list[Part]:
    """A string is one block; null is none."""
    if isinstance(content, str):
        return [Part("text", content, counted(raw))]
    if not isinstance(content, list):
        return []
    return [part(block, text) for block, text in zip(content, rawjson.elements(raw), strict=True)]


def part(block: Any, raw: str) -> Part:
    """Read one content part."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Part("text", block["text"], counted(rawjson.member(raw, "text")))
    if kind == "image_url":
        return Part("image")
    return Part("other", name=str(kind or ""))


def marked(found: dict[str, Any]) -> bool:
    """Does the message carry a cache breakpoint, itself or in one of its parts?"""
    content = found.get("content")
    blocks = content if isinstance(content, list) else []
    return "cache_control" in found or any(isinstance(block, dict) and "cache_control" in block for block in blocks)
