"""A folder that has no room until it is given some: a file system of its own, or a limit where none can be mounted."""

import contextlib
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

MEGABYTES = 64


class SmallDisk:
    """The disk of one process's files."""

    def __init__(self, folder: Path, mounted: bool) -> None:
        self.folder = folder
        self._mounted = mounted
        self._ballast = folder / "ballast"

    def fill(self, pid: int) -> None:
        """Leave the process no room for a byte."""
        if not self._mounted:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        with contextlib.suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def room(self, pid: int) -> None:
        """The end of that."""
        if not self._mounted:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        else:
            self._ballast.unlink()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Such a folder."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield SmallDisk(folder, mounted)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
