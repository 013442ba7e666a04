"""What a test run prints: failed tests by name, what they say, and the sums at the end."""

import re
from collections.abc import Sequence

from .reader import Lines, share

_OUTCOMES = ("PASSED", "FAILED", "SKIPPED", "XFAIL", "XPASS", "ERROR")
_RESULT = re.compile(
    r"(?:.*\s|^)(?:PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b|(?:not )?ok \d|\s*--- (?:PASS|FAIL|SKIP)|\s*[✓✔✗✕✘×] |"
    r"(?:PASS|FAIL)\b|test .{1,200} \.\.\. (?:ok|FAILED|ignored)|.{0,200} \.\.\. (?:ok|FAIL|ERROR|skipped)"
)
_FAILED = re.compile(
    r"(?:.*\s|^)(?:FAILED|ERROR)\b|not ok \d|\s*--- FAIL|\s*[✗✕✘×] |FAIL\b|.{1,200} \.\.\. (?:FAIL|ERROR)|"
    r"_{3,} \w.{0,150} _{3,}$"
)
_SUM = re.compile(
    r".*\b\d+ (?:passed|failed|errors?|skipped|tests?|failures|passing|failing|pending)\b|Tests?:|Test Suites:|Ran \d+|"
    r"(?:FAILED|OK) ?\("
)
_SAYS = re.compile(r"E  |AssertionError|assert|.*(?:Error|Exception)\b")
FAILED, SUM, SAYS = 14.0, 12.0, 6.0
"""What a failed test, a sum and a line that says why are worth; where most tests fail, one of them is worth less."""


def _fits(lines: Sequence[str]) -> bool:
    return share(lines, _RESULT.match) >= 0.3 or (
        any("test session starts" in line for line in lines[:8])
        or (share(lines, _RESULT.match) > 0.05 and share(lines, _SUM.match) > 0.0)
    )


def _worth(lines: Sequence[str]) -> list[float]:
    return [_of(line) for line in lines]


def _of(line: str) -> float:
    if _FAILED.match(line):
        return FAILED
    return SUM if _SUM.match(line) else SAYS if _SAYS.match(line) else 0.0


def _told(text: str, start: int, end: int) -> str:
    """How many tests of each outcome are left out."""
    counts = [(text.count(word, start, end), word) for word in _OUTCOMES]
    said = ", ".join([f"{count} {word}" for count, word in counts if count])
    return said or f"{text.count(chr(10), start, end)} lines"


READER = Lines(fits=_fits, worth=_worth, told=_told)
