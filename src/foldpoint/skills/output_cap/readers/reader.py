"""What a reader of lines is, and what most of them have in common."""

from collections.abc import Callable, Sequence

import msgspec


def _no_more(lines: Sequence[str]) -> list[float]:
    return [0.0] * len(lines)


def _unlike(lines: Sequence[str]) -> list[str]:
    return [""] * len(lines)


def counted(text: str, start: int, end: int) -> str:
    """How many lines stand there."""
    return f"{text.count(chr(10), start, end)} lines"


def untold(text: str, start: int, end: int) -> str:
    """Nothing: the lines beside the gap tell it."""
    return ""


class Lines(msgspec.Struct, frozen=True):
    """A reader of lines.

    fits: are these, a sample, lines of its kind? worth: what each line is worth beside its evidence. likes: what each
    shares with others of its kind, of which one tells as much as many. told: what is left out between two places.
    """

    fits: Callable[[Sequence[str]], bool]
    worth: Callable[[Sequence[str]], list[float]] = _no_more
    likes: Callable[[Sequence[str]], list[str]] = _unlike
    told: Callable[[str, int, int], str] = counted


def share(lines: Sequence[str], is_one: Callable[[str], object]) -> float:
    """The part of the lines that are such."""
    return sum([1 for line in lines if is_one(line)]) / len(lines) if lines else 0.0
