"""The bodies that are measured: those of ../shared/checks where they are, else bodies of our own of the same shape."""

import random
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec

SHARED = Path(__file__).resolve().parents[2] / "shared"
ABSENT = f"{SHARED} is not there"


def check(name: str) -> ModuleType | None:
    """A module of ../shared/checks, None where there is none."""
    folder = SHARED / "checks"
    if not (folder / f"{name}.py").is_file():
        return None
    sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(folder))


def loop(messages: int, size: int) -> bytes:
    """A tool loop of so many Anthropic messages and about so many bytes; results are lognormal, 3 % of them escapes."""
    found = check("body")
    make: Callable[..., bytes] = found.make if found else own
    return make(messages=messages, size=size)


def own(messages: int, size: int) -> bytes:
    """The same without ../shared."""
    rng = random.Random(f"{messages} {size}")
    count = messages // 2
    drawn = [rng.lognormvariate(0, 1.3) for _ in range(count)]
    listed: list[object] = [{"role": "user", "content": "Find out why the nightly import is slow, and make it fast."}]
    for number, share in enumerate(drawn):
        call = {
            "type": "tool_use",
            "id": f"toolu_{number:06d}",
            "name": "run",
            "input": {"command": f"make step-{number}"},
        }
        result = text(rng, int((size - 220 * messages) * share / sum(drawn)))
        listed.append(
            {
                "role": "assistant",
                "content": [{"type": "text", "text": f"Step {number}: the next part of the log."}, call],
            }
        )
        listed.append(
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"toolu_{number:06d}", "content": result}],
            }
        )
    return msgspec.json.encode(
        {"model": "claude-sonnet-5", "max_tokens": 8192, "system": "You maintain an importer.", "messages": listed}
    )


def text(rng: random.Random, size: int) -> str:
    """Words and lines, about a character in thirty one that JSON escapes."""
    words = (
        "batch cursor offset retry queue worker schema column index lock",
        'a "quoted" name',
        "é–",
        "path\\to\\file",
    )
    lines = []
    while size > 0:
        line = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 3)))
        lines.append(line)
        size -= len(line) + 2
    return "\n".join(lines)
