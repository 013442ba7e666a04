"""The sessions to replay: the shipped ones, or the request bodies at some paths."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import typer

from foldpoint.core.errors import Unreadable
from foldpoint.lab import sessions
from foldpoint.lab.detect import surface_of
from foldpoint.lab.steps import caching, cuts, steps
from foldpoint.surfaces import SURFACES, surface_named

ENDINGS = (".json", ".json.gz")
USUAL_MODELS = {"bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "gemini": "gemini-2.5-pro"}
"""The model that is asked where a format names it in the path alone."""


class Recording(msgspec.Struct, frozen=True):
    """A session: `bodies()` gives its requests anew, `steps` of them. `marked`: caching was turned on in some."""

    name: str
    about: str
    surface: str
    model: str
    steps: int
    bodies: Callable[[], Iterator[bytes]]
    marked: bool = False


class Skipped(msgspec.Struct, frozen=True):
    """A file that is not replayed, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"skipped {self.name}: {self.reason}"


def shipped() -> list[Recording]:
    """The sessions made for the purpose."""
    return [told(story) for story in sessions.shipped()]


def told(story: sessions.Story) -> Recording:
    """Make a recording of a story."""
    count = len(story.steps) + 1
    return Recording(story.name, story.about, story.surface, story.model, count, lambda: sessions.bodies(story))


def recorded(paths: Sequence[Path]) -> tuple[list[Recording], list[Skipped]]:
    """The request bodies in files and folders, and what in them is none. A path that is not there is wrong use."""
    found: list[Recording] = []
    skipped: list[Skipped] = []
    for path in files(paths):
        try:
            found.append(recording(path))
        except Unreadable as error:
            skipped.append(Skipped(path.name, str(error)))
        except (OSError, EOFError, zlib.error) as error:
            skipped.append(Skipped(path.name, f"cannot be read: {error}"))
    return found, skipped


def files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files themselves, and every JSON file inside the folders, by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith(ENDINGS))
        elif path.is_file():
            yield path
        else:
            raise typer.BadParameter(f"there is no file or folder {path}", param_hint="--logs")


def recording(path: Path) -> Recording:
    """The session of a file that holds one request body. Raises Unreadable, OSError."""
    data = path.read_bytes()
    body = gzip.decompress(data) if path.suffix == ".gz" else data
    surface = surface_of(body)
    if surface not in SURFACES:
        raise Unreadable(f"{surface} bodies are not folded in this version (there are: {', '.join(SURFACES)})")
    count = len(cuts(body, surface))
    marked = any(caching(step, surface) is not step for step in steps(body, surface))
    name = path.name.removesuffix(".gz").removesuffix(".json")

    def bodies() -> Iterator[bytes]:
        return (caching(step, surface) for step in steps(body, surface))

    model = surface_named(surface).read(body).model or USUAL_MODELS.get(surface, "")
    return Recording(name, "", surface, model, count, bodies, marked)
