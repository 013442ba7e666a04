"""Anthropic messages: tools, then system, then the blocks of the messages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foldpoint.pricing.catalog import rates_of

from .canonical import compact, digest, header, picture, text_bytes, without
from .segment import Segment, Ttl

MARK = "cache_control"
BILLING = "x-anthropic-billing-header:"
"""A system block that begins so is read by the provider and not given to the model."""
UNMARKABLE = ("thinking", "redacted_thinking")

ADAPTIVE = {"type": "adaptive"}
"""How models that bind thinking think unless told otherwise: saying it changes nothing."""

Block = Mapping[str, Any]


def segments(body: Mapping[str, Any]) -> list[Segment]:
    """The prompt of a request body; automatic caching is a breakpoint on the last block that can have one."""
    front = [*tools(body.get("tools") or ()), *system(body.get("system") or ())]
    spoken = list(messages(body["messages"]))
    if isinstance(automatic := body.get(MARK), Mapping):
        marked_last(spoken, ttl(automatic))
    if spoken:
        settings = {"tool_choice": body.get("tool_choice"), "thinking": thinking(body)}
        spoken[0] = Segment(spoken[0].content, spoken[0].mark, compact(settings))
    found = front + spoken
    if found:
        found[0] = Segment(found[0].content, found[0].mark, text_bytes(str(body.get("model"))) + found[0].salt)
    return found


def tools(declared: Iterable[Block]) -> Iterator[Segment]:
    """One segment a tool; tools that are loaded later are not in the prompt."""
    for tool in declared:
        if not tool.get("defer_loading"):
            yield Segment(header("tool") + compact(without(tool, MARK)), mark(tool))


def system(content: str | Iterable[Block]) -> Iterator[Segment]:
    """One segment a block of the system prompt."""
    for block in blocks(content):
        if not str(block.get("text", "")).startswith(BILLING):
            yield Segment(rendered(block, "system"), mark(block))


def messages(said: Iterable[Block]) -> Iterator[Segment]:
    """One segment a block, whichever message it stands in."""
    for message in said:
        for block in blocks(message["content"]):
            yield Segment(rendered(block, message["role"]), mark(block))


def blocks(content: str | Iterable[Block]) -> Iterable[Block]:
    """The blocks of a content; a string is one text block, an empty one none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def rendered(block: Block, role: str) -> bytes:
    """What the model is given of a block."""
    kind = block["type"]
    frame = header(f"{role[:1]} {kind}")
    match kind:
        case "text":
            cited = block.get("citations")
            return frame + text_bytes(block["text"]) + (compact(cited) if cited else b"")
        case "thinking":
            return frame + text_bytes(block["thinking"]) + digest(text_bytes(block.get("signature") or ""))
        case "tool_use":
            return frame + text_bytes(f"{block['id']} {block['name']} ") + compact(block["input"])
        case "tool_result":
            return frame + result(block, role)
        case "image" | "document" if block.get("source", {}).get("type") != "text":
            return frame + picture(without(block, MARK))
        case _:
            return frame + compact(without(block, MARK))


def result(block: Block, role: str) -> bytes:
    """A tool result: its call's id, whether it failed, and its own blocks."""
    failed = b" error" if block.get("is_error") else b""
    inside = b"".join([rendered(part, role) for part in blocks(block.get("content") or ())])
    return text_bytes(block["tool_use_id"]) + failed + inside


def mark(block: Block) -> Ttl | None:
    """The breakpoint on a block; one on a part of a tool result counts as the result's."""
    if isinstance(given := block.get(MARK), Mapping):
        return ttl(given)
    parts = block.get("content")
    if block.get("type") != "tool_result" or not isinstance(parts, list):
        return None
    return next((ttl(part[MARK]) for part in reversed(parts) if isinstance(part.get(MARK), Mapping)), None)


def ttl(given: Block) -> Ttl:
    """The lifetime a mark asks for."""
    return "1h" if given.get("ttl") == "1h" else "5m"


def marked_last(spoken: list[Segment], lifetime: Ttl) -> None:
    """Put the moving breakpoint of automatic caching on the last block that can have one."""
    for place in range(len(spoken) - 1, -1, -1):
        if not spoken[place].content.startswith(tuple(header(f"a {kind}") for kind in UNMARKABLE)):
            spoken[place] = Segment(spoken[place].content, spoken[place].mark or lifetime)
            return


def thinking(body: Mapping[str, Any]) -> list[Any]:
    """What of the thinking setting decides whether messages may be read from the cache."""
    given = body.get("thinking") or (ADAPTIVE if rates_of(str(body.get("model"))).binds_thinking else {})
    return [given.get("type"), given.get("budget_tokens")]
