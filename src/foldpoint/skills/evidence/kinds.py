"""The kinds of evidence, and where a text has them.

Every search begins with a literal or a digit, and what belongs in front of that is found from there: much faster
than one pattern of all kinds.
"""

import re
from collections.abc import Iterator, Mapping

import msgspec

WEIGHTS: Mapping[str, float] = {
    "url": 3.0,
    "frame": 4.0,
    "place": 3.0,
    "fault": 4.0,
    "test": 2.0,
    "definition": 3.0,
    "release": 3.0,
    "hash": 3.0,
    "setting": 2.5,
    "count": 0.6,
    "alarm": 3.0,
    "verdict": 2.0,
    "path": 1.2,
    "name": 0.8,
}
"""What a match of each kind is worth where it is rare."""

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_PLACE = _WORD | frozenset("./-@~")
_TOKEN = _WORD | frozenset("-")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz+")
_ANCHORED = (
    ("url", "://", re.compile(r"://[^\s\"'<>)\]},;`]+"), _LETTERS),
    ("frame", 'File "', re.compile(r'File "[^"\n]{1,200}", line \d+(?:, in \w+)?'), frozenset[str]()),
    ("fault", "Error", re.compile(r"Error\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "Exception", re.compile(r"Exception\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "Fault", re.compile(r"Fault\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "panic: ", re.compile(r"panic: [^\n]{1,100}"), _WORD),
    ("test", "::", re.compile(r"::[\w:]+(?:\[[^\]\s]*\])?"), _PLACE),
    ("place", ".", re.compile(r"\.[A-Za-z]\w{0,5}(?::\d+(?::\d+)?|\(\d+\)|,? line \d+)"), _PLACE),
    *(
        ("definition", f"{word} ", re.compile(word + r" [A-Za-z_]\w*[^\n{]{0,90}"), frozenset[str]())
        for word in ("def", "class", "fn", "func", "function", "struct", "interface", "enum", "trait")
    ),
)
"""(kind, what must be in the text, the pattern, what belongs to a match in front of it)."""
_PATH = re.compile(r"(?:/[\w.@-]+)+")
_NAME = re.compile(r"_\w+")
_NUMBER = re.compile(r"\d[\w.:/-]*(?<![.:/-])")
_RELEASE = re.compile(r"v?\d+\.\d+\.\d+")
_VERDICTS = (
    "error fail fatal panic critical severe exception traceback denied refused timed not no~such cannot undefined "
    "unexpected invalid abort killed warn conflict missing expected deprecated unhandled mismatch exceed"
).replace("timed not", "timed~out not~found")
_SIGNS = tuple(word.replace("~", " ") for word in _VERDICTS.split())
_HEX = frozenset("0123456789abcdef")
_DIGITS = frozenset("0123456789")
CROWDED = 0.5
"""Names to a piece above which a text is all names, and none of them tells anything."""


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A match in a text.

    shape: what matches of the same form share; value: what tells them apart, where one value may be the usual one.
    """

    kind: str
    start: int
    end: int
    shape: str
    value: str = ""


def marks_of(text: str, pieces: int) -> Iterator[Mark]:
    """What is evidence in a text of so many pieces; no two matches overlap."""
    taken = bytearray(len(text) + 1)
    for mark in _all(text, pieces):
        if mark is not None and not taken[mark.start] and not taken[mark.end - 1]:
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            yield mark


def _all(text: str, pieces: int) -> Iterator[Mark | None]:
    for kind, needed, pattern, before in _ANCHORED:
        if needed in text:
            for found in pattern.finditer(text):
                yield Mark(kind, _left(text, found.start(), before), found.end(), kind)
    for found in _NUMBER.finditer(text):
        yield _number(text, found.start(), found.end())
    yield from _verdicts(text, text.lower() if text.isascii() else text)
    for found in _PATH.finditer(text):
        yield Mark("path", _left(text, found.start(), _PLACE), found.end(), "path")
    if text.count("_") <= CROWDED * pieces:
        for found in _NAME.finditer(text):
            yield Mark("name", _left(text, found.start(), _WORD), found.end(), "name")


def _left(text: str, start: int, belongs: frozenset[str]) -> int:
    """Where what belongs to a match begins, at most 200 characters in front of it."""
    least = max(0, start - 200)
    while start > least and text[start - 1] in belongs:
        start -= 1
    return start


def _number(text: str, at: int, end: int) -> Mark | None:
    """What a number is part of: a release, a hash, a setting or a count."""
    start = _left(text, at, _TOKEN)
    if _RELEASE.match(text, at):
        name = _left(text, start - 1, _TOKEN) if start and text[start - 1] in " @=" else start
        return Mark("release", name, end, "release")
    token = text[start:end]
    if _is_hash(token):
        return Mark("hash", start, end, "hash")
    before = text[max(0, start - 3) : start].rstrip("\"'")
    if before.rstrip(" ")[-1:] in ("=", ":") and before[-1:] in " =":
        name = _left(text, start - len(before) + len(before.rstrip(" =:")), _TOKEN)
        return Mark("setting", name, end, "setting") if name < start - len(before) + 1 else None
    if start == at and text[end : end + 1] == " ":
        follows = end + 1
        while follows < len(text) and text[follows] in _WORD:
            follows += 1
        if follows > end + 2 and text[end + 1] not in _DIGITS:
            return Mark("count", start, follows, f"count {text[end + 1 : follows]}", token)
    return None


def _is_hash(token: str) -> bool:
    """Is its last part hexadecimal, with digits and letters, long enough to name something?"""
    last = token.rpartition("-")[2]
    long = len(last) >= 7 or (len(last) >= 4 and "-" in token)
    return long and _HEX.issuperset(last) and not last.isdigit() and not last.isalpha()


def _verdicts(text: str, lower: str) -> Iterator[Mark]:
    """Words of failure; one in capitals is an alarm."""
    for sign in _SIGNS:
        at = lower.find(sign)
        while at >= 0:
            if not at or lower[at - 1] not in _WORD:
                kind = "alarm" if text[at : at + len(sign)].isupper() else "verdict"
                yield Mark(kind, at, at + len(sign), f"{kind} {sign}")
            at = lower.find(sign, at + len(sign))
