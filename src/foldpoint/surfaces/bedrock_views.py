"""Views of Converse messages: what the fold needs of their blocks."""

from typing import Any

import msgspec

from ..core.errors import Unreadable
from ..core.text import bare, called, observed, result_head, said, spelled, unspelled, weight
from ..core.transcript import (
    BLOCK_SIZE,
    IMAGE_SIZE,
    MESSAGE_SIZE,
    Call,
    Limits,
    Result,
    View,
    action_view,
    result_of,
    result_view,
)
from .content import arguments, heads, word
from .spans import decoded

_NONE = msgspec.Raw()


class _Texts(msgspec.Struct, gc=False):
    content: Any = None


class Source(msgspec.Struct, gc=False):
    """Where an image or a document is."""

    bytes: Any = None
    text: Any = None
    content: Any = None


class Document(msgspec.Struct, gc=False):
    """A document; its payload is a base64 text, a text or blocks with a text."""

    source: Source | None = None


class SearchResult(msgspec.Struct, gc=False):
    """A search result."""

    title: Any = None
    content: Any = None


class Inner(msgspec.Struct, gc=False, rename="camel"):
    """A block inside a result; one member is set."""

    text: Any = None
    json: msgspec.Raw = _NONE
    image: msgspec.Raw = _NONE
    document: Document | None = None
    video: msgspec.Raw = _NONE
    search_result: SearchResult | None = None


class ToolUse(msgspec.Struct, gc=False, rename="camel"):
    """A call."""

    tool_use_id: Any = None
    name: Any = None
    input: msgspec.Raw = _NONE


class ToolResult(msgspec.Struct, gc=False, rename="camel"):
    """A result."""

    tool_use_id: Any = None
    content: list[Inner] | None = None
    status: Any = None


class _ReasoningText(msgspec.Struct, gc=False):
    text: Any = None


class Reasoning(msgspec.Struct, gc=False, rename="camel"):
    """Thinking, or what the provider encrypted of it."""

    reasoning_text: _ReasoningText | None = None


class _Guarded(msgspec.Struct, gc=False):
    text: _ReasoningText | None = None


class Block(msgspec.Struct, gc=False, rename="camel"):
    """A block of a message; one member is set, none where the kind is not known."""

    text: Any = None
    tool_use: ToolUse | None = None
    tool_result: ToolResult | None = None
    cache_point: msgspec.Raw = _NONE
    reasoning_content: Reasoning | None = None
    image: msgspec.Raw = _NONE
    document: Document | None = None
    citations_content: _Texts | None = None
    guard_content: _Guarded | None = None
    search_result: SearchResult | None = None
    video: msgspec.Raw = _NONE
    audio: msgspec.Raw = _NONE

    @property
    def said(self) -> str | None:
        """The text of a text, a cited text or a guarded one; None where it is no text."""
        if self.citations_content is not None:
            return "".join(texts(self.citations_content.content))
        if self.guard_content is not None and self.guard_content.text is not None:
            return word(self.guard_content.text.text)
        return self.text if isinstance(self.text, str) else None


class _Message(msgspec.Struct, gc=False):
    content: list[Block]
    role: str = ""


_MESSAGE = msgspec.json.Decoder(_Message)


def read_message(item: bytes) -> tuple[str, list[Block]]:
    """Role and blocks. Raises Unreadable."""
    message = decoded(_MESSAGE, item)
    return message.role, message.content


def view_of(item: bytes, limits: Limits) -> View:
    """The view of a message. Raises Unreadable."""
    role, blocks = read_message(item)
    marked = any(block.cache_point for block in blocks)
    if marked:
        blocks = [block for block in blocks if not block.cache_point]
    if role == "assistant":
        return _assistant(blocks, limits, marked)
    if role == "user":
        return _user(blocks, limits, marked)
    if role == "system":
        size = MESSAGE_SIZE + sum(map(_size, blocks))
        return View(role="system", size=size, own=size, marked=marked)
    raise Unreadable(f"a message has the role {role!r}: user, assistant or system is known")


def _assistant(blocks: list[Block], limits: Limits, marked: bool) -> View:
    size, thinking = MESSAGE_SIZE, 0
    parts: list[str] = []
    calls: list[Call] = []
    answered: list[str] = []
    for block in blocks:
        size += _size(block)
        text = block.said
        if text is not None:
            parts.append(said(text, limits.verbatim))
        elif (use := block.tool_use) is not None:
            call_id, name = word(use.tool_use_id), bare(word(use.name))
            calls.append(Call(call_id, name))
            parts.append(called(call_id, name, arguments(use.input, limits.arguments), limits.arguments))
        elif block.tool_result is not None:
            result = _result(block.tool_result, limits)
            tool = next((call.name for call in calls if call.id == result.id), "")
            answered.append(result.id)
            parts.append(unspelled(result.said(tool)))
        elif block.reasoning_content is not None:
            thinking += _size(block)
        else:
            parts.append(kind_of(block))
    return action_view(size, parts, calls, answered, marked, thinking=thinking)


def _user(blocks: list[Block], limits: Limits, marked: bool) -> View:
    if len(blocks) == 1 and blocks[0].tool_result is not None:
        size = MESSAGE_SIZE + _size(blocks[0])
        return result_view("user", size, _result(blocks[0].tool_result, limits), marked)
    own = own_images = 0
    size = MESSAGE_SIZE
    parts: list[str] = []
    results: list[Result] = []
    for block in blocks:
        counted = _size(block)
        size += counted
        if block.tool_result is not None:
            results.append(_result(block.tool_result, limits))
        elif block.said != "":
            own += counted
            own_images += bool(block.image)
            parts.append(_observed(block, limits))
    line = " | ".join([part for part in parts if part])
    return View(
        role="user",
        size=size,
        line=spelled(line),
        results=tuple(results),
        own=own,
        own_images=own_images,
        marked=marked,
    )


def _observed(block: Block, limits: Limits) -> str:
    text = block.said
    return kind_of(block) if text is None else observed(text, limits.verbatim, limits.told)


def kind_of(block: Block | Inner) -> str:
    """What stands for a block that is no text."""
    if block.image:
        return "[image]"
    if block.document is not None:
        return "[document]"
    if block.search_result is not None:
        title = word(block.search_result.title)
        return f"[searchResult: {bare(title)}]" if title else "[searchResult]"
    if block.video:
        return "[video]"
    return "[audio]" if isinstance(block, Block) and block.audio else "[other]"


def texts(content: object) -> list[str]:
    """The texts of a list of blocks that have one."""
    found = [block.get("text") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [text for text in found if isinstance(text, str)]


def _size(block: Block) -> int:
    """Bytes counted for a block: its texts, arguments or result, its ids and names, and 16."""
    if (use := block.tool_use) is not None:
        return BLOCK_SIZE + len(word(use.tool_use_id)) + len(word(use.name)) + len(use.input)
    if (result := block.tool_result) is not None:
        inside = sum(map(_counted_inside, result.content or ()))
        return BLOCK_SIZE + len(word(result.tool_use_id)) + inside
    if (thought := block.reasoning_content) is not None:
        return BLOCK_SIZE + (weight(word(thought.reasoning_text.text)) if thought.reasoning_text else 0)
    if block.image:
        return BLOCK_SIZE + IMAGE_SIZE
    if block.document is not None:
        return BLOCK_SIZE + _payload(block.document)
    if block.search_result is not None:
        return BLOCK_SIZE + _searched(block.search_result)
    return BLOCK_SIZE + weight(block.said or "")


def _counted_inside(inner: Inner) -> int:
    if inner.text is not None:
        return weight(word(inner.text))
    if inner.json:
        return len(inner.json)
    if inner.image:
        return IMAGE_SIZE
    if inner.document is not None:
        return _payload(inner.document)
    return _searched(inner.search_result) if inner.search_result is not None else BLOCK_SIZE


def _payload(document: Document) -> int:
    source = document.source or Source()
    own = word(source.bytes) or word(source.text)
    return weight(own) if own else sum(map(weight, texts(source.content)))


def _searched(found: SearchResult) -> int:
    return weight(word(found.title)) + sum(map(weight, texts(found.content)))


def _result(result: ToolResult, limits: Limits) -> Result:
    content = result.content or []
    line = limits.told(" ".join(_texts(content, limits.reach)))
    images = sum([bool(inner.image) for inner in content])
    return result_of(word(result.tool_use_id), result_head(line, result.status == "error"), images=images)


def _texts(content: list[Inner], limit: int) -> list[str]:
    """The texts of a result as far as a line may need them, what is not text as its kind in brackets."""
    return heads(map(text_of, content), limit)


def text_of(inner: Inner) -> str:
    """What a block of a result says: its text, its JSON as it was sent, or its kind in brackets."""
    if inner.text is not None:
        return word(inner.text)
    return bytes(inner.json).decode("utf-8", "replace") if inner.json else kind_of(inner)
