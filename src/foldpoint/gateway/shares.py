"""How many connections each of several processes has open: a table in memory that they share, one place each."""

import mmap
import os
import tempfile

ABSENT = -1
"""Stands in the place of a process that takes no connections."""
WIDTH = 4


def table_file(places: int) -> int:
    """The descriptor of a file that holds such a table, in memory where the system can, everyone absent."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("foldpoint-shares")
    else:
        file, path = tempfile.mkstemp()
        os.unlink(path)
    os.write(file, b"\xff" * WIDTH * places)
    return file


class Shares:
    """The table in the file, seen from one place."""

    def __init__(self, file: int, place: int) -> None:
        size = os.fstat(file).st_size
        self._table = memoryview(mmap.mmap(file, size)).cast("i")
        self._others = [other for other in range(size // WIDTH) if other != place]
        self._place = place

    def say(self, count: int) -> None:
        """So many are open here."""
        self._table[self._place] = count

    def most(self) -> bool:
        """Whether another who takes connections has fewer."""
        mine = self._table[self._place]
        return any(ABSENT < self._table[other] < mine for other in self._others)
