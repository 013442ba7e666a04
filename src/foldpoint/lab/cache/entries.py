"""The prefixes a cache holds, by hash, at most so many."""

from collections import OrderedDict

import msgspec

BRANCHES = 4
"""How many continuations of one prefix are remembered."""


class Entry(msgspec.Struct, gc=False):
    """Live until `expires`; each use moves that `ttl` seconds on. `after`: bytes that came next, newest first."""

    expires: float
    ttl: float
    after: tuple[bytes, ...] = ()


class Entries:
    """Prefixes written; over `limit` the one not used for longest goes first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kept: OrderedDict[bytes, Entry] = OrderedDict()

    def live(self, key: bytes, now: float) -> Entry | None:
        """The entry, where there is one that has not expired."""
        entry = self.kept.get(key)
        return entry if entry is not None and now < entry.expires else None

    def use(self, key: bytes, now: float) -> None:
        """Refresh a live entry, free of charge."""
        entry = self.kept[key]
        entry.expires = max(entry.expires, now + entry.ttl)
        self.kept.move_to_end(key)

    def write(self, key: bytes, ttl: float, now: float, after: bytes = b"") -> None:
        """Write an entry or refresh it; of two lifetimes the longer one that is still running holds."""
        entry = self.live(key, now)
        if entry is None:
            self.kept[key] = Entry(now + ttl, ttl, (after,) if after else ())
        else:
            entry.expires = max(entry.expires, now + ttl)
            entry.ttl = max(entry.ttl, ttl)
            if after and after not in entry.after:
                entry.after = (after, *entry.after)[:BRANCHES]
        self.kept.move_to_end(key)
        if len(self.kept) > self.limit:
            self.kept.popitem(last=False)
