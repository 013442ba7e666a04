"""What a test run prints: failed tests by name, what they say, and the sums at the end."""

import re
from collections.abc import Sequence

from .reader import Lines, by_line, share

_OUTCOMES = ("PASSED", "FAILED", "SKIPPED", "XFAIL", "XPASS", "ERROR")
_RESULT = re.compile(
    r"(?:not )?ok \d|\s*--- (?:PASS|FAIL|SKIP)|\s*[✓✔✗✕✘×] |(?:PASS|FAIL)\b|"
    r"[^\n]{1,200} \.\.\. (?:ok|FAIL|FAILED|ERROR|ignored|skipped)"
)
_FAILED = re.compile(r"not ok \d|\s*--- FAIL|\s*[✗✕✘×] |FAIL\b|_{3,40} \w[^\n]{0,150} _{3,}$")
_SUM = re.compile(
    r"\d (?:passed|failed|errors?|skipped|tests?|failures?|passing|failing|pending)\b|^(?:Tests?:|Test Suites:|OK \()"
)
_SAYS = ("E  ", "AssertionError", "assert")
FAILED, SUM, SAYS = 14.0, 12.0, 6.0
"""What a failed test, a sum and a line that says why are worth; where most tests fail, one of them is worth less."""


def _fits(lines: Sequence[str]) -> bool:
    return share(lines, _is_result) >= 0.3 or (
        any("test session starts" in line for line in lines[:8])
        or (share(lines, _is_result) > 0.05 and share(lines, _SUM.search) > 0.0)
    )


def _is_result(line: str) -> bool:
    return any(word in line for word in _OUTCOMES) or _RESULT.match(line) is not None


def _of(line: str) -> float:
    if "FAILED" in line or "ERROR" in line or _FAILED.match(line):
        return FAILED
    if _SUM.search(line):
        return SUM
    return SAYS if line.startswith(_SAYS) or "Error" in line or "Exception" in line else 0.0


def _told(text: str, start: int, end: int) -> str:
    """How many tests of each outcome are left out."""
    counts = [(text.count(word, start, end), word) for word in _OUTCOMES]
    said = ", ".join([f"{count} {word}" for count, word in counts if count])
    return said or f"{text.count(chr(10), start, end)} lines"


READER = Lines(fits=_fits, weigh=by_line(_of), told=_told)
