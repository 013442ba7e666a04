"""The task that every agent is given: read the parts of a report, and write down the sum of their totals."""

from collections.abc import Callable
from pathlib import Path

from foldpoint.lab.provider import Call, Script, Step

PARTS = 18
PAIRED = (4, 9)
"""Parts that are read together with the next one: two calls in one action."""
TURNS = PARTS - len(PAIRED) + 1
"""Actions until the sum is written."""
WRITTEN = "sum.txt"
ENDED = "The sum is written."

Reads = Callable[[Path, str], Call]
Writes = Callable[[Path, str, str], Call]


def total(number: int) -> int:
    """What part `number` says at its end."""
    return 17 * number + 3


SUM = f"{sum(map(total, range(PARTS)))}\n"


def lay(project: Path) -> None:
    """Put the parts into a project."""
    (project / "parts").mkdir(parents=True)
    for number in range(PARTS):
        rows = [
            f"{number:02d}-{row:03d} | item {row * 37 % 101}, shelf {row % 7} | counted twice" for row in range(120)
        ]
        (project / name(number)).write_text("\n".join([*rows, f"total of part {number}: {total(number)}", ""]))


def name(number: int) -> str:
    """The path of a part in the project."""
    return f"parts/part_{number:02d}.txt"


def play(project: Path, reads: Reads, writes: Writes, last: Step) -> Script:
    """The script that does the task with an agent's own tools: it thinks, calls tools alone and in pairs, and ends."""
    seconds = [number + 1 for number in PAIRED]
    steps = [
        Step(
            f"Next is part {number}.",
            tuple(reads(project, name(part)) for part in ((number, number + 1) if number in PAIRED else (number,))),
            f"Part {number} is still missing in the sum." if number % 2 else "",
        )
        for number in range(PARTS)
        if number not in seconds
    ]
    return Script([*steps, Step("All are read.", (writes(project, WRITTEN, SUM),))], last)
