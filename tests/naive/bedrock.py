"""Messages of a Converse request, read naively; and made from messages of Anthropic's form."""

from typing import Any

from . import rawjson
from .model import Message, Part, counted, width, words

ROLES = {"system": "system", "user": "user", "assistant": "assistant"}
NAMED = {"image": "image", "document": "document", "video": "video", "audio": "audio"}


def message(at: int, found: dict[str, Any], raw: str) -> Message:
    """Read one message; `raw` is its spelling, for arguments as sent."""
    role = ROLES.get(found.get("role", ""), "other")
    content, spelled = found.get("content"), rawjson.member(raw, "content")
    if not isinstance(content, list):
        return Message(at, "other", ())
    read = zip(content, rawjson.elements(spelled), strict=True)
    parts = tuple(part(block, text) for block, text in read if not is_mark(block))
    return Message(at, role, parts, any(is_mark(block) for block in content))


def is_mark(block: Any) -> bool:
    """Is it a cache point?"""
    return isinstance(block, dict) and "cachePoint" in block


def part(block: dict[str, Any], raw: str) -> Part:
    """Read one content block."""
    kind = next(iter(block), "")
    value, spelled = block.get(kind), rawjson.member(raw, kind) or "{}"
    match kind:
        case "text":
            return Part("text", words(value), counted(spelled))
        case "toolUse":
            arguments = rawjson.member(spelled, "input") or ""
            found = Part("call", arguments, width(arguments))
            return found.named(id=words(value.get("toolUseId")), name=words(value.get("name")))
        case "toolResult":
            return result(value, spelled)
        case "reasoningContent":
            return Part(
                "thinking", "", counted(rawjson.member(rawjson.member(spelled, "reasoningText") or "{}", "text"))
            )
        case "document":
            return Part("document", size_of_text=document(rawjson.member(spelled, "source") or "{}"))
        case "image":
            return Part("image")
        case _:
            return Part("other", name="other")


def result(value: dict[str, Any], raw: str) -> Part:
    """Read a result."""
    content, spelled = value.get("content"), rawjson.member(raw, "content")
    read = zip(content or [], rawjson.elements(spelled), strict=True)
    inner = tuple(inside(block, text) for block, text in read)
    found = Part("result", "", 0).named(id=words(value.get("toolUseId")), inner=inner)
    return found.named(error=value.get("status") == "error")


def inside(block: dict[str, Any], raw: str) -> Part:
    """Read a block of a result; JSON is the text that was sent."""
    if "json" in block:
        spelled = rawjson.member(raw, "json") or ""
        return Part("text", spelled, width(spelled))
    return part(block, raw)


def document(source: str) -> int:
    """Bytes of a document: at most its payload."""
    return counted(rawjson.member(source, "bytes")) or counted(rawjson.member(source, "text"))


def typed(block: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(type, block) as Anthropic's blocks have them."""
    if "toolUse" in block:
        kind = str(block["toolUse"].get("type", "tool_use"))
        return kind, {"id": block["toolUse"].get("toolUseId")}
    if "toolResult" in block:
        return "tool_result", {"tool_use_id": block["toolResult"].get("toolUseId")}
    return ("text" if "text" in block else next(iter(block), "")), block


# --- making them


def converse(found: dict[str, Any]) -> dict[str, Any]:
    """The message in Converse's form; a breakpoint is a block of its own."""
    if "content" not in found:
        return found
    content = found["content"]
    listed = [{"type": "text", "text": content}] if isinstance(content, str) and content else content or []
    return {**found, "content": [block for given in listed for block in blocks(given)]}


def blocks(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The block, and a cache point where it bears a mark."""
    mark = given.get("cache_control")
    point = {"type": "default", **({"ttl": mark["ttl"]} if "ttl" in mark else {})} if mark else None
    return [block(given), *([{"cachePoint": point}] if point else [])]


def block(given: dict[str, Any]) -> dict[str, Any]:
    """The block without its mark."""
    match given["type"]:
        case "text":
            return {"text": given["text"]}
        case "tool_use":
            return {"toolUse": {"toolUseId": given["id"], "name": given["name"], "input": given["input"]}}
        case "tool_result":
            return {"toolResult": answer(given)}
        case "thinking":
            thought = {"text": given["thinking"], "signature": given["signature"]}
            return {"reasoningContent": {"reasoningText": thought}}
        case "redacted_thinking":
            return {"reasoningContent": {"redactedContent": given["data"]}}
        case "image":
            return {"image": {"format": "png", "source": {"bytes": given["source"]["data"]}}}
        case "document":
            key = "text" if given["source"]["type"] == "text" else "bytes"
            return {"document": {"format": "txt", "name": "t", "source": {key: given["source"]["data"]}}}
        case kind:
            return {kind: {key: value for key, value in given.items() if key != "type"}}


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """A result; short texts of one word as JSON."""
    content = given["content"]
    listed = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    inner = [block(part) for part in listed]
    if inner and isinstance(text := inner[0].get("text"), str) and len(text) % 5 == 1:
        inner[0] = {"json": {"said": text, "n": 1}}
    status = {"status": "error"} if given.get("is_error") else {"status": "success"} if len(inner) % 2 else {}
    return {"toolUseId": given["tool_use_id"], "content": inner, **status}
