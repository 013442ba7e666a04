"""Deterministic bulk for made-up results: log lines, tables, test runs. The same seed gives the same text."""

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta


def seeded(seed: str) -> random.Random:
    return random.Random(seed)


def log(seed: str, start: datetime, lines: int, make: Callable[[random.Random], str], facts: dict[int, str]) -> str:
    """Lines with rising times; `facts` stand at the given line numbers instead of a made line."""
    rng, now, written = seeded(seed), start, []
    for number in range(lines):
        now += timedelta(milliseconds=rng.randrange(20, 900))
        words = facts.get(number) or make(rng)
        written.append(f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z {words}")
    return "\n".join(written)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A text table with aligned columns and the number of its rows."""
    shown = [[cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
    lines = [" | ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)) for row in [head, *shown]]
    rule = "-+-".join("-" * width for width in widths)
    return "\n".join([lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:]), f"({len(shown)} rows)"])


def cell(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def tests(seed: str, names: Sequence[str], failed: dict[str, str], seconds: float) -> str:
    """A verbose test run; `failed` gives the traceback of each test that failed."""
    width = max(map(len, names)) + 2
    lines = [
        "=" * 26 + " test session starts " + "=" * 26,
        "platform linux -- Python 3.12.7, pytest-8.4.2, pluggy-1.6.0",
    ]
    lines += [f"rootdir: /home/dev/{seed}", f"collected {len(names)} items", ""]
    for number, name in enumerate(names, 1):
        result = "FAILED" if name in failed else "PASSED"
        lines.append(f"{name.ljust(width)}{result} [{100 * number // len(names):3d}%]")
    if failed:
        lines += ["", "=" * 34 + " FAILURES " + "=" * 34]
        lines += [f"{'_' * 12} {name.rpartition('::')[2]} {'_' * 12}\n\n{trace}\n" for name, trace in failed.items()]
        lines += ["=" * 26 + " short test summary info " + "=" * 26, *(f"FAILED {name}" for name in failed)]
    passed = len(names) - len(failed)
    told = f"{len(failed)} failed, {passed} passed" if failed else f"{passed} passed"
    return "\n".join([*lines, f"{'=' * 20} {told} in {seconds:.2f}s {'=' * 20}"])
