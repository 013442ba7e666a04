"""The requests of the corpus and of the recordings, as bytes, in the order in which a transcript sends them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from foldpoint.surfaces.paths import model_in

from .invariants import Body
from .reading import prefixes, read
from .steps import follows

ROUTES = {
    "/messages": "anthropic",
    "/messages/count_tokens": "anthropic",
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/converse": "bedrock",
    "/converse-stream": "bedrock",
    "/invoke": "anthropic",
    "/invoke-with-response-stream": "anthropic",
    ":generateContent": "gemini",
    ":streamGenerateContent": "gemini",
    ":countTokens": "gemini",
}
COUNTS = "/count_tokens"
FOLDERS = {
    "anthropic": "anthropic",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "bedrock": "bedrock-converse",
    "gemini": "gemini",
}


@dataclass(frozen=True)
class Source:
    """One transcript: `steps` are its requests, each going on where one before it ended."""

    name: str
    surface: str
    steps: tuple[bytes, ...]
    path: str = ""


def corpus(shared: Path) -> Iterator[Source]:
    """Every request of the corpus, as the requests that end with each of its turns."""
    for surface, folder in FOLDERS.items():
        for path in sorted((shared / "corpus" / "requests" / folder).iterdir()):
            data = path.read_bytes()
            body = gzip.decompress(data) if path.suffix == ".gz" else data
            steps = prefixes(body, surface) if read(body, surface).turns else [body]
            yield Source(path.name, surface, (*steps, *([] if steps[-1] == body else [body])))


def recordings(shared: Path) -> Iterator[Source]:
    """Every recorded conversation; requests of sub-agents are parted from their parents'."""
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        for surface in FOLDERS:
            parted = sent(path, surface).items()
            found = [(target, steps) for target, given in parted for steps in conversations(iter(given), surface)]
            for number, (target, steps) in enumerate(found):
                yield Source(f"{path.parent.name}/{path.stem}#{number}", surface, tuple(steps), target)


def sent(path: Path, surface: str) -> dict[str, list[bytes]]:
    """The bodies of one session by where they were sent to: a path of a count, or with a model in it, stands alone."""
    found: dict[str, list[bytes]] = {}
    for target, body in bodies(path, surface):
        apart = model_in(target) or target.endswith(COUNTS)
        found.setdefault(target if apart else "", []).append(body)
    return found


def bodies(path: Path, surface: str) -> Iterator[tuple[str, bytes]]:
    """(path, body) of what one session sent to a path of the surface, in order."""
    for line in path.read_text("utf-8").splitlines():
        request = json.loads(line)
        route = next((name for end, name in ROUTES.items() if request["path"].partition("?")[0].endswith(end)), None)
        if route == surface and request["method"] == "POST" and isinstance(request["body"], dict):
            body = json.dumps(request["body"], ensure_ascii=False, separators=(",", ":"))
            yield request["path"].partition("?")[0], body.encode("utf-8", "surrogatepass")


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
