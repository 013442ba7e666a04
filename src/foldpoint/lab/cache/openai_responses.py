"""OpenAI Responses: the answer's schema, the tools, the instructions, then a segment for each item."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .canonical import compact, digest, header, picture, text_bytes, tools, without
from .segment import Segment

MARK = "prompt_cache_breakpoint"
PICTURES = ("input_image", "input_file", "input_audio", "computer_screenshot")
TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal")
UNSEEN = ("id", "status", "type", "role", MARK)
"""Members of an item that the model is not given as text: the header says type and role."""

Block = Mapping[str, Any]


def segments(body: Mapping[str, Any]) -> list[Segment]:
    """The prompt of a request body; what is added at the end of an item changes only what comes after it."""
    found = [*schema(body.get("text")), *tools(body.get("tools") or ()), *instructions(body.get("instructions"))]
    found += items(body.get("input"))
    if found:
        found[0] = Segment(found[0].content, found[0].mark, text_bytes(str(body.get("model"))))
    return found


def schema(wanted: Block | None) -> Iterator[Segment]:
    """The schema of the answer, which is given in front of everything."""
    form = (wanted or {}).get("format")
    if isinstance(form, Mapping) and form.get("type") == "json_schema":
        yield Segment(header("schema") + compact(form))


def instructions(said: str | None) -> Iterator[Segment]:
    """The instructions, in front of the conversation."""
    if said:
        yield Segment(header("developer") + text_bytes(said))


def items(said: str | Iterable[Block] | None) -> Iterator[Segment]:
    """One segment an item, cut in two behind a breakpoint in its middle; a string is a message of the user."""
    for item in [{"role": "user", "content": said}] if isinstance(said, str) else said or ():
        kind = item.get("type") or "message"
        pieces = [header(item["role"] if kind == "message" else kind)]
        for part in parts(item.get("content")):
            pieces.append(rendered(part))
            if part.get(MARK):
                yield Segment(b"".join(pieces), "30m")
                pieces = []
        pieces += members(item)
        if pieces:
            yield Segment(b"".join(pieces))


def members(item: Block) -> Iterator[bytes]:
    """What an item says beside a content: ids and names, arguments as they were written, outputs, summaries."""
    for key, value in item.items():
        if key in UNSEEN or key == "content" or value is None:
            continue
        if key == "encrypted_content":
            yield digest(text_bytes(str(value)))
        elif key in ("output", "summary") and isinstance(value, (str, list)):
            yield from map(rendered, parts(value))
        else:
            yield text_bytes(value + "\n") if isinstance(value, str) else picture_or_json(value)


def picture_or_json(value: object) -> bytes:
    """A screenshot, or any other value as JSON."""
    shown = isinstance(value, Mapping) and value.get("type") in PICTURES
    return picture(value) if shown else compact(value)


def parts(content: str | list[Block] | None) -> list[Block]:
    """The parts of a content; a string is one text part."""
    return [{"type": "input_text", "text": content}] if isinstance(content, str) else content or []


def rendered(part: Block) -> bytes:
    """What the model is given of a part."""
    kind = part.get("type", "")
    if kind in TEXTS:
        return text_bytes(part.get("text") or part.get("refusal") or "")
    plain = without(part, MARK)
    return header(kind) + (picture(plain) if kind in PICTURES else compact(plain))
