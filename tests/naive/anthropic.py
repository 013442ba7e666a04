"""Messages of an Anthropic request, read naively."""

import json
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
    size = sum(width(text) for text in texts(block.get("content")))
    title = words(block.get("title") or block.get("tool_name"))
    return Part("other", " ".join(texts(block.get("content"))), size, name=f"{kind}: {title}" if title else kind)


def result(block: dict[str, Any], raw: str) -> Part:
    """Read a result: a string or blocks."""
    content, spelled = block.get("content"), rawjson.member(raw, "content")
    inner: tuple[Part, ...] = ()
    if isinstance(content, dict):
        content, spelled = listed(content)
    if isinstance(content, list):
        inner = tuple(part(found, text) for found, text in zip(content, rawjson.elements(spelled), strict=True))
    found = Part("result", words(content), counted(spelled) if isinstance(content, str) else 0)
    return found.named(id=words(block.get("tool_use_id")), inner=inner, error=block.get("is_error") is True)


def listed(found: dict[str, Any]) -> tuple[list[Any], str]:
    """What a server's tool gives back in an object, as a list of blocks, and its spelling."""
    said = [found.get(name) for name in ("url", "text", "stdout", "stderr", "error_code")]
    said += found.get("lines") or []
    inner = found.get("content")
    said += [inner] if isinstance(inner, str) else []
    blocks: list[Any] = [{"type": "text", "text": text} for text in said if words(text)]
    blocks += inner if isinstance(inner, list) else [inner] if isinstance(inner, dict) else []
    blocks += found.get("tool_references") or []
    return blocks, json.dumps(blocks)


def texts(content: Any) -> list[str]:
    """The texts of a block's own content."""
    if isinstance(content, str):
        return [content]
    return [words(block.get("text")) for block in content] if isinstance(content, list) else []


def document(source: str | None) -> int:
    """Bytes of a document: at most its payload, or its texts where it is made of blocks."""
    made = json.loads(rawjson.member(source or "{}", "content") or "null")
    return counted(rawjson.member(source or "{}", "data")) + sum(width(text) for text in texts(made))


def marked(block: Any) -> bool:
    """Does the block have to stay? It, or one inside a result, carries a cache breakpoint or loads a tool."""
    if not isinstance(block, dict):
        return False
    source = block.get("source")
    inner = block.get("content") or (source.get("content") if isinstance(source, dict) else None)
    if isinstance(inner, dict):
        inner = listed(inner)[0]
    stays = "cache_control" in block or block.get("type") == "tool_reference"
    return stays or (isinstance(inner, list) and any(marked(found) for found in inner))
