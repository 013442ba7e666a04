"""Evidence in JSON: keys and lengths of arrays, and the rows that are not like the others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import msgspec

from .gaps import is_more, rows_in
from .weighing import Snippet

LARGEST = 65_536
"""Characters above which a text is not read as JSON but by its lines."""
FEW = 4
"""Rows that are all looked at alike."""
ODD = 10.0
"""What an odd row is worth, beside how odd its values are."""
RARE = 0.1
"""Share of a column's words up to which one of them is odd; a single one always is."""
USUAL = 0.5
"""Share of a column's words above which one of them is the usual one, and another can be odd."""
FAR = 8.0
"""How many times the median a number must be to be no longer like the others."""
DEEPEST = 4
MOST_KEYS = 24
_NUMBERS = (int, float)


def records_of(text: str) -> tuple[str, list[Snippet]] | None:
    """The shape of a JSON text and its odd rows; None where there are none, or it is no JSON to be read."""
    lead = text.lstrip()[:1]
    if lead not in ("[", "{") or len(text) > LARGEST:
        return None
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
        found = list(_evidence(value))
    except (msgspec.DecodeError, RecursionError, OverflowError):
        return None
    if not found:
        return None
    return shape_of(value), [Snippet(score, number, said) for number, (score, said) in enumerate(found)]


def shape_of(value: Any, depth: int = 0) -> str:
    """Keys and lengths: `{rows: [42 × {id, name}], next}`."""
    if isinstance(value, dict):
        inner = [f"{key}: {shape}" if (shape := shape_of(each, depth + 1)) else key for key, each in _some(value)]
        return "{" + ", ".join(inner) + "}" if depth < DEEPEST else "{…}"
    if isinstance(value, list):
        return f"[{sum(map(rows_in, value))}" + (
            f" × {shape}]" if value and depth < DEEPEST and (shape := shape_of(value[0], depth + 1)) else "]"
        )
    return ""


def _some(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(value.items())[:MOST_KEYS]


def _evidence(value: Any, depth: int = 0) -> Iterator[tuple[float, str]]:
    """(score, what is said) of every row that is not like the others of its array, in order."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        count, value = sum(map(rows_in, value)), [row for row in value if not is_more(row)]
        rows = [row for row in value if isinstance(row, dict)]
        if count > FEW and len(rows) == len(value):
            yield from _odd_rows(rows)
        else:
            for each in value[: 2 * FEW]:
                yield from _evidence(each, depth + 1)
    elif isinstance(value, dict):
        for _, each in _some(value):
            yield from _evidence(each, depth + 1)


def _odd_rows(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[float, str]]:
    """What is said of the rows with values that are not like those of the other rows."""
    for number, scores in odd_rows(rows):
        yield ODD + sum(scores.values()), _row(rows[number], list(scores))


def odd_rows(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, float]]]:
    """(number, how odd which of its values are) of the rows with values that are not like those of the other rows."""
    keys = [key for key, _ in _some(rows[0])] if rows else []
    odd = [_odd_of([row.get(key) for row in rows]) for key in keys]
    more = _odd_of([sorted(row.keys() - set(keys)) for row in rows])
    for number in range(len(rows)):
        scores = {key: column[number] for key, column in zip(keys, odd, strict=True) if number in column}
        if number in more:
            scores |= dict.fromkeys(sorted(rows[number].keys() - set(keys)), more[number])
        if scores:
            yield number, scores


def _row(row: dict[str, Any], odd: Sequence[str]) -> str:
    """A row by what names it and what is odd in it."""
    first = next(iter(row), "")
    shown = dict.fromkeys([first, *odd])
    return ", ".join([f"{key}: {spelled(row[key])}" for key in shown if key in row])


def _odd_of(column: Sequence[Any]) -> dict[int, float]:
    """Which values of a column are odd, and how much."""
    numbers = [each for each in column if isinstance(each, _NUMBERS) and not isinstance(each, bool)]
    if len(numbers) == len(column):
        middle = median(map(abs, numbers))
        far = max(FAR * middle, FAR) if middle else FAR
        return {at: 2.0 + min(8.0, abs(each) / far) for at, each in enumerate(numbers) if abs(each) > far}
    words = [each if isinstance(each, str) else spelled(each) for each in column]
    counts = Counter(words)
    if counts.most_common(1)[0][1] < USUAL * len(words):
        return {}
    most = max(1.0, RARE * len(words))
    return {
        at: 4.0 / counts[each]
        for at, each in enumerate(words)
        if counts[each] <= most and counts[each] < len(words) / 2
    }


def spelled(value: Any) -> str:
    """A value on one line; an array or object inside by its shape."""
    if isinstance(value, (list, dict)):
        return shape_of(value, 1)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
