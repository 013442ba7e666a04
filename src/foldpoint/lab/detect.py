"""Which provider's format a request body is in."""

from collections.abc import Mapping
from typing import Any

from foldpoint.core.errors import Unreadable

from .cache import decoded

LISTS = {"input": "openai-responses", "contents": "gemini"}


def surface_of(body: bytes) -> str:
    """The name of the body's surface. Raises Unreadable where it is none that we know."""
    found = decoded(body)
    for key, surface in LISTS.items():
        if key in found and "messages" not in found:
            return surface
    messages = found.get("messages")
    if not messages or not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Unreadable("no request body: it has neither messages nor input nor contents")
    blocks = [block for message in messages for block in content(message) if isinstance(block, dict)]
    if "inferenceConfig" in found or any("type" not in block for block in blocks):
        return "bedrock"
    return "openai-chat" if speaks_chat(found, messages, blocks) else "anthropic"


def speaks_chat(body: Mapping[str, Any], messages: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> bool:
    """Whether it is of chat completions rather than of the Messages API, which demands `max_tokens`."""
    if any(message.get("role") in ("tool", "function", "developer") or "tool_calls" in message for message in messages):
        return True
    if "system" in body or any(block.get("type") in ("tool_use", "tool_result", "thinking") for block in blocks):
        return False
    declared = body.get("tools") or [{}]
    if isinstance(declared[0], dict) and ("input_schema" in declared[0] or "function" in declared[0]):
        return "function" in declared[0]
    return "max_tokens" not in body or messages[0].get("role") == "system"


def content(message: Mapping[str, Any]) -> list[Any]:
    """The parts of a message; none where its content is text."""
    found = message.get("content")
    return found if isinstance(found, list) else []
