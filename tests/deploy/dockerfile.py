"""Reads a Dockerfile into stages of instructions."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"


class Stage(NamedTuple):
    """One stage: the image it begins with, its name ("" for none), and its instructions with their arguments."""

    base: str
    name: str
    instructions: list[tuple[str, str]]

    def argument(self, word: str) -> str:
        """The argument of the last instruction of that kind, "" where there is none."""
        return next((rest for kind, rest in reversed(self.instructions) if kind == word), "")

    def environment(self) -> list[tuple[str, str]]:
        """The variables that it sets, in their order."""
        return [tuple(pair.split("=", 1)) for pair in self._pairs("ENV")]  # type: ignore[misc]

    def labels(self) -> dict[str, str]:
        """The labels that it sets."""
        return dict(pair.split("=", 1) for pair in self._pairs("LABEL"))

    def command(self) -> list[str]:
        """What a container of it runs."""
        return [*json.loads(self.argument("ENTRYPOINT")), *json.loads(self.argument("CMD"))]

    def healthcheck(self) -> list[str]:
        """What asks whether a container is well."""
        command: list[str] = json.loads(self.argument("HEALTHCHECK").partition("CMD ")[2])
        return command

    def copied(self) -> list[str]:
        """What it copies from the checkout."""
        rows = [shlex.split(rest) for kind, rest in self.instructions if kind == "COPY" and "--from=" not in rest]
        return [source for *sources, _ in rows for source in sources]

    def _pairs(self, word: str) -> list[str]:
        return [pair for kind, rest in self.instructions if kind == word for pair in shlex.split(rest)]


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile, in their order."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found: list[Stage] = []
    for statement in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        word, _, rest = statement.strip().partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append(Stage(base, name, []))
        elif word:
            found[-1].instructions.append((word, rest.strip()))
    return found
