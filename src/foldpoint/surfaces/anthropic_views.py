"""Views of Anthropic messages: what the fold needs of their blocks."""

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
from .content import arguments, heads, marked, normal, word
from .marks import CACHE_CONTROL
from .spans import decoded

_NONE = msgspec.Raw()
THOUGHTS = ("thinking", "redacted_thinking")
LOADS = "tool_reference"
"""A block that makes a tool known to the model from there on: a turn with one stays whole."""


class Inner(msgspec.Struct, gc=False, omit_defaults=True):
    """A block inside a result."""

    type: str = ""
    text: Any = None
    title: Any = None
    tool_name: Any = None
    content: msgspec.Raw = _NONE
    source: msgspec.Raw = _NONE
    cache_control: Any = None


class Given(msgspec.Struct, gc=False):
    """What a server's tool gives back in an object: a page it read, a program's output, tools it found."""

    url: Any = None
    text: Any = None
    stdout: Any = None
    stderr: Any = None
    error_code: Any = None
    lines: Any = None
    content: str | list[Inner] | Inner | None = None
    tool_references: list[Inner] | None = None


class Block(msgspec.Struct, gc=False):
    """A block of a message."""

    type: str = ""
    text: Any = None
    thinking: Any = None
    id: Any = None
    name: Any = None
    input: msgspec.Raw = _NONE
    tool_use_id: Any = None
    content: str | list[Inner] | Given | None = None
    is_error: Any = None
    source: msgspec.Raw = _NONE
    cache_control: Any = None


class _Message(msgspec.Struct, gc=False):
    content: str | list[Block]
    role: str = ""


class _Source(msgspec.Struct, gc=False):
    data: Any = None
    content: Any = None


_MESSAGE = msgspec.json.Decoder(_Message)
_SOURCE = msgspec.json.Decoder(_Source)
_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def read_message(item: bytes) -> tuple[str, list[Block]]:
    """Role and blocks; a text given as a string is one block. Raises Unreadable."""
    message = decoded(_MESSAGE, item)
    content = message.content
    return message.role, [Block(type="text", text=content)] if isinstance(content, str) else content


def view_of(item: bytes, limits: Limits) -> View:
    """The view of a message. Raises Unreadable."""
    role, blocks = read_message(item)
    if role == "user":
        return _answer(blocks[0], limits) if _is_answer(blocks) else _user(blocks, limits)
    if role == "assistant":
        return _assistant(blocks, limits)
    if role == "system":
        size = MESSAGE_SIZE + sum(_size(block) for block in blocks)
        return View(role="system", size=size, own=size, marked=any(map(_is_marked, blocks)))
    raise Unreadable(f"a message has the role {role!r}: user, assistant or system is known")


def _is_answer(blocks: list[Block]) -> bool:
    return len(blocks) == 1 and blocks[0].type == "tool_result"


def _answer(block: Block, limits: Limits) -> View:
    """The view of a message that is one result and nothing else."""
    result, size = _result(block, limits)
    return result_view("user", MESSAGE_SIZE + size, result, _is_marked(block))


def _is_marked(block: Block) -> bool:
    """Does a breakpoint stand on the block, or on one inside it, or does it load a tool? It has to stay then."""
    if marked(block.cache_control) or (block.type == "document" and CACHE_CONTROL.found(bytes(block.source))):
        return True
    inner = _listed(block.content)
    if not isinstance(inner, list):
        return False
    return any(
        each.type == LOADS or marked(each.cache_control) or CACHE_CONTROL.found(bytes(each.content)) for each in inner
    )


def _assistant(blocks: list[Block], limits: Limits) -> View:
    size, thinking = MESSAGE_SIZE, 0
    parts: list[str] = []
    calls: list[Call] = []
    answered: list[str] = []
    is_marked = history = False
    for block in blocks:
        kind = block.type
        size += _size(block)
        is_marked = is_marked or _is_marked(block)
        if kind == "text":
            parts.append(said(word(block.text), limits.verbatim))
        elif kind == "tool_use" or kind.endswith("_tool_use"):
            call_id, name = word(block.id), bare(word(block.name))
            calls.append(Call(call_id, name))
            parts.append(called(call_id, name, arguments(block.input, limits.arguments), limits.arguments))
        elif kind.endswith("tool_result"):
            result, _ = _result(block, limits)
            tool = next((call.name for call in calls if call.id == result.id), "")
            answered.append(result.id)
            parts.append(unspelled(result.said(tool)))
        elif kind == "compaction":
            history = True
        elif kind in THOUGHTS:
            thinking += _size(block)
        else:
            parts.append(f"[{bare(kind)}]")
    return action_view(size, parts, calls, answered, is_marked, history, thinking)


def _user(blocks: list[Block], limits: Limits) -> View:
    own = own_images = 0
    size = MESSAGE_SIZE
    parts: list[str] = []
    results: list[Result] = []
    is_marked = history = False
    for block in blocks:
        is_marked = is_marked or _is_marked(block)
        if block.type == "tool_result":
            result, counted = _result(block, limits)
            size += counted
            results.append(result)
            continue
        if block.text == "":
            size += BLOCK_SIZE
            continue
        own += _size(block)
        history = history or block.type == "compaction"
        own_images += block.type == "image"
        parts.append(_observed(block, limits))
    line = " | ".join([part for part in parts if part])
    return View(
        role="user",
        size=size + own,
        line=spelled(line),
        results=tuple(results),
        own=own,
        own_images=own_images,
        marked=is_marked,
        history=history,
    )


def _observed(block: Block, limits: Limits) -> str:
    if block.type != "text":
        return f"[{bare(block.type)}]"
    return observed(word(block.text), limits.verbatim, limits.told)


def _size(block: Block) -> int:
    """Bytes counted for a block: its texts, arguments or result, its ids and names, and 16."""
    kind = block.type
    if kind == "text":
        return BLOCK_SIZE + weight(word(block.text))
    if kind == "tool_use" or kind.endswith("_tool_use"):
        return BLOCK_SIZE + len(word(block.id)) + len(word(block.name)) + len(block.input)
    if kind == "thinking":
        return BLOCK_SIZE + weight(word(block.thinking))
    if kind == "image":
        return BLOCK_SIZE + IMAGE_SIZE
    if kind == "document":
        return BLOCK_SIZE + _payload(block.source)
    return BLOCK_SIZE + len(word(block.tool_use_id)) + _inner_size(_listed(block.content))


def _result(block: Block, limits: Limits) -> tuple[Result, int]:
    """A result, and the bytes counted for it."""
    call_id, content = word(block.tool_use_id), _listed(block.content)
    size, error = BLOCK_SIZE + len(call_id) + _inner_size(content), block.is_error is True
    if not isinstance(content, list):
        line = limits.told(word(content))
        return result_of(call_id, result_head(line, error)), size
    line = limits.told(" ".join(_texts(content, limits.reach)))
    images = sum([inner.type == "image" for inner in content])
    return result_of(call_id, result_head(line, error), images=images), size


def _listed(content: object) -> object:
    """The content of a result; an object of a server's tool as the list that it amounts to."""
    if not isinstance(content, Given):
        return content
    said = [content.url, content.text, content.stdout, content.stderr, content.error_code]
    said += content.lines if isinstance(content.lines, list) else []
    inner = content.content
    said += [inner] if isinstance(inner, str) else []
    listed = [Inner("text", text) for text in said if word(text)]
    listed += inner if isinstance(inner, list) else [inner] if isinstance(inner, Inner) else []
    return listed + (content.tool_references or [])


def _inner_size(content: object) -> int:
    """Bytes of what a result holds: a text counts the same as a list of that one text."""
    if isinstance(content, str):
        return weight(content)
    return sum(map(_counted_inside, content)) if isinstance(content, list) else 0


def _counted_inside(inner: Inner) -> int:
    if inner.type == "text":
        return weight(word(inner.text))
    if inner.type == "image":
        return IMAGE_SIZE
    if inner.type == "document":
        return _payload(inner.source)
    return BLOCK_SIZE + sum(map(weight, _own_texts(inner)))


def _payload(source: msgspec.Raw) -> int:
    """Bytes of a document: its payload, or its texts where it is made of blocks."""
    given = decoded(_SOURCE, bytes(source)) if source else _Source()
    return sum(map(weight, [word(given.data), *_texts_in(given.content)]))


def _own_texts(inner: Inner) -> list[str]:
    """The texts that stand in a block of a result, such as a search result."""
    return _texts_in(decoded(_ANY, bytes(inner.content))) if inner.content else []


def _texts_in(content: object) -> list[str]:
    """The texts of a content: itself, or those of its blocks."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [word(block.get("text")) for block in blocks if isinstance(block, dict)]


def _texts(content: list[Inner], limit: int) -> list[str]:
    """The texts of a result as far as a line may need them, what is not text as its kind in brackets."""
    texts = [
        word(inner.text) if inner.type == "text" else " ".join([_named(inner), *_own_texts(inner)]) for inner in content
    ]
    return heads(texts, limit)


def whole(content: object) -> str:
    """All that a result says, for comparison."""
    if not isinstance(content, list):
        return word(content)
    texts = [word(inner.text) for inner in content if inner.type == "text"]
    return " ".join(texts) if len(texts) == len(content) else normal(msgspec.json.encode(content)).decode()


def _named(inner: Inner) -> str:
    name = inner.title or inner.tool_name
    said = inner.type if inner.type == "document" or not isinstance(name, str) else f"{inner.type}: {name}"
    return f"[{bare(said)}]"
