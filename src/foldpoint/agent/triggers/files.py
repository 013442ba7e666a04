"""A directory as a queue: a file that is moved into it is a trigger, one that was worked on is moved on."""

import asyncio
import fcntl
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec

from foldpoint.core.errors import FoldpointError

IGNORED = (".tmp", ".part", ".swp", "~")
"""Endings of files that are being written."""
MOST_BYTES = 1024 * 1024
DONE, FAILED = "done", "failed"


class QueueError(FoldpointError):
    """The directory can't be a queue."""


class FileTrigger(msgspec.Struct, frozen=True):
    """A file of the queue. Its id is its name and a digest of its content and time: a file put there anew is new."""

    id: str
    text: str
    path: Path

    async def done(self) -> None:
        """Move it to `done/`. Raises OSError."""
        await asyncio.to_thread(_moved, self.path, DONE)

    async def failed(self, reason: str) -> None:
        """Move it to `failed/`, the reason beside it. Raises OSError."""
        await asyncio.to_thread(_refused, self.path, reason)


class FileQueue:
    """The files of a directory in the order of their names. Made with its parents where it is not there.

    Names that begin with a dot or end as `IGNORED` are left alone: write under one, then rename. Raises QueueError
    when it is made and can't be written, and when it is iterated over while another process does that.
    """

    def __init__(self, directory: Path, poll_seconds: float = 0.5, say: Callable[[str], None] = print) -> None:
        self.directory = directory
        self._poll = poll_seconds
        self._say = say
        self._woken = asyncio.Event()
        self._given: set[str] = set()
        self._claimed = False
        try:
            for place in (directory, directory / DONE, directory / FAILED):
                place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise QueueError(f"{directory} can't be a queue of triggers: {error.strerror}") from error

    def wake(self) -> None:
        """Look at once."""
        self._woken.set()

    def waiting(self) -> list[str]:
        """The names of the files that wait, in order."""
        with os.scandir(self.directory) as entries:
            return sorted(entry.name for entry in entries if _counts(entry.name) and not entry.is_dir())

    def known(self, ending: str) -> bool:
        """Whether a file whose name ends so waits, was worked on, or failed."""
        places = (self.directory, self.directory / DONE, self.directory / FAILED)
        return any(name.endswith(ending) for place in places for name in os.listdir(place))

    async def __aiter__(self) -> AsyncIterator[FileTrigger]:
        with self._claim():
            async for trigger in self._each():
                yield trigger

    async def _each(self) -> AsyncIterator[FileTrigger]:
        while True:
            self._woken.clear()
            found = await self._next()
            if found:
                yield found
                continue
            try:
                await asyncio.wait_for(self._woken.wait(), self._poll)
            except TimeoutError:
                continue

    @contextmanager
    def _claim(self) -> Iterator[None]:
        """Hold the queue against other processes; who iterates over it a second time has it already."""
        if self._claimed:
            yield
            return
        with open(self.directory / ".lock", "wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise QueueError(f"another process works on the triggers of {self.directory}") from None
            self._claimed = True
            try:
                yield
            finally:
                self._claimed = False

    async def _next(self) -> FileTrigger | None:
        """The first that was not given yet; those that can't be read go to `failed/` on the way."""
        for name in await asyncio.to_thread(self.waiting):
            path = self.directory / name
            try:
                found = await asyncio.to_thread(_read, path)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                await self._fail(path, str(error))
                continue
            if found.id not in self._given:
                self._given.add(found.id)
                return found
        return None

    async def _fail(self, path: Path, reason: str) -> None:
        try:
            await asyncio.to_thread(_refused, path, reason)
        except OSError as error:
            reason = f"{reason}; it could not be moved to {FAILED}/: {error}"
        key = f"{path.name} {reason}"
        if key not in self._given:
            self._given.add(key)
            self._say(f"{path}: {reason}")


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(IGNORED)


def _read(path: Path) -> FileTrigger:
    """Raises OSError, or ValueError for a file that is no trigger."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("it is no regular file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is longer than {MOST_BYTES} bytes")
    try:
        text = data.decode().replace("\0", "�").strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: {error.reason} at byte {error.start}") from None
    if not text:
        raise ValueError("it is empty")
    digest = sha256(data + about.st_mtime_ns.to_bytes(16, "big", signed=True)).hexdigest()
    return FileTrigger(f"{path.name}:{digest[:16]}", text, path)


def _moved(path: Path, folder: str) -> Path:
    """Move it there under its name, or under one with a number where that is taken."""
    aim = path.parent / folder / path.name
    number = 1
    while aim.exists():
        number += 1
        aim = path.parent / folder / f"{path.stem}.{number}{path.suffix}"
    try:
        os.rename(path, aim)
    except FileNotFoundError:
        return aim
    return aim


def _refused(path: Path, reason: str) -> None:
    aim = _moved(path, FAILED)
    aim.with_name(f"{aim.name}.reason").write_text(f"{reason}\n", encoding="utf-8", errors="replace")
