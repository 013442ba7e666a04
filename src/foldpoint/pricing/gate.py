"""Rent or buy: does a fold pay for what it rewrites?"""

from typing import Literal

import msgspec

LAMBDA = 3
"""Guards the case of lines nearly as long as what they replace."""


class Move(msgspec.Struct, frozen=True, gc=False):
    """A move of the fold point, in bytes of normalised content.

    turn: the live turn; full: what would be sealed, as it is; lines: the new block and what it carries; moved: what
    the previous request sent behind the place of the new block; waited: what holding has cost since the last fold;
    chances: requests until the fold may move next.
    """

    turn: int
    full: int
    lines: int
    moved: int
    waited: int = 0
    chances: int = 1


class Gate(msgspec.Struct, frozen=True):
    """The terms of the gate. read, write: price of a cached and of a written token, in one unit, as integers."""

    read: int
    write: int
    horizon: Literal["task", "adaptive"] = "task"
    expected_task_steps: int = 12
    payback_turns: int | None = None

    def folds(self, move: Move) -> bool:
        """Is the move worth it? Integers only, so that every machine agrees."""
        saved = move.full - move.lines
        if saved <= 0:
            return False
        if self.payback_turns is not None:
            return self._pays_within(self.payback_turns, move, saved)
        if self.horizon == "task":
            left = self.expected_task_steps - move.turn
            return left > 1 and self._pays_within(left, move, saved)
        waited = LAMBDA * self.read * (move.waited + move.chances * saved)
        return waited >= (self.write - self.read) * max(LAMBDA * move.moved, move.moved + move.lines)

    def _pays_within(self, requests: int, move: Move, saved: int) -> bool:
        cost = (self.write - self.read) * (move.moved + move.lines) - self.read * saved
        return self.read * saved * requests >= cost
