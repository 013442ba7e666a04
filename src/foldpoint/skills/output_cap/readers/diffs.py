"""Diffs and logs of commits: files, hunks and commits, and the changed lines by their evidence."""

import re
from collections.abc import Sequence

from .reader import Lines, by_line, share

_HEADS = ("diff --git ", "Index: ", "--- a/", "+++ b/", "--- /dev/null", "+++ /dev/null", "rename ", "new file mode ")
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} ")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
COMMIT, FILE, HUNK, CHANGED = 16.0, 14.0, 10.0, 2.0
"""What the lines are worth that name a commit, a file or a hunk, and what a changed line is worth."""


def _fits(lines: Sequence[str]) -> bool:
    heads = share(lines, lambda line: line.startswith(_HEADS) or _HUNK.match(line) or _COMMIT.match(line))
    return heads > 0.0 and share(lines, lambda line: line[:1] in "+- @d") >= 0.6


def _of(line: str) -> float:
    if line[:1] in ("c", "F") and _COMMIT.match(line):
        return COMMIT
    if line.startswith(_HEADS):
        return FILE if line[:1] in "dI" else CHANGED
    if line[:1] == "@":
        return HUNK
    return CHANGED if line[:1] in ("+", "-") else 0.0


def _told(text: str, start: int, end: int) -> str:
    """How many lines are left out that come in and go out."""
    at = max(0, start - 1)
    came, went = text.count("\n+", at, end - 1), text.count("\n-", at, end - 1)
    return f"+{came} -{went}" if came or went else f"{text.count(chr(10), start, end)} lines"


READER = Lines(fits=_fits, weigh=by_line(_of), told=_told)
