"""JSON, and JSON a line: keys and the forms of arrays stay, of rows the first, the odd ones and the last."""

from collections.abc import Sequence
from typing import Any

import msgspec

from foldpoint.skills.evidence.records import odd_rows

from ..units import Reading
from .reader import SHARE, Lines, share, untold
from .walk import Walk

LARGEST = 4_194_304
"""Characters above which a text is not read as JSON but by its lines."""
ODD = 10.0


def read(text: str) -> Reading | None:
    """The text in units if it is JSON with an array or an object in it."""
    if text.lstrip(" \n\r\t")[:1] not in ("[", "{") or len(text) > LARGEST:
        return None
    try:
        units = Walk(text).units()
    except (msgspec.DecodeError, RecursionError, OverflowError):
        return None
    return Reading(units, untold, SHARE) if units else None


def _fits(lines: Sequence[str]) -> bool:
    return share(lines, lambda line: line[:1] == "{" and line.rstrip()[-1:] == "}") >= 0.9


def _weigh(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    found = [(number, row) for number, line in enumerate(lines) if isinstance(row := _row(line), dict)]
    worth = [0.0] * len(lines)
    for number, scores in odd_rows([row for _, row in found]):
        worth[found[number][0]] = ODD + sum(scores.values())
    return worth, [""] * len(lines)


def _row(line: str) -> Any:
    try:
        return msgspec.json.decode(line.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError, OverflowError):
        return None


def _told(text: str, start: int, end: int) -> str:
    return f"{text.count(chr(10), start, end)} rows"


READER = Lines(fits=_fits, weigh=_weigh, told=_told)
