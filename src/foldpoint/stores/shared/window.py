"""How much of a minute's limit is used up, by a window that slides."""

import msgspec

MINUTE = 60
SOON = 0.001


class Window(msgspec.Struct, frozen=True):
    """What was counted in the minute before this one and in this one.

    `previous_left` is for how many seconds the former still lies inside the last 60, so that it counts by that share;
    the present one ends in `current_left` - 60 seconds. As `limits` tells of its sliding window counters.
    """

    previous: int
    previous_left: float
    current: int
    current_left: float

    @property
    def used(self) -> float:
        """What was counted in the last 60 seconds, were the former minute's evenly spread."""
        return self.previous * self.previous_left / MINUTE + self.current

    def wait(self, limit: int) -> float:
        """The seconds until less than the limit is used; 0 where it is already."""
        if self.used < limit:
            return 0.0
        if limit <= 0:
            return float(MINUTE)
        if self.current < limit:
            return self.previous_left - MINUTE * (limit - self.current) / self.previous + SOON
        turn = max(self.current_left - MINUTE, 0.0)
        return turn + MINUTE - MINUTE * limit / self.current + SOON
