"""What a capped text says of what is left out of it: signs that are no evidence when it is read again."""

import re

from foldpoint.core.text import ELLIPSIS

_ENDING = re.compile(r"\n\[(\d+) characters left out(?:; recall\(\"[^\n]*\"\) returns them)?\]\Z")
_MORE = re.compile(ELLIPSIS + r" (\d+) more\Z")
_REACH = 600
"""Characters at the end of a text among which its ending is looked for."""


def ending(left: int, call_id: str = "") -> str:
    """What stands behind a capped text: how much of it is left out and, where a call is named, how to get it."""
    return f"\n[{left} characters left out" + (f'; recall("{call_id}") returns them]' if call_id else "]")


def unended(text: str) -> tuple[str, int]:
    """The text without such an ending, and how many characters are left out of it."""
    found = _ENDING.search(text, max(0, len(text) - _REACH)) if text.endswith("]") else None
    return (text[: found.start()], int(found.group(1)[:12])) if found else (text, 0)


def is_gap(line: str) -> bool:
    """Does the line stand for lines that are left out?"""
    return line.startswith(ELLIPSIS)


def more(count: int) -> str:
    """What stands for so many rows of an array that are left out."""
    return f"{ELLIPSIS} {count} more"


def rows_in(value: object) -> int:
    """Rows that an element of an array stands for: one, or as many as are left out there."""
    found = _MORE.match(value) if isinstance(value, str) else None
    return int(found.group(1)) if found else 1


def is_more(value: object) -> bool:
    """Does an element of an array stand for rows that are left out?"""
    return isinstance(value, str) and _MORE.match(value) is not None
