"""Records on a server that goes, with a spool that may not grow past 100,000 bytes: `python full_spool.py URL FOLDER`.

Says `open` and waits for a line, puts records and says `full` when the spool is and waits again, says what was logged.
"""

import asyncio
import logging
import resource
import sys
from pathlib import Path

from foldpoint.core.record import Record
from foldpoint.stores import Recorder, open_store, spool_of

LIMIT = 100_000


class Said(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


async def main(url: str, folder: Path, said: Said) -> None:
    store = open_store(url, folder)
    recorder = Recorder(store, spool_of(url, folder), flush_ms=10, retry_ms=20)
    await recorder.start()
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
    for number in range(2000):
        recorder.put(Record(id=f"{number:04}", time=float(number), tenant="t"))
        await asyncio.sleep(0.0005)
    while len(said.lines) < 2:  # noqa: ASYNC110 - a thread of the recorder makes it true
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    print("full", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    while recorder.failing:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)
    await recorder.close()
    store.close()
    print(*said.lines, sep="\n")


said = Said()
logging.getLogger("foldpoint").addHandler(said)
logging.getLogger("foldpoint").setLevel(logging.INFO)
asyncio.run(main(sys.argv[1], Path(sys.argv[2]), said))
