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

_WORD = "etaoinsrlhdcu_mfpgwybvkxjqz0123456789ETAOINSRLHDCUMFPGWYBVKXJQZ"
_PLACE = _WORD + "./-@~"
_TOKEN = _WORD + "-"
_LETTERS = "etaoinsrlhdcumfpgwybvkxjqz+"
_ANCHORED = (
    ("url", "://", re.compile(r"://[^\s\"'<>)\]},;`]+"), _LETTERS),
    ("frame", 'File "', re.compile(r'File "[^"\n]{1,200}", line \d+(?:, in \w+)?'), ""),
    ("fault", "Error", re.compile(r"Error\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "Exception", re.compile(r"Exception\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "Fault", re.compile(r"Fault\b(?:: [^\n]{1,100})?"), _WORD),
    ("fault", "panic: ", re.compile(r"panic: [^\n]{1,100}"), _WORD),
    ("test", "::", re.compile(r"::[\w:]+(?:\[[^\]\s]*\])?"), _PLACE),
    ("place", ".", re.compile(r"\.[A-Za-z]\w{0,5}(?::\d+(?::\d+)?|\(\d+\)|,? line \d+)"), _PLACE),
    *(
        ("definition", f"{word} ", re.compile(word + r" [A-Za-z_]\w*[^\n{]{0,90}"), "")
        for word in ("def", "class", "fn", "func", "function", "struct", "interface", "enum", "trait")
    ),
)
"""(kind, what must be in the text, the pattern, what belongs to a match in front of it)."""
_PATH = re.compile(r"(?:/[\w.@-]+)+")
_NAME = re.compile(r"_\w+")
_NUMBER = re.compile(r"(\d[\w.:/-]*(?<![.:/-]))( [A-Za-z_]\w+)?")
_RELEASE = re.compile(r"\d{1,9}\.\d{1,9}\.\d")
_HEX = frozenset("0123456789abcdef")
_PLAIN = frozenset("0123456789.,")
_BESIDE = frozenset(" =\"'")
_AT = (" ", "@", "=")
"""What may stand in front of a value that is set, and between a name and its release."""
_VERDICTS = (
    "error fail fatal panic critical severe exception traceback denied refused timed not no~such not~ok cannot "
    "undefined unexpected invalid abort killed warn conflict missing expected deprecated unhandled mismatch exceed"
).replace("timed not", "timed~out not~found")
_SIGNS = tuple(word.replace("~", " ") for word in _VERDICTS.split())
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
        if not taken[mark.start] and not taken[mark.end - 1]:
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            yield mark


def _all(text: str, pieces: int) -> Iterator[Mark]:
    for kind, needed, pattern, before in _ANCHORED:
        if needed in text:
            for found in pattern.finditer(text):
                yield Mark(kind, _left(text, found.start(), before), found.end(), kind)
    yield from _numbers(text)
    yield from _verdicts(text, _lower(text))
    for found in _PATH.finditer(text):
        yield Mark("path", _left(text, found.start(), _PLACE), found.end(), "path")
    if text.count("_") <= CROWDED * pieces:
        for found in _NAME.finditer(text):
            yield Mark("name", _left(text, found.start(), _WORD), found.end(), "name")


def _left(text: str, start: int, belongs: str) -> int:
    """Where what belongs to a match begins, at most 200 characters in front of it."""
    before = text[max(0, start - 200) : start]
    return start - len(before) + len(before.rstrip(belongs)) if belongs else start


def _numbers(text: str) -> Iterator[Mark]:
    """What numbers are part of: releases, hashes, settings and counts."""
    for found in _NUMBER.finditer(text):
        token, word = found.groups()
        at = found.start()
        last = text[at - 1] if at else " "
        if "." in token and _RELEASE.match(token):
            yield _release(text, at, found.end(1))
        elif (len(token) > 3 or last in _LETTERS) and (hashed := _hash(text, at, token, last)) is not None:
            yield hashed
        elif last in _BESIDE and (named := _named(text, at)) < at:
            yield Mark("setting", named, found.end(1), "setting")
        elif word and last not in _TOKEN and _PLAIN.issuperset(token):
            yield Mark("count", at, found.end(), f"count{word}", token)


def _release(text: str, at: int, end: int) -> Mark:
    """A release with the name in front of it."""
    start = _left(text, at, _TOKEN)
    return Mark("release", _left(text, start - 1, _TOKEN) if text[start - 1 : start] in _AT else start, end, "release")


def _hash(text: str, at: int, token: str, last: str) -> Mark | None:
    """A word whose last part is hexadecimal, with digits and letters, long enough to name something."""
    start = _left(text, at, _TOKEN) if last in _TOKEN else at
    word = text[start : at + len(token)]
    part = word.rpartition("-")[2]
    long = len(part) >= 7 or (len(part) >= 4 and len(part) < len(word))
    if not long or part.isdigit() or part.isalpha() or not _HEX.issuperset(part):
        return None
    return Mark("hash", start, at + len(token), "hash")


def _named(text: str, start: int) -> int:
    """Where the name begins that a value is set to; the value's own place where nothing is set."""
    before = text[max(0, start - 3) : start].rstrip("\"'")
    if before[-1:] not in (" ", "=") or before.rstrip(" ")[-1:] not in ("=", ":"):
        return start
    name = _left(text, start - len(before) + len(before.rstrip(" =:")), _TOKEN)
    return name if name < start - len(before) + 1 else start


def _lower(text: str) -> str:
    """The text in small letters; as it is where these would be more than its own (the dotted capital I is two)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _verdicts(text: str, lower: str) -> Iterator[Mark]:
    """Words of failure; one in capitals is an alarm."""
    for sign in _SIGNS:
        at = lower.find(sign)
        while at >= 0:
            if not at or lower[at - 1] not in _WORD:
                kind = "alarm" if text[at : at + len(sign)].isupper() else "verdict"
                yield Mark(kind, at, at + len(sign), f"{kind} {sign}")
            at = lower.find(sign, at + len(sign))
