"""How long a client may keep us waiting: one timer a connection that looks on now and then, not one a read."""

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

LOOKS = 4
"""How often it is looked at a client within the time that it has: it gets up to a quarter more."""


class Owed(Enum):
    """What a client has to do next: send a request's head, send its body, take an answer."""

    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"


class Debt(NamedTuple):
    """What a client owes, and how far it has come with it: a number that changes with every byte of its doing."""

    owed: Owed
    done: int


class Patience:
    """Tells `over` what a client owes once it did nothing about it for `seconds` (0: never); `end` it in any case.

    `debt` says what that is and how far the client has come with it, None: nothing, such as while we or the provider
    are at work.
    """

    __slots__ = ("_debt", "_every", "_last", "_loop", "_over", "_seconds", "_since", "_timer")

    def __init__(self, seconds: float, debt: Callable[[], Debt | None], over: Callable[[Owed], None]) -> None:
        self._seconds = seconds
        self._debt = debt
        self._over = over
        self._loop = asyncio.get_running_loop()
        self._last = debt()
        self._since = self._loop.time()
        self._timer = self._loop.call_later(seconds / LOOKS, self._look) if seconds else None

    def end(self) -> None:
        """The connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        debt, now = self._debt(), self._loop.time()
        self._timer = self._loop.call_later(self._seconds / LOOKS, self._look)
        if debt is None or debt != self._last:
            self._last, self._since = debt, now
        elif now - self._since >= self._seconds:
            self._last = None
            self._over(debt.owed)
