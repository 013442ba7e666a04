"""Gemini: the system instruction, the tools, then a segment for each content, rendered as one text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .canonical import compact, header, picture, text_bytes, tools
from .segment import Segment

BESIDE = frozenset(("thought", "thoughtSignature", "thought_signature"))
KINDS = {
    "functioncall": "call",
    "functionresponse": "result",
    "inlinedata": "file",
    "filedata": "file",
}

Part = Mapping[str, Any]


def segments(body: Mapping[str, Any]) -> list[Segment]:
    """The prompt of a request body; parts added at the end of a content change only what comes after them."""
    body = body.get("generateContentRequest") or body
    found = [*system(either(body, "systemInstruction")), *tools(body.get("tools") or ()), *contents(body["contents"])]
    if found:
        found[0] = Segment(found[0].content, salt=text_bytes(str(body.get("model"))))
    return found


def system(instruction: Part | None) -> Iterator[Segment]:
    """The system instruction."""
    if instruction:
        yield Segment(header("system") + b"".join([rendered(part) for part in parts(instruction)]))


def contents(said: Iterable[Part]) -> Iterator[Segment]:
    """One segment a content."""
    for content in said:
        yield Segment(header(content.get("role") or "user") + b"".join([rendered(part) for part in parts(content)]))


def parts(content: Part) -> list[Part]:
    """The parts of a content; one may stand without its list."""
    found = content.get("parts") or []
    return [found] if isinstance(found, Mapping) else found


def rendered(part: Part) -> bytes:
    """What the model is given of a part; a signature stands for what was thought in front of it."""
    signed = text_bytes(str(either(part, "thoughtSignature") or ""))
    for key, value in part.items():
        if key not in BESIDE and value is not None:
            return header(kind(key)) + said(key, value) + signed
    return signed


def kind(key: str) -> str:
    """What kind of data a member is, whatever its spelling."""
    return KINDS.get(plain(key), plain(key))


def said(key: str, value: Any) -> bytes:
    """The data of a part."""
    if plain(key) == "text":
        return text_bytes(str(value))
    if kind(key) == "file":
        return picture(value)
    if kind(key) == "result":
        inner = b"".join([rendered(part) for part in value.get("parts") or ()])
        return compact([value.get("id"), value.get("name"), value.get("response")]) + inner
    return compact([value.get("id"), value.get("name"), value.get("args")]) if kind(key) == "call" else compact(value)


def plain(key: str) -> str:
    """A member's name in small letters, without underscores."""
    return key.replace("_", "").lower()


def either(holder: Mapping[str, Any], key: str) -> Any:
    """A member under its name in camelCase or in snake_case."""
    snake = "".join(["_" + char.lower() if char.isupper() else char for char in key])
    return holder.get(key, holder.get(snake))
