"""Rent or buy: does a fold pay for what it rewrites?"""

from collections.abc import Callable
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

    def terms(self) -> "Decides":
        """Is a move of the fold point worth it? As a function of what differs from turn to turn.

        Integers only, so that every machine agrees. The function takes

            turn: the live turn;
            saved: bytes of what would be sealed, less `lines`;
            lines: bytes of the new block and of what it carries;
            moved: bytes that the previous request sent behind the place of the new block;
            waited: what holding has cost since the fold last moved, in bytes;
            chances: requests until the fold may move next.
        """
        read, premium = self.read, self.write - self.read
        thrice, far = LAMBDA * read, LAMBDA * premium

        def adaptive(turn: int, saved: int, lines: int, moved: int, waited: int, chances: int) -> bool:
            held = thrice * (waited + chances * saved)
            return saved > 0 and held >= far * moved and held >= premium * (moved + lines)

        def within(turn: int, saved: int, lines: int, moved: int, waited: int, chances: int) -> bool:
            left = self.expected_task_steps - turn if self.payback_turns is None else self.payback_turns
            priced = left > 1 or self.payback_turns is not None
            return priced and saved > 0 and read * saved * (left + 1) >= premium * (lines + moved)

        return adaptive if self.waits else within


Decides = Callable[[int, int, int, int, int, int], bool]
