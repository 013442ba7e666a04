"""Locks: taken in this process, through a file among those of one machine, and in Valkey where there is one."""

import asyncio
import fcntl
import hashlib
import logging
import math
import os
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from .background import Background

POLL_SECONDS = 0.05
log = logging.getLogger("foldpoint.shared")


class Far(Protocol):
    """Where locks are taken that other machines see. Nothing raises."""

    async def take(self, name: str, token: str, seconds: float) -> bool | None:
        """Take the lock, unless another has it; None: there is nobody to ask."""

    async def renew(self, name: str, token: str, seconds: float) -> bool | None:
        """Keep it; False: another has it by now."""

    async def free(self, name: str, token: str) -> None:
        """Give it back, if it is still ours."""


class MachineLocks:
    """Locks among the tasks of this process and, with a file, the processes that have it open; they end with these.

    The file is locked at one byte for each name, so that no name leaves anything behind. POSIX locks belong to a
    process and end when it closes the file anywhere: one of these for each process and file.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: int | None = None
        self._held: set[str] = set()

    def take(self, name: str) -> bool:
        """Take the lock, unless another has it."""
        if name in self._held or not self._take_byte(name):
            return False
        self._held.add(name)
        return True

    def free(self, name: str) -> None:
        """Give it back."""
        self._held.discard(name)
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(name))

    def close(self) -> None:
        """Give all back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _take_byte(self, name: str) -> bool:
        if self._path is None:
            return True
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(name))
        except (BlockingIOError, PermissionError) as error:
            if self._file is None:
                self._cannot(error)
            return self._file is None
        except OSError as error:
            self._cannot(error)
        return True

    def _cannot(self, error: OSError) -> None:
        about = {"file": str(self._path), "error": str(error)}
        log.warning("a lock holds in this process alone: the file cannot be locked", extra=about)


class Lock:
    """One lock, for one `async with`; `held` says whether it is ours, then and later.

    It is renewed for as long as the block lasts. With a far place it is taken there too; while that is gone it holds on
    this machine, and a lock that could not be renewed in time is not held any more.
    """

    def __init__(self, near: MachineLocks, far: Far | None, name: str, seconds: float, wait: float) -> None:
        self._near = near
        self._far = far
        self._name = name
        self._seconds = seconds
        self._wait = wait
        self._token = uuid.uuid4().hex
        self._until = 0.0
        self._renewing = Background(self._renew)

    @property
    def held(self) -> bool:
        """Is it ours?"""
        return time.monotonic() < self._until

    async def __aenter__(self) -> Self:
        deadline = time.monotonic() + self._wait
        while not await self._take():
            left = deadline - time.monotonic()
            if left <= 0:
                return self
            await asyncio.sleep(min(POLL_SECONDS, left))
        if self._far is not None:
            await self._renewing.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if not self._until:
            return
        self._until = 0.0
        try:
            await self._renewing.close()
            if self._far is not None:
                await self._far.free(self._name, self._token)
        finally:
            self._near.free(self._name)

    async def _take(self) -> bool:
        if not self._near.take(self._name):
            return False
        begun = time.monotonic()
        answer: bool | None = False
        try:
            answer = await self._ask_far()
        finally:
            if answer is False:
                self._near.free(self._name)
        self._until = {True: begun + self._seconds, False: 0.0, None: math.inf}[answer]
        return answer is not False

    async def _ask_far(self) -> bool | None:
        return None if self._far is None else await self._far.take(self._name, self._token, self._seconds)

    async def _renew(self) -> None:
        """Renew it until another has it."""
        assert self._far is not None
        kept: bool | None = True
        while kept is not False:
            await asyncio.sleep(self._seconds / 3)
            begun = time.monotonic()
            kept = await self._far.renew(self._name, self._token, self._seconds)
            if kept is not None:
                self._until = begun + self._seconds if kept else begun


def _byte(name: str) -> int:
    """The place of a name in the file."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 2
