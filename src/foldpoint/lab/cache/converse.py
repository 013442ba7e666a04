"""Converse requests in the words of the Messages API: Bedrock gives Claude what that API gives it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import anthropic
from .segment import Segment

Block = Mapping[str, Any]
TEXT = "text"
MARK = "cachePoint"
_ID = str.maketrans(".:", "__")
"""Ids may hold a dot or a colon on Bedrock."""


def segments(body: Mapping[str, Any]) -> list[Segment]:
    """The prompt of a request body; a cache point is a breakpoint on the block in front of it."""
    return anthropic.segments(as_messages(body))


def as_messages(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as a body of the Messages API: model, tools, system and messages, and what the thinking is set to."""
    config = body.get("toolConfig") or {}
    more = body.get("additionalModelRequestFields") or {}
    said: dict[str, Any] = {"model": str(body.get("model", "")), "messages": spoken(body)}
    if config:
        said["tools"] = list(marked(config.get("tools") or (), tool))
    if body.get("system"):
        said["system"] = list(marked(body["system"], block))
    if config.get("toolChoice"):
        said["tool_choice"] = config["toolChoice"]
    return said | ({"thinking": more["thinking"]} if more.get("thinking") else {})


def spoken(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages."""
    return [
        {"role": message["role"], "content": list(marked(message["content"], block))} for message in body["messages"]
    ]


def marked(listed: Iterable[Block], said: Any) -> Iterator[dict[str, Any]]:
    """The elements of a list, each with the breakpoint that stands behind it."""
    last: dict[str, Any] | None = None
    for element in listed:
        if MARK not in element:
            if last is not None:
                yield last
            last = said(element)
        elif last is not None:
            ttl = element[MARK].get("ttl")
            last["cache_control"] = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    if last is not None:
        yield last


def tool(declared: Block) -> dict[str, Any]:
    """A tool."""
    spec = declared.get("toolSpec")
    if spec is None:
        return {**declared}
    described = {"description": spec["description"]} if "description" in spec else {}
    return {"name": spec["name"], **described, "input_schema": spec["inputSchema"].get("json")}


def block(found: Mapping[str, Any]) -> dict[str, Any]:
    """A block of a message, of a result or of the system prompt."""
    kind, value = next(iter(found.items())) if found else ("", {})
    match kind:
        case "text":
            return {"type": TEXT, "text": value}
        case "toolUse":
            return {"type": "tool_use", "id": ident(value), "name": value["name"], "input": value["input"]}
        case "toolResult":
            inner = [block(part) for part in value["content"]]
            failed = {"is_error": True} if value.get("status") == "error" else {}
            return {"type": "tool_result", "tool_use_id": ident(value), "content": inner, **failed}
        case "reasoningContent" if "reasoningText" in value:
            thought = value["reasoningText"]
            return {"type": "thinking", "thinking": thought["text"], "signature": thought.get("signature", "")}
        case "reasoningContent":
            return {"type": "redacted_thinking", "data": value.get("redactedContent", "")}
        case "citationsContent":
            said = "".join(part.get("text", "") for part in value.get("content") or ())
            return {"type": TEXT, "text": said, "citations": value.get("citations")}
        case "json":
            return {"type": "json", "json": value}
        case _:
            return {"type": kind, **value}


def ident(value: Block) -> str:
    """The id of a call or of the call that a result answers."""
    return str(value["toolUseId"]).translate(_ID)
