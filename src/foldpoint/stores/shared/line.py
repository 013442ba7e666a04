"""The line to something shared that may be gone: who asks gets an answer, or hears at once that there is none."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from foldpoint.core.errors import FoldpointError

from .background import Background, set_within

T = TypeVar("T")
START_SECONDS = 1.0
log = logging.getLogger("foldpoint.shared")


class Gone(FoldpointError):
    """Nobody is at the other end, or what came back was a fault."""


class Pace(msgspec.Struct, frozen=True):
    """Seconds: for how long nobody asks after a fault, and how often it is looked whether the other end still lives."""

    pause: float = 1.0
    look: float = 5.0


PACE = Pace()


class Line:
    """Nobody asks while the other end is gone: it is looked for in the background, by `ping`.

    `place` is how the log names it, `lost` and `back` are what the log says, once each; `told` makes the text of a
    fault. A fault is not said when the other end is there again at once: an idle connection was closed, or this process
    was too busy to read the answer in time; one that comes again within a pause is.
    """

    def __init__(
        self,
        place: str,
        ping: Callable[[], Awaitable[object]],
        *,
        lost: str,
        back: str,
        told: Callable[[Exception], str] = str,
        pace: Pace = PACE,
    ) -> None:
        self.up = False
        self.failing = False
        self._place = place
        self._ping = ping
        self._texts = (lost, back)
        self._told = told
        self._pace = pace
        self._fault: Exception | None = None
        self._doubted = asyncio.Event()
        self._returns: list[Callable[[], None]] = []
        self._back_at = -pace.pause
        self._watching = Background(self._watch)

    def on_return(self, call: Callable[[], None]) -> None:
        """Call it each time the other end is there (again)."""
        self._returns.append(call)

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """What the call gives. Raises Gone, at once where the other end is known to be gone."""
        if not self.up:
            raise Gone(f"{self._place} is gone")
        try:
            return await call()
        except Exception as error:
            self._lose(error)
            raise Gone(f"{self._place}: {self._told(error)}") from error

    def doubt(self) -> None:
        """Have it looked whether the other end is still there."""
        self._doubted.set()

    async def start(self) -> None:
        """Look for the other end, for a second at most, and go on looking."""
        fault = await self._look(START_SECONDS)
        if fault is None:
            self._return()
        else:
            self._say(fault)
        await self._watching.start()

    async def close(self) -> None:
        """Nobody can ask any more."""
        self.up = False
        await self._watching.close()

    def _lose(self, error: Exception) -> None:
        if self.up:
            self.up = False
            self._fault = error
            self.doubt()

    async def _watch(self) -> None:
        while True:
            await set_within(self._doubted, self._pace.look if self.up else self._pace.pause)
            lost, self._fault = self._fault, None
            if lost is not None and self._just_back():
                self._say(lost)
                await asyncio.sleep(self._pace.pause)
            fault = await self._look(START_SECONDS)
            if fault is None:
                self._return()
            else:
                self.up = False
                self._say(fault)

    async def _look(self, seconds: float) -> Exception | None:
        """What is wrong with the other end."""
        try:
            async with asyncio.timeout(seconds):
                await self._ping()
        except TimeoutError:
            return TimeoutError(f"no answer in {seconds:g} s")
        except Exception as error:  # noqa: BLE001  whatever it is, nobody can be asked
            return error
        return None

    def _just_back(self) -> bool:
        return time.monotonic() - self._back_at < self._pace.pause

    def _say(self, fault: Exception) -> None:
        if not self.failing:
            self.failing = True
            error = self._told(fault) or type(fault).__name__
            log.error(self._texts[0], extra={"place": self._place, "error": error})

    def _return(self) -> None:
        if self.up:
            return
        self.up = True
        self._back_at = time.monotonic()
        if self.failing:
            self.failing = False
            log.info(self._texts[1], extra={"place": self._place})
        for call in self._returns:
            call()
