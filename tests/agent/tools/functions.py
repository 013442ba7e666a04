"""Functions that the tests give to an agent."""

import asyncio
import time
from typing import Literal

from foldpoint.agent.tools import repeatable


@repeatable
def add(a: int, b: int = 1, kind: Literal["sum", "text"] = "sum") -> int | str:
    """Add two numbers.

    They may be negative.

    Args:
        a: The first.
        b (int): The second,
            on two lines.

    Returns:
        The sum.
    """
    return a + b if kind == "sum" else f"{a}+{b}"


async def later(seconds: float) -> dict[str, float]:
    """Wait."""
    await asyncio.sleep(seconds)
    return {"slept": seconds}


def hang(seconds: float) -> None:
    """Block."""
    time.sleep(seconds)


def broken(kind: str) -> None:
    """Raise."""
    if kind == "exit":
        raise SystemExit(3)
    if kind == "stop":
        raise StopIteration
    raise ValueError("no good")


def odd() -> object:
    """Return what is no JSON."""
    return {"when": {1, 2}, "what": print}


def halves() -> str:
    """Return what no store takes."""
    return "a\0b\ud800c"


def splat(*args: int) -> None:
    """Take anything."""


NUMBER = 5
