"""Messages as OpenTelemetry's conventions write them, for those who ask for content."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
ON = frozenset(("true", "span_only", "span_and_event"))
LONGEST_TEXT = 8 * 1024
LONGEST = 64 * 1024
"""Characters of a text, and bytes of all messages: the newest are kept."""
Parts = Callable[[str, bytes], Sequence[Mapping[str, Any]]]


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Does the environment ask for content? Nothing else does."""
    return environ.get(CAPTURE, "").strip().lower() in ON


def messages(parts: Parts, surface: str, body: bytes) -> str:
    """The newest messages of a body as JSON, in the order they were sent; nothing where it can't be read.

    parts: reads the messages of a body, `[{"role": …, "parts": [{"type": …}, …]}]`.
    """
    kept: list[bytes] = []
    room = LONGEST
    for message in reversed(parts(surface, body)):
        written = msgspec.json.encode(
            {"role": _text(message.get("role")), "parts": [_part(part) for part in message.get("parts", ())]}
        )
        room -= len(written) + 1
        if room < 0:
            break
        kept.append(written)
    return f"[{b','.join(reversed(kept)).decode()}]" if kept else ""


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    """One part by the conventions' schema of input messages."""
    match part.get("type"):
        case "text":
            return {"type": "text", "content": _text(part.get("text"))}
        case "thinking":
            return {"type": "reasoning", "content": _text(part.get("text"))}
        case "tool_call":
            called = {"id": _text(part.get("id")), "name": _text(part.get("name"))}
            return {"type": "tool_call", **called, "arguments": _text(part.get("arguments"))}
        case "tool_result":
            return {"type": "tool_call_response", "id": _text(part.get("id")), "response": _text(part.get("text"))}
        case "image":
            return {"type": "image", "mime_type": _text(part.get("media_type"))}
        case kind:
            return {"type": _text(part.get("kind") or kind) or "other"}


def _text(value: object) -> str:
    """A text that can be written down, and is not too long."""
    text = value if isinstance(value, str) else ""
    cut = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    return cut.encode("utf-8", "replace").decode()
