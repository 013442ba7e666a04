"""A small made-up repository that the tools of a coding session really read, search and edit."""

import re
from collections.abc import Iterable
from importlib.resources import files


class Project:
    """Files by path, in memory."""

    def __init__(self, name: str) -> None:
        self.files = dict(unpacked(text(name)))

    def listing(self) -> str:
        """Every file with its size, as `ls -lR` would give them."""
        return "\n".join(f"{len(words.encode()):7d}  {path}" for path, words in sorted(self.files.items()))

    def read(self, path: str, first: int = 1, last: int | None = None) -> str:
        """The file's lines with their numbers."""
        lines = self.files[path].splitlines()[first - 1 : last]
        return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, first))

    def grep(self, pattern: str, under: str = "") -> str:
        """`path:line: text` of every line that matches."""
        found = [
            f"{path}:{number}:{line}"
            for path, words in sorted(self.files.items())
            if path.startswith(under)
            for number, line in enumerate(words.splitlines(), 1)
            if re.search(pattern, line)
        ]
        return "\n".join(found) or "No matches found"

    def edit(self, path: str, old: str, new: str) -> str:
        """Replace the one place that reads like `old`; the answer shows its surroundings."""
        if self.files[path].count(old) != 1:
            raise ValueError(f"{path}: {self.files[path].count(old)} places read {old!r}, wanted one")
        before = self.files[path].index(old)
        self.files[path] = self.files[path].replace(old, new)
        line = self.files[path].count("\n", 0, before) + 1
        shown = self.read(path, max(1, line - 4), line + new.count("\n") + 4)
        return f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of it:\n{shown}"


def text(name: str) -> str:
    """A text that is shipped beside this file."""
    return files(__package__).joinpath("files", f"{name}.txt").read_text("utf-8")


def unpacked(bundle: str) -> Iterable[tuple[str, str]]:
    """(path, text) of each file of a bundle; a file begins behind a line `=== path`."""
    for part in re.split(r"^=== ", bundle, flags=re.MULTILINE)[1:]:
        path, _, words = part.partition("\n")
        yield path, words
