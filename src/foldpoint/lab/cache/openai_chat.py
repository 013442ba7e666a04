"""OpenAI chat completions: the answer's schema, the tools, then a segment for each message, rendered as one text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .canonical import compact, header, picture, text_bytes, tools, without
from .segment import Segment

MARK = "prompt_cache_breakpoint"
PICTURES = ("image_url", "file", "input_audio")

Block = Mapping[str, Any]


def segments(body: Mapping[str, Any]) -> list[Segment]:
    """The prompt of a request body; characters added at the end of a text change only what comes after them."""
    found = [*schema(body.get("response_format")), *tools(body.get("tools") or ()), *messages(body["messages"])]
    if found:
        found[0] = Segment(found[0].content, found[0].mark, text_bytes(str(body.get("model"))))
    return found


def schema(wanted: Block | None) -> Iterator[Segment]:
    """The schema of the answer, which is given in front of everything."""
    if wanted and wanted.get("type") == "json_schema":
        yield Segment(header("schema") + compact(wanted))


def messages(said: Iterable[Block]) -> Iterator[Segment]:
    """One segment a message, cut in two behind a breakpoint in its middle."""
    for message in said:
        pieces = [header(message["role"]), *opening(message)]
        for part in parts(message.get("content")):
            pieces.append(rendered(part))
            if part.get(MARK):
                yield Segment(b"".join(pieces), "30m")
                pieces = []
        pieces += calls(message)
        if any(pieces):
            yield Segment(b"".join(pieces))


def opening(message: Block) -> Iterator[bytes]:
    """What stands in front of a message's text: who speaks, which call it answers, what was thought."""
    for key in ("name", "tool_call_id", "reasoning_content"):
        if given := message.get(key):
            yield text_bytes(f"{given}\n")


def parts(content: str | list[Block] | None) -> list[Block]:
    """The parts of a content; a string is one text part."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def rendered(part: Block) -> bytes:
    """What the model is given of a part."""
    kind = part["type"]
    if kind == "text":
        return text_bytes(part["text"])
    plain = without(part, MARK)
    return header(kind) + (picture(plain) if kind in PICTURES else compact(plain))


def calls(message: Block) -> Iterator[bytes]:
    """The calls of an assistant message, their arguments as they were written; a refusal, an audio answer."""
    for call in message.get("tool_calls") or ():
        asked = call.get("function") or call.get("custom") or {}
        said = f"{call['id']} {asked.get('name', '')} {asked.get('arguments') or asked.get('input') or ''}"
        yield header("call") + text_bytes(said)
    for key in ("function_call", "refusal", "audio"):
        if given := message.get(key):
            yield header(key) + compact(given)
