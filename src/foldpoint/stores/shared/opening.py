"""What processes share, opened from settings: in this process, in the data directory, or in a Valkey."""

from pathlib import Path

from foldpoint.stores.base import RecordStore
from foldpoint.stores.ring import Ring

from .line import PACE, Line, Pace
from .locks import MachineLocks
from .shared import Parts, Shared

LEASE_SECONDS = 30.0


def open_shared(
    url: str,
    data_dir: Path,
    workers: int,
    store: RecordStore,
    *,
    lease: float = LEASE_SECONDS,
    pace: Pace = PACE,
) -> Shared:
    """What is shared through the Valkey at `url`, or without one by `workers` processes of this machine.

    `store` is read for the ring where workers share it. `lease` is for how many seconds a request that was not renewed
    holds its place. Raises StoreError for an address that is none, and for a package that is missing.
    """
    locks = MachineLocks(data_dir / "locks" if workers > 1 else None)
    if url:
        from .in_valkey import valkey_parts

        return Shared(valkey_parts(url, locks, lease, pace))
    return Shared(_workers(data_dir, store, locks, lease, pace) if workers > 1 else _memory(locks))


def _memory(locks: MachineLocks) -> Parts:
    from .limiter import OwnLimiter

    limiter = OwnLimiter()
    return Parts(name="memory", limiter=limiter, newest=Ring(), locks=locks, work=[limiter])


def _workers(data_dir: Path, store: RecordStore, locks: MachineLocks, lease: float, pace: Pace) -> Parts:
    from .counters import Counters
    from .ledger import Ledger
    from .limiter import SharedLimiter
    from .store_ring import StoreRing

    path = data_dir / "limits.db"
    ledger = Ledger(path, lease)
    line = Line(
        str(path),
        ledger.ping,
        lost="limits hold for each worker alone: the file cannot be written (it may be deleted while nothing runs)",
        back="limits hold for all workers again",
        pace=pace,
    )
    limiter = SharedLimiter(line, Counters(ledger, ledger), lease)

    async def close() -> None:
        ledger.close()

    return Parts(
        name="workers",
        limiter=limiter,
        newest=StoreRing(store),
        locks=locks,
        work=[line, limiter],
        line=line,
        close=close,
    )
