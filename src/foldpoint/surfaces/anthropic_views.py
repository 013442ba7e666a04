"""Views of Anthropic messages: what the fold needs of their blocks."""

from typing import Any

import msgspec

from ..core.errors import Unreadable
from ..core.text import bare, called, observed, one_line, result_head, said, wide
from ..core.transcript import (
    BLOCK_SIZE,
    IMAGE_SIZE,
    MESSAGE_SIZE,
    Call,
    Limits,
    Result,
    View,
    action_view,
    call_of,
    result_of,
    result_view,
)
from .content import arguments, marked, normal, reach
from .literal import line as line_of
from .literal import size as size_of
from .literal import start
from .spans import decoded

_NONE = msgspec.Raw()
THOUGHTS = ("thinking", "redacted_thinking")


class Block(msgspec.Struct, gc=False):
    type: str = ""
    text: msgspec.Raw = _NONE
    thinking: msgspec.Raw = _NONE
    id: Any = None
    name: Any = None
    input: msgspec.Raw = _NONE
    tool_use_id: Any = None
    content: msgspec.Raw = _NONE
    is_error: Any = None
    source: msgspec.Raw = _NONE
    title: Any = None
    tool_name: Any = None
    cache_control: msgspec.Raw = _NONE


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: msgspec.Raw = _NONE


class _Listed(msgspec.Struct, gc=False):
    """A message whose content is a list, read in one pass."""

    content: list[Block]
    role: str = ""


class _Source(msgspec.Struct, gc=False):
    data: msgspec.Raw = _NONE


_LISTED = msgspec.json.Decoder(_Listed)
_MESSAGE = msgspec.json.Decoder(_Message)
_BLOCKS: msgspec.json.Decoder[list[Block]] = msgspec.json.Decoder(list[Block])
_SOURCE = msgspec.json.Decoder(_Source)


def view_of(item: bytes, limits: Limits) -> View:
    """The view of a message. Raises Unreadable."""
    try:
        found = _LISTED.decode(item)
        role, blocks = found.role, found.content
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        role, blocks = read_message(item)
    if role == "assistant":
        return _assistant(blocks, limits)
    if role == "user":
        return _user(blocks, limits)
    if role == "system":
        size = MESSAGE_SIZE + sum(_size(block) for block in blocks)
        return View(role="system", size=size, own=size, marked=any(marked(block.cache_control) for block in blocks))
    raise Unreadable(f"a message has the role {role!r}: user, assistant or system is known")


def read_message(item: bytes) -> tuple[str, list[Block]]:
    """Role and blocks; a text given as a string is one block."""
    message = decoded(_MESSAGE, item)
    content = bytes(message.content)
    if content[:1] == b'"':
        return message.role, [Block(type="text", text=message.content)]
    if content[:1] == b"[":
        return message.role, decoded(_BLOCKS, content)
    raise Unreadable("a message's content is neither a text nor a list of blocks")


def _assistant(blocks: list[Block], limits: Limits) -> View:
    size, thinking = MESSAGE_SIZE, 0
    parts: list[str] = []
    calls: list[Call] = []
    answered: list[str] = []
    is_marked = history = False
    for block in blocks:
        kind = block.type
        size += _size(block)
        if block.cache_control:
            is_marked = is_marked or marked(block.cache_control)
        if kind == "text":
            parts.append(said(start(bytes(block.text), reach(limits.verbatim)), limits.verbatim))
        elif kind == "tool_use" or kind.endswith("_tool_use"):
            call_id, name = word(block.id), bare(word(block.name))
            calls.append(call_of(call_id, name))
            parts.append(called(call_id, name, arguments(block.input, limits.arguments), limits.arguments))
        elif kind.endswith("tool_result"):
            result = _result(block, limits)[0]
            name = next((call.name for call in calls if call.id == result.id), "")
            answered.append(result.id)
            parts.append(f"{result.lead}{name}: {result.head}")
        elif kind == "compaction":
            history = True
        elif kind in THOUGHTS:
            thinking += _size(block)
        else:
            parts.append(f"[{bare(kind)}]")
    return action_view(size, parts, calls, answered, is_marked, history, thinking)


def _user(blocks: list[Block], limits: Limits) -> View:
    if len(blocks) == 1 and blocks[0].type == "tool_result":
        result, size, inner_marked = _result(blocks[0], limits)
        is_marked = inner_marked or marked(blocks[0].cache_control)
        return result_view("user", MESSAGE_SIZE + size, result, is_marked)
    own = own_images = 0
    size = MESSAGE_SIZE
    parts: list[str] = []
    results: list[Result] = []
    is_marked = history = False
    for block in blocks:
        if block.cache_control:
            is_marked = is_marked or marked(block.cache_control)
        if block.type == "tool_result":
            result, counted, inner_marked = _result(block, limits)
            size += counted
            is_marked = is_marked or inner_marked
            results.append(result)
            continue
        if bytes(block.text) == b'""':
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
        line=line,
        wide=wide(line),
        results=tuple(results),
        own=own,
        own_images=own_images,
        marked=is_marked,
        history=history,
    )


def _observed(block: Block, limits: Limits) -> str:
    if block.type != "text":
        return f"[{bare(block.type)}]"
    read = reach(max(limits.verbatim, limits.head)) if limits.head else 0
    return observed(start(bytes(block.text), read), limits.verbatim, limits.head)


def word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _size(block: Block) -> int:
    """Bytes counted for a block: its texts, arguments or result, its ids and names, and 16."""
    kind = block.type
    if kind == "text":
        return BLOCK_SIZE + size_of(bytes(block.text))
    if kind == "tool_use" or kind.endswith("_tool_use"):
        return BLOCK_SIZE + len(word(block.id)) + len(word(block.name)) + len(block.input)
    if kind == "thinking":
        return BLOCK_SIZE + size_of(bytes(block.thinking))
    if kind == "image":
        return BLOCK_SIZE + IMAGE_SIZE
    if kind == "document":
        return BLOCK_SIZE + _payload(block)
    return BLOCK_SIZE + len(word(block.tool_use_id)) + _inner_size(bytes(block.content))


def _result(block: Block, limits: Limits) -> tuple[Result, int, bool]:
    """A result, the bytes counted for it, and whether a breakpoint stands inside it."""
    call_id, content = word(block.tool_use_id), bytes(block.content)
    size = BLOCK_SIZE + len(call_id)
    error = block.is_error is True
    if content[:1] != b"[":
        head = result_head(line_of(content, limits.head), error)
        return result_of(call_id, head), size + size_of(content), False
    blocks: list[Block] = decoded(_BLOCKS, content)
    images = sum([inner.type == "image" for inner in blocks])
    head = result_head(one_line(" ".join(_texts(blocks, reach(limits.head))), limits.head), error)
    inner_marked = any(marked(inner.cache_control) for inner in blocks)
    return result_of(call_id, head, images=images), size + sum(map(_counted_inside, blocks)), inner_marked


def _inner_size(content: bytes) -> int:
    """Bytes of what a result holds: a text counts the same as a list of that one text."""
    if content[:1] != b"[":
        return size_of(content)
    blocks: list[Block] = decoded(_BLOCKS, content)
    return sum(map(_counted_inside, blocks))


def _counted_inside(block: Block) -> int:
    return _size(block) - BLOCK_SIZE if block.type in ("text", "image", "document") else BLOCK_SIZE


def _payload(block: Block) -> int:
    return size_of(bytes(decoded(_SOURCE, bytes(block.source)).data)) if block.source else 0


def _texts(blocks: list[Block], characters: int) -> list[str]:
    """The texts of a result, what is not text as its kind in brackets."""
    texts, left = [], characters
    for block in blocks:
        text = start(bytes(block.text), left) if block.type == "text" else _named(block)
        texts.append(text)
        left = max(1, left - len(text)) if characters else 0
    return texts


def whole(content: bytes) -> str:
    """All that a result says, for comparison."""
    if content[:1] != b"[":
        return start(content, 0)
    blocks: list[Block] = decoded(_BLOCKS, content)
    texts = [start(bytes(block.text), 0) for block in blocks if block.type == "text"]
    return " ".join(texts) if len(texts) == len(blocks) else normal(content).decode()


def _named(block: Block) -> str:
    name = block.title or block.tool_name
    said = block.type if block.type == "document" or not isinstance(name, str) else f"{block.type}: {name}"
    return f"[{bare(said)}]"
