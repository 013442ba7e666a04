"""Rent or buy: does a fold pay for what it rewrites?"""

from typing import Literal

import msgspec

LAMBDA = 3
"""Guards the case of lines nearly as long as what they replace."""


class Gate(msgspec.Struct, frozen=True):
    """The terms of the gate.

    read, write: price of a cached and of a written token, in one unit, as integers; edge: tokens of the message list
    over which a fold is made unasked (the model's window, or a price band), window: of the window alone; None where
    there is none.
    """

    read: int
    write: int
    horizon: Literal["task", "adaptive"] = "task"
    expected_task_steps: int = 12
    payback_turns: int | None = None
    edge: int | None = None
    window: int | None = None

    @property
    def waits(self) -> bool:
        """Does it count what holding has cost?"""
        return self.horizon == "adaptive" and self.payback_turns is None

    def folds(self, turn: int, full: int, lines: int, moved: int, waited: int, chances: int) -> bool:
        """Is a move of the fold point worth it? Integers only, so that every machine agrees.

        Args:
            turn: the live turn.
            full: bytes of what would be sealed, as it is.
            lines: bytes of the new block and of what it carries.
            moved: bytes that the previous request sent behind the place of the new block.
            waited: what holding has cost since the fold last moved, in bytes.
            chances: requests until the fold may move next.
        """
        saved = full - lines
        if saved <= 0:
            return False
        if self.payback_turns is not None:
            return self._pays_within(self.payback_turns, saved, lines + moved)
        if self.horizon == "task":
            left = self.expected_task_steps - turn
            return left > 1 and self._pays_within(left, saved, lines + moved)
        held = LAMBDA * self.read * (waited + chances * saved)
        return held >= (self.write - self.read) * max(LAMBDA * moved, moved + lines)

    def _pays_within(self, requests: int, saved: int, rewritten: int) -> bool:
        return self.read * saved * (requests + 1) >= (self.write - self.read) * rewritten
