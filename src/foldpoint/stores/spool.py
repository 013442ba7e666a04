"""A file of records that the store could not take: JSON lines, replayed in order when the store is back."""

import fcntl
import math
import os
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec

from foldpoint.core.record import Record

from .base import Kept, Original

LIMIT_BYTES = 256 * 1024 * 1024
BATCH_LINES, BATCH_BYTES = 500, 8 * 1024 * 1024
"""What is handed over at once."""
MARK = b'{"next":%-16d}'
MARKED = re.compile(rb'\{"next":(\d+) *\}')
"""What is written over the beginning of the file, which was taken, when more than that was: where the next line is."""


ORIGINALS = msgspec.json.Encoder()
ORIGINALS_READ = msgspec.json.Decoder(tuple[Original, ...])


class Line(msgspec.Struct, frozen=True):
    """One line: the record (its id is its name), its folded body and the originals as JSON, zlib in base64."""

    record: Record
    compressed: str | None = None
    originals: str | None = None
    listed: bool = True


class Spool:
    """The file at `path`. Past `limit` bytes only records are kept, no bodies and no originals. Methods block and
    raise OSError when the disk fails.

    Processes that share it take turns: while one hands over a batch the others wait.
    """

    def __init__(self, path: Path, limit: int = LIMIT_BYTES) -> None:
        self.path = path
        self._limit = limit

    def size(self) -> int:
        """Bytes of the file; 0 where nothing waits."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def empty(self) -> bool:
        """Whether nothing waits."""
        return self.size() == 0

    def append(self, batch: list[Kept]) -> None:
        """Add the batch at the end, all of it or nothing."""
        with self._open() as file:
            end = file.seek(0, os.SEEK_END)
            whole = end < self._limit
            begin = b"" if _ends_a_line(file) else b"\n"
            try:
                _write(file, begin + b"".join(_line(kept, whole) for kept in batch), end)
            except OSError:
                os.ftruncate(file.fileno(), end)
                raise

    def replay(self, add: Callable[[list[Kept]], None], most: float = math.inf) -> int:
        """Hand over what waits, oldest first, until nothing does or `most` records went; how many they were.

        What was handed over is forgotten, batch by batch. When `add` raises, the batch still waits; it may have been
        taken all the same, and after a crash it is handed over again: `add` knows a record by its id.
        """
        replayed = 0
        while replayed < most and not self.empty():
            replayed += self._hand_over(add)
        return replayed

    def _hand_over(self, add: Callable[[list[Kept]], None]) -> int:
        with self._open() as file:
            file.seek(_next(file))
            batch = _batch(file)
            if batch:
                add(batch)
            begin = file.tell()
            if begin == file.seek(0, os.SEEK_END):
                os.ftruncate(file.fileno(), 0)
            else:
                _write(file, MARK % begin, 0)
        return len(batch)

    def _open(self) -> IO[bytes]:
        """The file, locked against other processes until it is closed; only its owner may read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "rb", buffering=1 << 20)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


def _write(file: IO[bytes], data: bytes, at: int) -> None:
    """Write all of it there, past the file's buffer: what a full disk did not take must not be tried again later."""
    left = memoryview(data)
    while left:
        written = os.pwrite(file.fileno(), left, at)
        left, at = left[written:], at + written


def _ends_a_line(file: IO[bytes]) -> bool:
    """Whether the file, which stands at its end, ends as a line does; a crash may have cut its last one short."""
    if not file.tell():
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _line(kept: Kept, whole: bool) -> bytes:
    kept_body = kept.messages if whole else None
    compressed = None if kept_body is None else _packed(kept_body)
    originals = _packed(ORIGINALS.encode(kept.originals)) if kept.originals and whole else None
    return msgspec.json.encode(Line(kept.record, compressed, originals, kept.listed)) + b"\n"


def _packed(data: bytes) -> str:
    return b64encode(zlib.compress(data, 1)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(b64decode(text))


def _next(file: IO[bytes]) -> int:
    """Where the first line is that was not taken."""
    marked = MARKED.match(file.read(len(MARK % 0)))
    return int(marked[1]) if marked else 0


def _batch(file: IO[bytes]) -> list[Kept]:
    """The next records of the file. A line cut short by a crash is passed over."""
    batch: list[Kept] = []
    size = 0
    while len(batch) < BATCH_LINES and size < BATCH_BYTES and (line := file.readline()):
        size += len(line)
        try:
            read = msgspec.json.decode(line, type=Line)
            body = None if read.compressed is None else _unpacked(read.compressed)
            originals = () if read.originals is None else ORIGINALS_READ.decode(_unpacked(read.originals))
        except (ValueError, zlib.error):
            continue
        batch.append(Kept(read.record, body, originals, read.listed))
    return batch
