"""A file of records that the store could not take: JSON lines, replayed in order when the store is back."""

import fcntl
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO

import msgspec

from foldpoint.core.record import Record

from .base import Kept

LIMIT_BYTES = 256 * 1024 * 1024
BATCH_LINES = 200


class Line(msgspec.Struct, frozen=True):
    """One line: the record (its id is its name) and its folded body, zlib in base64."""

    record: Record
    compressed: str | None = None


class Spool:
    """The file at `path`. Processes that share it take turns. Past `limit` bytes only records are kept, no bodies.

    Methods block and raise OSError when the disk fails.
    """

    def __init__(self, path: Path, limit: int = LIMIT_BYTES) -> None:
        self.path = path
        self._limit = limit

    def empty(self) -> bool:
        """Whether nothing waits."""
        return self.size() == 0

    def size(self) -> int:
        """Bytes that wait."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, batch: list[Kept]) -> None:
        """Add the batch at the end, all of it or nothing."""
        with self._open() as file:
            end = file.seek(0, os.SEEK_END)
            whole = end < self._limit
            begin = b"" if _ends_a_line(file) else b"\n"
            try:
                file.write(begin + b"".join(_line(kept, whole) for kept in batch))
                file.flush()
            except OSError:
                file.truncate(end)
                raise

    def replay(self, add: Callable[[list[Kept]], None]) -> int:
        """Hand over everything that waits, oldest first, and forget it; how many records they were.

        When `add` raises, everything still waits: a record may be handed over again, `add` knows it by its id.
        """
        if self.empty():
            return 0
        replayed = 0
        with self._open() as file:
            file.seek(0)
            records = _records(file)
            while batch := list(islice(records, BATCH_LINES)):
                add(batch)
                replayed += len(batch)
            file.truncate(0)
        return replayed

    def _open(self) -> IO[bytes]:
        """The file, locked against other processes until it is closed; only its owner may read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b", buffering=1 << 20)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


def _ends_a_line(file: IO[bytes]) -> bool:
    """Whether the file, which stands at its end, ends as a line does; a crash may have cut its last one short."""
    if not file.tell():
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _line(kept: Kept, whole: bool) -> bytes:
    kept_body = kept.messages if whole else None
    compressed = None if kept_body is None else b64encode(zlib.compress(kept_body, 1)).decode()
    return msgspec.json.encode(Line(kept.record, compressed)) + b"\n"


def _records(file: IO[bytes]) -> Iterator[Kept]:
    """The records of the file. A line cut short by a crash is passed over."""
    for line in file:
        try:
            read = msgspec.json.decode(line, type=Line)
            body = None if read.compressed is None else zlib.decompress(b64decode(read.compressed))
        except (ValueError, zlib.error):
            continue
        yield Kept(read.record, body)
