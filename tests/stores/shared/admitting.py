"""Takes a place of a key and keeps it: `python admitting.py URL FOLDER WORKERS LEASE KEY`. To be killed."""

import asyncio
import sys
from pathlib import Path

from foldpoint.core.key import KeyLimits
from foldpoint.stores import open_store
from foldpoint.stores.shared import open_shared


async def main(url: str, folder: Path, workers: int, lease: float, key: str) -> None:
    shared = open_shared(url, folder, workers, open_store("sqlite:///records.db", folder), lease=lease)
    await shared.start()
    print(await shared.limiter.admit(key, KeyLimits(concurrent_requests=1), "kept"), flush=True)
    async with shared.lock(f"lock of {key}", lease) as lock:
        print(lock.held, flush=True)
        await asyncio.Event().wait()


asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]))
