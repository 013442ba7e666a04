"""Text as a line of the summary carries it: one line, cut between characters a reader sees, never passing for ours."""

import re
import unicodedata
from collections.abc import Callable

import msgspec

MARKER = "[trajectory summary]"
ELLIPSIS = "…"
READ_AHEAD = 4
"""A head of n characters reads at most this many times n of its text."""

_STRING = msgspec.json.Decoder(str)
_JOINER = "\u200d"
_OURS = re.compile(r"(^|[\n\r\v\f\x85\u2028\u2029])(?=\[trajectory summary\]|turn \d+ \| |tool_result\[|tool_use\[)")
_WORD = re.compile(r"[\w.:-]*")
_PART = re.compile(r"\|(?= tool_(?:result|use)\[)")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")


def collapsed(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def one_line(text: str, limit: int) -> str:
    """Collapse runs of white space and cut to `limit` characters, with `…` where something was cut; 0 = no limit."""
    if not limit:
        return collapsed(text)
    line = collapsed(text[: limit + limit // 8])
    if len(line) <= limit < len(text):
        line = collapsed(text[: limit * READ_AHEAD])
    if len(line) > limit:
        return cut(line, limit) + ELLIPSIS
    return line + ELLIPSIS if len(text) > limit * READ_AHEAD and text[limit * READ_AHEAD :].strip() else line


def first_sentence(text: str, limit: int) -> str:
    """The first sentence on one line, at most `limit` characters of it, then `…`."""
    line = collapsed(text[: limit * READ_AHEAD])
    end = _SENTENCE_END.search(line, 0, limit)
    return (line[: end.end()] if end else cut(line, limit)) + ELLIPSIS


def cut(text: str, limit: int) -> str:
    """At most `limit` code points, backing off so that no joined or combined character is split."""
    if len(text) <= limit:
        return text
    if text[limit - 1] < "\u0300" > text[limit]:
        return text[:limit]
    end = limit
    while end and _joined(text[end - 1], text[end]):
        end -= 1
    return text[: end or limit]


def _joined(before: str, after: str) -> bool:
    return before == _JOINER or _extends(after) or (_regional(before) and _regional(after))


def _extends(char: str) -> bool:
    """Does the character belong to the one before it (combining mark, joiner, variation selector, tone, tag)?"""
    return (
        char == _JOINER
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or unicodedata.category(char)[0] == "M"
    )


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def guarded(text: str) -> str:
    """Keep carried text from passing for a line or a part of ours: indent such lines, double such bars."""
    if "[trajectory summary]" not in text and "tool_" not in text and "turn " not in text:
        return text
    return _PART.sub("||", _OURS.sub(r"\1  ", text))


def said(text: str, verbatim: int) -> str:
    """An assistant's text as a line carries it: short word for word, longer as its first sentence."""
    if not text or text.isspace():
        return ""
    return guarded(text if len(text) <= verbatim else first_sentence(text, verbatim))


def observed(text: str, verbatim: int, told: Callable[[str], str]) -> str:
    """A text agent's observation as a line carries it: short word for word, longer as a result is told."""
    if not text or text.isspace():
        return ""
    return guarded(text) if len(text) <= verbatim else "user: " + guarded(told(text))


def called(call_id: str, name: str, arguments: str, limit: int) -> str:
    """A call as a line carries it: id, name and the head of its arguments as sent."""
    written = guarded(one_line(arguments, limit))
    return f"tool_use[{bare(call_id)}] {bare(name)} {written}" if written else f"tool_use[{bare(call_id)}] {bare(name)}"


def result_head(line: str, error: bool) -> str:
    """What a line says of a result after its name."""
    said = guarded(line) or "(empty)"
    return f"(error) {said}" if error else said


def bare(word: str) -> str:
    """An id or a name, kept from breaking out of its line."""
    return word if word.isidentifier() or _WORD.fullmatch(word) else guarded(" ".join(word.split()))


def spelled(text: str) -> bytes:
    """A text as JSON spells it between its quotes: pieces of it can be joined to a longer text."""
    return msgspec.json.encode(text)[1:-1]


def unspelled(json: bytes) -> str:
    """The text that JSON spells so."""
    return _STRING.decode(b'"' + json + b'"')


def weight(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
