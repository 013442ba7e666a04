"""What a reader of lines is, and what most of them have in common."""

from collections.abc import Callable, Sequence

import msgspec


def alike(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    """No line is worth more than its evidence, and each is a kind of its own."""
    return [0.0] * len(lines), [""] * len(lines)


def by_line(of: Callable[[str], float]) -> Callable[[Sequence[str]], tuple[list[float], list[str]]]:
    """What each line is worth by what stands in it."""
    return lambda lines: ([of(line) for line in lines], [""] * len(lines))


def counted(text: str, start: int, end: int) -> str:
    """How many lines stand there."""
    return f"{text.count(chr(10), start, end)} lines"


def untold(text: str, start: int, end: int) -> str:
    """Nothing: the lines beside the gap tell it."""
    return ""


SHARE = 0.4
"""The part of the room that is used where there is no evidence: what every line says alike is not worth more."""


class Lines(msgspec.Struct, frozen=True):
    """A reader of lines.

    fits: are these, a sample, lines of its kind? weigh: what each line is worth beside its evidence, and what it shares
    with others of its kind, of which one tells as much as many. told: what is left out between two places. share: the
    part of the room that is used where there is no evidence.
    """

    fits: Callable[[Sequence[str]], bool]
    weigh: Callable[[Sequence[str]], tuple[list[float], list[str]]] = alike
    told: Callable[[str, int, int], str] = counted
    share: float = SHARE


def share(lines: Sequence[str], is_one: Callable[[str], object]) -> float:
    """The part of the lines that are such."""
    return sum([1 for line in lines if is_one(line)]) / len(lines) if lines else 0.0
