"""JSON string literals read without decoding the whole of a long one: its size, and its head."""

import msgspec

from ..core.text import ELLIPSIS, READ_AHEAD, collapsed, cut, one_line
from .spans import decoded

_STRING = msgspec.json.Decoder(str)
_WINDOW = 1.25
_SAMPLE = 256
"""Bytes read for each character wanted before the long way is taken, and bytes in which escapes are counted."""


def size(literal: bytes) -> int:
    """Bytes of the string as JSON spells it, without the quotes; a \\u escape counts three, by those of the beginning.

    That is the UTF-8 size but for a byte more at each line break, quote and backslash: to know the exact one costs as
    much as decoding the whole text, and both sides of every decision are counted alike. What is no string counts 0.
    """
    if literal[:1] != b'"':
        return 0
    sample = literal[:_SAMPLE]
    escapes = sample.count(b"\\u") - sample.count(b"\\\\u")
    return len(literal) - 2 - (3 * escapes * len(literal) // len(sample) if escapes else 0)


def start(literal: bytes, characters: int) -> str:
    """The string's first characters: more than `characters` where it has more; 0 = all. What is no string has none."""
    if literal[:1] != b'"':
        return ""
    window = int((characters + 1) * _WINDOW)
    if not characters or len(literal) <= window + 2:
        return decoded(_STRING, literal)
    try:
        text = _STRING.decode(literal[: _safe_end(literal, window)] + b'"')
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = ""
    return text if len(text) > characters else decoded(_STRING, literal)


def line(literal: bytes, limit: int) -> str:
    """The string as one line of at most `limit` characters: `one_line` of it, reading little where little is enough."""
    if limit:
        found = collapsed(start(literal, limit + limit // 8))
        if len(found) > limit:
            return cut(found, limit) + ELLIPSIS
    text = start(literal, limit * READ_AHEAD)
    found = one_line(text, limit)
    cut_off = found.endswith(ELLIPSIS) or not limit or len(text) <= limit * READ_AHEAD
    return found if cut_off else one_line(decoded(_STRING, literal), limit)


def _safe_end(literal: bytes, end: int) -> int:
    """The last place up to `end` that is inside no UTF-8 sequence, no escape and no escaped surrogate pair."""
    while literal[end] & 0xC0 == 0x80:
        end -= 1
    escape = literal.find(b"\\", max(1, end - 12), end)
    if escape < 0:
        return end
    while literal[escape - 1 : escape] == b"\\":
        escape -= 1
    in_pair = literal[escape - 6 : escape - 3].lower() == b"\\ud"
    return escape - 6 if in_pair else escape
