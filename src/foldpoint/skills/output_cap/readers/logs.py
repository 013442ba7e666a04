"""Logs: lines of one form are told once and counted; what is rare among them is kept."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from .reader import Lines, share

_TIME = re.compile(r"\W{0,2}(?:\d{2,4}[-/.]\d\d[-/.]\d\d|\d\d:\d\d:\d\d|\d{10,13}\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d)")
_LEVEL = re.compile(r".{0,60}\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE|NOTICE|CRITICAL)\b")
_VARIES = re.compile(r"\d[\da-f.:-]*")
FEW = 12
"""Lines of which none can be called rare."""
RARE = 2.0
"""What a form is worth that stands once, for every time that the usual ones stand there; by its logarithm."""
USUAL = 0.8
"""Share of the lines whose form stands there again from which one that does not is rare."""


def _fits(lines: Sequence[str]) -> bool:
    return share(lines, _TIME.match) >= 0.5 or share(lines, _LEVEL.match) >= 0.6


def form(line: str) -> str:
    """The line with its numbers and ids as one sign."""
    return _VARIES.sub("#", line)


def _weigh(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    forms = form("\n".join(lines)).split("\n")
    counts = Counter(forms)
    again = sum([count for count in counts.values() if count > 1])
    if len(lines) < FEW or again < USUAL * len(lines):
        return [0.0] * len(lines), forms
    return [RARE * log(len(lines) / counts[each]) if counts[each] <= 1 else 0.0 for each in forms], forms


MOST = 16_384
"""Characters of a gap of which the forms are counted."""


def _told(text: str, start: int, end: int) -> str:
    """How many lines are left out, and how many of them are like the one in front of them."""
    count = text.count("\n", start, end)
    if start and end - start <= MOST:
        before = form(text[text.rfind("\n", 0, start - 1) + 1 : start - 1])
        like = form(text[start:end]).split("\n").count(before)
        if 2 * like >= count:
            return f"{count} more like it" if like >= count else f"{count} lines, {like} like it"
    return f"{count} lines"


READER = Lines(fits=_fits, weigh=_weigh, told=_told)
