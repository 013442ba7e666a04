"""JSON string literals read without decoding the whole of a long one: its size, and its head."""

import msgspec

from .spans import decoded

_STRING = msgspec.json.Decoder(str)
_WINDOW = 1.5
"""Bytes read for each character wanted, before the long way is taken."""


def string(literal: bytes) -> str:
    """The whole string."""
    return decoded(_STRING, literal)


def size(literal: bytes) -> int:
    """Bytes of the string in UTF-8; an escaped half of a surrogate pair counts 2."""
    length = len(literal) - 2
    escapes = literal.count(b"\\")
    if not escapes:
        return length
    if b"\\u" not in literal:
        return length - (escapes - literal.count(b"\\\\"))
    bare = literal.replace(b"\\\\", b".")
    by_code = bare.split(b"\\u")
    length = len(bare) - 2 - (bare.count(b"\\") - (len(by_code) - 1))
    return length - sum(6 - _utf8(piece[:4]) for piece in by_code[1:])


def _utf8(code: bytes) -> int:
    """Bytes that a \\u escape stands for; half of a pair counts half of the pair's four."""
    number = int(code, 16)
    if number < 0x80:
        return 1
    if number < 0x800 or 0xD800 <= number < 0xE000:
        return 2
    return 3


def head(literal: bytes, characters: int) -> tuple[str, bool]:
    """The string's first characters (at least `characters` where it has them; 0 = all), and whether these are all."""
    window = int(characters * _WINDOW)
    if not characters or len(literal) <= window + 2:
        return string(literal), True
    try:
        text = _STRING.decode(literal[: _safe_end(literal, window)] + b'"')
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = ""
    return (text, False) if len(text) >= characters else (string(literal), True)


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
