"""The guides as the tests follow them: a fence marked with a path is a file, one marked `run` (or `run-…`) is run."""

import re
from pathlib import Path

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
FENCE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:4600"


def follow(guide: str, run: str, home: Path, project: Path, address: str) -> str:
    """Write the files that a guide shows, with the gateway's address in place of the usual one.

    What stands in its fences marked `run` comes back.
    """
    commands = []
    for path, text in FENCE.findall((GUIDES / f"{guide}.md").read_text()):
        text = text.replace(ADDRESS, address)
        if path.startswith("run"):
            commands += [text] * (path == run)
            continue
        file = home / path[2:] if path.startswith("~/") else project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return "".join(commands)
