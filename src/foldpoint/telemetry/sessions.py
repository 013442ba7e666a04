"""Counts the sessions that are at work."""

import threading
import time
from collections.abc import Callable

SECONDS = 300.0
MOST = 100_000


class Sessions:
    """Sessions with a request in the last `seconds` seconds, at most `most` of them. Threads may share it."""

    def __init__(self, seconds: float = SECONDS, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._last: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def saw(self, tenant: str, session: str) -> None:
        """A request of the session ended."""
        if not session:
            return
        with self._lock:
            self._last.pop((tenant, session), None)
            self._last[tenant, session] = self._clock()
            if len(self._last) > self._most:
                del self._last[next(iter(self._last))]

    def count(self) -> int:
        """How many there are now."""
        oldest = self._clock() - self._seconds
        with self._lock:
            while self._last and self._last[first := next(iter(self._last))] < oldest:
                del self._last[first]
            return len(self._last)
