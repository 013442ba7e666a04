"""Who writes a conversation has it alone, as long as the process lives."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from .base import StoreError


class FileLeases:
    """A locked file for each conversation in a folder, with the number of the process that has it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def __call__(self, conversation: str) -> Iterator[None]:
        """Hold the conversation. Raises StoreError where another process has it."""
        path = self._folder / f"{sha256(conversation.encode()).hexdigest()[:32]}.lock"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"{path}: cannot be locked: {error.strerror or error}") from None
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.pread(file, 20, 0).decode("ascii", "replace").strip()
                raise StoreError(taken(conversation, holder)) from None
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(file)


def taken(conversation: str, holder: str) -> str:
    """What is said to the second one."""
    who = f"process {holder}" if holder else "another process"
    return f"conversation {conversation} is run by {who} just now: wait for it, or end it"
