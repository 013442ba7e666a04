"""Anthropic messages: results are blocks of the user message behind the calls, roles take turns."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..core.edit import Addition, Block, Carried, KeptImage
from ..core.errors import Unreadable
from ..core.ports import Exchange, Request
from ..core.text import bare, called, observed, result_head, said
from ..core.transcript import BLOCK_SIZE, IMAGE_SIZE, MESSAGE_SIZE, Call, Limits, Result, Role, Shape, View
from .content import Text, arguments, content_span, marked, normal, reach, same_reminder_apart
from .spans import decoded, elements, sourced, spans

_NONE = msgspec.Raw()


class _Block(msgspec.Struct, gc=False):
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

    content: list[_Block]
    role: str = ""


class _Body(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw]
    model: Any = None
    thread: Any = None


class _Source(msgspec.Struct, gc=False):
    data: msgspec.Raw = _NONE


class _Kind(msgspec.Struct, gc=False):
    type: str = ""
    text: msgspec.Raw = _NONE
    content: msgspec.Raw = _NONE


_BODY = msgspec.json.Decoder(_Body)
_LISTED = msgspec.json.Decoder(_Listed)
_MESSAGE = msgspec.json.Decoder(_Message)
_BLOCKS: msgspec.json.Decoder[list[_Block]] = msgspec.json.Decoder(list[_Block])
_KIND = msgspec.json.Decoder(_Kind)
_SOURCE = msgspec.json.Decoder(_Source)
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


class Anthropic:
    """The messages API, and what speaks it."""

    name = "anthropic"
    list_key = "messages"
    shape = Shape(strict_turns=True, system_inside=True)

    def read(self, body: bytes) -> Request:
        found, source = sourced(_BODY, body)
        items, offsets = spans(found.messages, source, body)
        model = found.model if isinstance(found.model, str) else ""
        state = isinstance(found.thread, dict) and found.thread.get("type") == "continue"
        return Request(body, items, offsets, model, state)

    def view(self, item: bytes, limits: Limits) -> View:
        try:
            found = _LISTED.decode(item)
            role, blocks = found.role, found.content
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            role, blocks = _read(item)
        if role == "assistant":
            return _assistant(blocks, limits)
        if role == "user":
            return _user(blocks, limits)
        if role == "system":
            size = MESSAGE_SIZE + sum(_size(block) for block in blocks)
            return View(role="system", size=size, own=size, marked=any(map(_marked, blocks)))
        raise Unreadable(f"a message has the role {role!r}: user, assistant or system is known")

    def extended(self, item: bytes | None, added: Sequence[Addition], items: Sequence[bytes]) -> bytes:
        written = b",".join(block for addition in added for block in _blocks_of(addition, items))
        if item is None:
            return b'{"role":"user","content":[' + written + b"]}"
        start, literal = content_span(item)
        if literal[:1] == b"[":
            kept = literal[:-1].rstrip(b" \t\r\n")
            joined = kept + (b"," if kept != b"[" and written else b"") + written + b"]"
        else:
            joined = b"[" + b",".join(part for part in (_text_block(literal), written) if part) + b"]"
        return item[:start] + joined + item[start + len(literal) :]

    def exchanges(self, items: Sequence[bytes]) -> list[Exchange]:
        asked: dict[str, tuple[str, bytes]] = {}
        found = []
        for item in items:
            for block in _read(item)[1]:
                if block.type == "tool_use":
                    asked[str(block.id)] = (str(block.name), bytes(block.input))
                elif block.type == "tool_result" and str(block.tool_use_id) in asked:
                    text = " ".join(_texts(block.content, 0))
                    found.append(Exchange(*asked.pop(str(block.tool_use_id)), same_reminder_apart(text)))
        return found

    def normal(self, item: bytes) -> bytes:
        return normal(item)


def _read(item: bytes) -> tuple[str, list[_Block]]:
    """Role and blocks; a text given as a string is one block."""
    message = decoded(_MESSAGE, item)
    content = bytes(message.content)
    if content[:1] == b'"':
        return message.role, [_Block(type="text", text=message.content)]
    if content[:1] == b"[":
        return message.role, decoded(_BLOCKS, content)
    raise Unreadable("a message's content is neither a text nor a list of blocks")


def _assistant(blocks: list[_Block], limits: Limits) -> View:
    size = MESSAGE_SIZE
    parts: list[str] = []
    calls: list[Call] = []
    answered: list[str] = []
    is_marked = history = False
    for block in blocks:
        kind = block.type
        size += _size(block)
        is_marked = is_marked or marked(block.cache_control)
        if kind == "text":
            parts.append(said(Text(block.text).start(reach(limits.verbatim)), limits.verbatim))
        elif kind.endswith("tool_use"):
            calls.append(Call(_word(block.id), _word(block.name)))
            parts.append(called(_word(block.id), _word(block.name), arguments(block.input, limits), limits.arguments))
        elif kind.endswith("tool_result"):
            name = next((call.name for call in calls if call.id == block.tool_use_id), "")
            answered.append(_word(block.tool_use_id))
            parts.append(f"tool_result[{bare(_word(block.tool_use_id))}] {bare(name)}: {_head(block, limits)}")
        elif kind == "compaction":
            history = True
        elif kind not in ("thinking", "redacted_thinking"):
            parts.append(f"[{bare(kind)}]")
    return View(
        role="assistant",
        size=size,
        line=" | ".join(part for part in parts if part),
        calls=tuple(calls),
        answered=tuple(answered),
        marked=is_marked,
        history=history,
    )


def _user(blocks: list[_Block], limits: Limits) -> View:
    own = own_images = 0
    size = MESSAGE_SIZE
    parts: list[str] = []
    results: list[Result] = []
    is_marked = history = False
    for block in blocks:
        counted = _size(block)
        size += counted
        is_marked = is_marked or _marked(block)
        if block.type == "tool_result":
            results.append(Result(_word(block.tool_use_id), _head(block, limits), images=_images(block)))
            continue
        own += counted
        history = history or block.type == "compaction"
        own_images += block.type == "image"
        if block.type == "text":
            read = 0 if not limits.head else reach(max(limits.verbatim, limits.head))
            parts.append(observed(Text(block.text).start(read), limits.verbatim, limits.head))
        else:
            parts.append(f"[{bare(block.type)}]")
    return View(
        role="user",
        size=size,
        line=" | ".join(part for part in parts if part),
        results=tuple(results),
        own=own,
        own_images=own_images,
        marked=is_marked,
        history=history,
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _size(block: _Block) -> int:
    """Bytes counted for a block: its texts, arguments or result, its ids and names, and 16."""
    kind = block.type
    if kind == "text":
        return BLOCK_SIZE + Text(block.text).size
    if kind.endswith("tool_use"):
        return BLOCK_SIZE + len(_word(block.id)) + len(_word(block.name)) + len(bytes(block.input))
    if kind == "thinking":
        return BLOCK_SIZE + Text(block.thinking).size
    if kind == "image":
        return BLOCK_SIZE + IMAGE_SIZE
    if kind == "document":
        return BLOCK_SIZE + _payload(block)
    return BLOCK_SIZE + len(_word(block.tool_use_id)) + _inner_size(block.content)


def _inner_size(content: msgspec.Raw) -> int:
    """Bytes of what a result holds: a text counts the same as a list of that one text."""
    written = bytes(content)
    if written[:1] == b'"':
        return Text(written).size
    if written[:1] != b"[":
        return 0
    total = 0
    blocks: list[_Block] = decoded(_BLOCKS, written)
    for block in blocks:
        total += _size(block) - BLOCK_SIZE if block.type in ("text", "image", "document") else BLOCK_SIZE
    return total


def _payload(block: _Block) -> int:
    return Text(decoded(_SOURCE, bytes(block.source)).data).size if block.source else 0


def _marked(block: _Block) -> bool:
    """Does a breakpoint stand on the block or inside its result?"""
    if marked(block.cache_control):
        return True
    content = bytes(block.content)
    return content[:1] == b"[" and b"cache_control" in content and any(map(_marked, decoded(_BLOCKS, content)))


def _images(block: _Block) -> int:
    content = bytes(block.content)
    if content[:1] != b"[" or b'"image"' not in content:
        return 0
    return sum(inner.type == "image" for inner in decoded(_BLOCKS, content))


def _head(block: _Block, limits: Limits) -> str:
    return result_head(_texts(block.content, reach(limits.head)), limits.head, block.is_error is True)


def _texts(content: msgspec.Raw, characters: int) -> list[str]:
    """The texts of a result, what is not text as its kind in brackets."""
    written = bytes(content)
    if written[:1] == b'"':
        return [Text(written).start(characters)]
    if written[:1] != b"[":
        return []
    texts, left = [], characters
    for block in decoded(_BLOCKS, written):
        text = Text(block.text).start(left) if block.type == "text" else _named(block)
        texts.append(text)
        left = max(1, left - len(text)) if characters else 0
    return texts


def _named(block: _Block) -> str:
    name = block.title or block.tool_name
    return f"[{block.type}: {name}]" if isinstance(name, str) and block.type != "document" else f"[{block.type}]"


def _text_block(literal: bytes) -> bytes:
    return b'{"type":"text","text":' + literal + b"}" if literal != b'""' else b""


def _blocks_of(addition: Addition, items: Sequence[bytes]) -> Iterator[bytes]:
    """The blocks of an addition, as they are written."""
    match addition:
        case Block(text=text):
            yield _text_block(msgspec.json.encode(text))
        case Carried():
            yield from _own_blocks(addition, items[addition.item])
        case KeptImage(item=item, number=number, label=label):
            yield _text_block(msgspec.json.encode(label))
            yield list(_result_images(items[item]))[number]


def _own_blocks(carried: Carried, item: bytes) -> Iterator[bytes]:
    _, content = content_span(item)
    if content[:1] == b'"':
        yield from filter(None, [_text_block(content)])
        return
    images = 0
    for block in elements(content):
        kind = decoded(_KIND, block)
        if kind.type == "image":
            images += 1
            yield _text_block(b'"[image]"') if images - 1 in carried.dropped else block
        elif kind.type != "tool_result" and bytes(kind.text) != b'""':
            yield block


def _result_images(item: bytes) -> Iterator[bytes]:
    for block in elements(content_span(item)[1]):
        kind = decoded(_KIND, block)
        if kind.type == "tool_result" and bytes(kind.content)[:1] == b"[":
            yield from (inner for inner in elements(bytes(kind.content)) if decoded(_KIND, inner).type == "image")
