"""The requests of the corpus and of the recordings, as bytes, in the order in which a transcript sends them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .invariants import Body
from .reading import prefixes, read
from .steps import follows

ROUTES = {"/messages": "anthropic", "/chat/completions": "openai-chat", "/responses": "openai-responses"}


@dataclass(frozen=True)
class Source:
    """One transcript: `steps` are its requests, each going on where one before it ended."""

    name: str
    surface: str
    steps: tuple[bytes, ...]


def corpus(shared: Path) -> Iterator[Source]:
    """Every request of the corpus, as the requests that end with each of its turns."""
    for surface in ROUTES.values():
        for path in sorted((shared / "corpus" / "requests" / surface).iterdir()):
            data = path.read_bytes()
            body = gzip.decompress(data) if path.suffix == ".gz" else data
            steps = prefixes(body, surface) if read(body, surface).turns else [body]
            yield Source(path.name, surface, (*steps, *([] if steps[-1] == body else [body])))


def recordings(shared: Path) -> Iterator[Source]:
    """Every recorded conversation of the surfaces; requests of sub-agents are parted from their parents'."""
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        for surface in ROUTES.values():
            found = conversations(bodies(path, surface), surface)
            for number, steps in enumerate(found):
                yield Source(f"{path.parent.name}/{path.stem}#{number}", surface, tuple(steps))


def bodies(path: Path, surface: str) -> Iterator[bytes]:
    """The bodies that one session sent to the surface's path, in order."""
    for line in path.read_text("utf-8").splitlines():
        request = json.loads(line)
        route = next((name for end, name in ROUTES.items() if request["path"].partition("?")[0].endswith(end)), None)
        if route == surface and request["method"] == "POST" and isinstance(request["body"], dict):
            yield json.dumps(request["body"], ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            )


def conversations(found: Iterator[bytes], surface: str) -> list[list[bytes]]:
    """Part the bodies into conversations: each goes on where the last of its conversation ended."""
    parts: list[list[bytes]] = []
    lasts: list[Body] = []
    for data in found:
        body = Body(surface, data)
        at = next((at for at in reversed(range(len(lasts))) if follows(lasts[at], body)), len(lasts))
        if at == len(lasts):
            parts.append([])
            lasts.append(body)
        parts[at].append(data)
        lasts[at] = body
    return parts
