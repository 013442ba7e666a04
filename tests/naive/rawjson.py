"""Where each value of a JSON text stands, and how it is spelled."""

import json
from typing import Any

BLANKS = " \t\n\r"
_scan = json.JSONDecoder().raw_decode


def past_blanks(text: str, at: int) -> int:
    """The first place from `at` on that is no blank."""
    while text[at] in BLANKS:
        at += 1
    return at


def member_spans(text: str, at: int = 0) -> list[tuple[str, int, int]]:
    """(key, start, end) of every value of the object that begins at `at`, as written."""
    spans = []
    at = past_blanks(text, past_blanks(text, at) + 1)
    while text[at] != "}":
        key, at = _scan(text, at)
        start = past_blanks(text, past_blanks(text, at) + 1)
        _, end = _scan(text, start)
        spans.append((key, start, end))
        at = past_blanks(text, end)
        if text[at] == ",":
            at = past_blanks(text, at + 1)
    return spans


def element_spans(text: str, at: int = 0) -> list[tuple[int, int]]:
    """(start, end) of every element of the array that begins at `at`."""
    spans = []
    at = past_blanks(text, past_blanks(text, at) + 1)
    while text[at] != "]":
        _, end = _scan(text, at)
        spans.append((at, end))
        at = past_blanks(text, end)
        if text[at] == ",":
            at = past_blanks(text, at + 1)
    return spans


def member(text: str, key: str) -> str | None:
    """The spelling of the value under `key`, of several the last; None where there is none."""
    if not text.lstrip(BLANKS).startswith("{"):
        return None
    return {name: text[start:end] for name, start, end in member_spans(text)}.get(key)


def elements(text: str | None) -> list[str]:
    """The elements of an array, each as it is spelled; none where the text is no array."""
    if text is None or not text.lstrip(BLANKS).startswith("["):
        return []
    return [text[start:end] for start, end in element_spans(text)]


def list_span(text: str, key: str) -> tuple[int, int]:
    """Where the array under a top-level key begins and ends; of several members the last counts."""
    return next((start, end) for name, start, end in reversed(member_spans(text)) if name == key)


def value(text: str) -> Any:
    """The decoded value; half surrogates are replaced, as they are wherever the fold reads a text."""
    return whole(json.loads(text))


def whole(found: Any) -> Any:
    """The value with every half of a surrogate pair replaced by U+FFFD."""
    if isinstance(found, str):
        return (
            "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in found) if has_half(found) else found
        )
    if isinstance(found, list):
        return [whole(inner) for inner in found]
    if isinstance(found, dict):
        return {whole(key): whole(inner) for key, inner in found.items()}
    return found


def has_half(text: str) -> bool:
    """Whether the text has half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
