"""A spool whose file may not grow past 20,000 bytes: `python full_disk.py FOLDER` says what it took."""

import resource
import sys
from pathlib import Path

from foldpoint.core.record import Record
from foldpoint.stores import Kept, Spool


def batch(name: str, records: int) -> list[Kept]:
    return [Kept(Record(id=name, time=0.0))] * records


resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
spool = Spool(Path(sys.argv[1]) / "spool")
spool.append(batch("a", 1))
try:
    spool.append(batch("b", 1000))
except OSError as error:
    print(error.strerror)
spool.append(batch("c", 1))
taken: list[Kept] = []
spool.replay(taken.extend)
print(*(kept.record.id for kept in taken))
