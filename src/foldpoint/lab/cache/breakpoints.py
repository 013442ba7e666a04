"""Caches that are written and read at breakpoints: Anthropic, Bedrock's Claude, OpenAI from GPT-5.6 on."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate

import msgspec

from foldpoint.core.usage import Usage

from .charge import Charge
from .entries import Entries
from .segment import Segment, Ttl, tokens

LIFETIMES: Mapping[Ttl, float] = {"5m": 300.0, "30m": 1800.0, "1h": 3600.0}
MOST = 4
"""Breakpoints of one request; of more the last ones count."""

Breakpoint = tuple[int, Ttl]
"""(place of the segment it stands on, lifetime)"""


class BreakpointRules(msgspec.Struct, frozen=True):
    """An entry exists only where an earlier request had a breakpoint, over a prefix of at least `minimum` tokens.

    Look-up: from each breakpoint, the last one first, back over `look_back` segments (itself the first of them; None =
    all) to the longest prefix that was written and is live. What stands behind the last breakpoint is plain input; what
    stands between the hit and the last breakpoint is written. `implicit` is a breakpoint on the newest segment that
    every request has. Prices are in units of the uncached input price.
    """

    minimum: int = 1024
    look_back: int | None = 20
    implicit: Ttl | None = None
    read: float = 0.1
    write: float = 1.25
    write_1h: float = 2.0

    def charge(self, segments: Sequence[Segment], entries: Entries, now: float) -> Charge:
        """Bill one request and remember what it wrote."""
        ends = [tokens(size) for size in accumulate(len(segment.content) for segment in segments)]
        marks = [mark for mark in self.breakpoints(segments) if ends[mark[0]] >= self.minimum]
        total = ends[-1] if ends else 0
        if not marks:
            return Charge(Usage(input=total))
        keys = chain(segments[: marks[-1][0] + 1])
        hit = self.found(marks, keys, entries, now)
        remember(marks, keys, hit, entries, now)
        read = 0 if hit is None else ends[hit]
        write = max(0, ends[marks[-1][0]] - read)
        hour = max([ends[place] for place, ttl in marks if ttl == "1h"], default=0)
        return Charge(Usage(total - read - write, read, write), write_1h=max(0, hour - read))

    def breakpoints(self, segments: Sequence[Segment]) -> list[Breakpoint]:
        """Where the request's breakpoints stand, first to last."""
        marks = [(place, segment.mark) for place, segment in enumerate(segments) if segment.mark]
        newest = len(segments) - 1
        if self.implicit and segments and (not marks or marks[-1][0] != newest):
            marks.append((newest, self.implicit))
        return marks[-MOST:]

    def found(self, marks: Sequence[Breakpoint], keys: Sequence[bytes], entries: Entries, now: float) -> int | None:
        """The last segment of the longest prefix that can be read."""
        for mark, _ in reversed(marks):
            least = -1 if self.look_back is None else max(-1, mark - self.look_back)
            for place in range(mark, least, -1):
                if entries.live(keys[place], now):
                    return place
        return None


def remember(marks: Sequence[Breakpoint], keys: Sequence[bytes], hit: int | None, entries: Entries, now: float) -> None:
    """Refresh what was read and write an entry at each breakpoint."""
    if hit is not None:
        entries.use(keys[hit], now)
    for place, ttl in marks:
        entries.write(keys[place], LIFETIMES[ttl], now)


def chain(segments: Iterable[Segment]) -> list[bytes]:
    """The hash of the prefix that ends with each segment: of all before it, its salt and its content."""
    keys = [b""]
    for segment in segments:
        framed = b"%b%d:%b" % (keys[-1], len(segment.salt), segment.salt)
        keys.append(blake2b(framed + segment.content, digest_size=16).digest())
    return keys[1:]
