"""Listings: `ls -l`, paths one a line, and hits of a search by file."""

import re
from collections.abc import Sequence

from .reader import Lines, share

_LONG = re.compile(r"[-dlbcps][-rwxsStT]{9}[+.@]?\s")
_PATH = re.compile(r"(?:\.{0,2}/|[\w@~.-]+/)[^\s:]*$")
_HIT = re.compile(r"([^\s:]{1,200}[./][^\s:]{0,200}):\d+[:-]")
MOST = 16_384
"""Characters of a gap of which the files are counted."""


def _fits(lines: Sequence[str]) -> bool:
    return any(share(lines, each.match) >= 0.6 for each in (_LONG, _PATH, _HIT))


def _weigh(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    """The file of a hit: hits in one that is not there yet tell more."""
    found = [_HIT.match(line) for line in lines]
    return [0.0] * len(lines), [each.group(1) if each else "" for each in found]


def _told(text: str, start: int, end: int) -> str:
    """How many lines are left out, of hits also in how many files."""
    count = text.count("\n", start, end)
    if end - start > MOST or not _HIT.match(text, start, end):
        return f"{count} lines"
    files = {found.group(1) for line in text[start:end].split("\n") if (found := _HIT.match(line))}
    return f"{count} hits in {len(files)} file{'s' if len(files) > 1 else ''}"


READER = Lines(fits=_fits, weigh=_weigh, told=_told)
