"""Messages of an Anthropic request, read naively."""

from typing import Any

from . import rawjson
from .model import Message, Part, counted, width, words

ROLES = {"system": "system", "user": "user", "assistant": "assistant"}


def message(at: int, found: dict[str, Any], raw: str) -> Message:
    """Read one message; `raw` is its spelling, for arguments as sent."""
    content, spelled = found.get("content"), rawjson.member(raw, "content")
    role = ROLES.get(found.get("role", ""), "other")
    if isinstance(content, str):
        return Message(at, role, (Part("text", content, counted(spelled)),))
    if not isinstance(content, list):
        return Message(at, role, ())
    parts = tuple(part(block, text) for block, text in zip(content, rawjson.elements(spelled), strict=True))
    return Message(at, role, parts, any(marked(block) for block in content))


def part(block: Any, raw: str) -> Part:
    """Read one content block."""
    kind = block.get("type", "") if isinstance(block, dict) else ""
    if kind in ("text", "thinking"):
        return Part(kind, words(block.get(kind)), counted(rawjson.member(raw, kind)))
    if kind == "redacted_thinking":
        return Part("thinking")
    if kind == "image":
        return Part("image")
    if kind == "document":
        return Part("document", size_of_text=document(rawjson.member(raw, "source")))
    if kind == "compaction":
        return Part("compaction", "", counted(rawjson.member(raw, "content")))
    if kind.endswith("tool_use"):
        arguments = rawjson.member(raw, "input") or ""
        return Part("call", arguments, width(arguments)).named(id=words(block.get("id")), name=words(block.get("name")))
    if kind.endswith("tool_result"):
        return result(block, raw)
    return Part("other", name=kind)


def result(block: dict[str, Any], raw: str) -> Part:
    """Read a result: a string or blocks."""
    content, spelled = block.get("content"), rawjson.member(raw, "content")
    inner: tuple[Part, ...] = ()
    if isinstance(content, list):
        inner = tuple(part(found, text) for found, text in zip(content, rawjson.elements(spelled), strict=True))
    found = Part("result", words(content), counted(spelled) if isinstance(content, str) else 0)
    return found.named(id=words(block.get("tool_use_id")), inner=inner, error=block.get("is_error") is True)


def document(source: str | None) -> int:
    """Bytes of a document: at most its payload."""
    return counted(rawjson.member(source or "{}", "data"))


def marked(block: Any) -> bool:
    """Does the block, or one inside a result, carry a cache breakpoint?"""
    if not isinstance(block, dict):
        return False
    source = block.get("source")
    inner = block.get("content") or (source.get("content") if isinstance(source, dict) else None)
    return "cache_control" in block or (isinstance(inner, list) and any(marked(found) for found in inner))
