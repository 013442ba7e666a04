"""Puts records without end, and says how many were put a whole flush ago: `python crashing.py FOLDER`. To be killed."""

import asyncio
import sys
from pathlib import Path

from foldpoint.core.record import Record
from foldpoint.stores import Recorder, Spool, SqliteDatabase, SqlStore


async def main(folder: Path) -> None:
    recorder = Recorder(SqlStore(SqliteDatabase(folder / "r.db")), Spool(folder / "spool"), flush_ms=20)
    await recorder.start()
    for n in range(1_000_000):
        recorder.put(Record(id=f"{n:06}", time=float(n), tenant="t", session="s"), b"{}")
        if n == 100:
            await recorder.flush()
            print(n + 1, flush=True)
        await asyncio.sleep(0.001)


asyncio.run(main(Path(sys.argv[1])))
