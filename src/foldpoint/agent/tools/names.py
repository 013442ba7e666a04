"""Names of tools, as all providers take them."""

import re
from collections.abc import Iterable
from hashlib import sha256

from foldpoint.agent.ports import Tool
from foldpoint.core.errors import FoldpointError

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What Anthropic and OpenAI take; Gemini and Bedrock too."""


class ToolError(FoldpointError):
    """A tool can't be had as the settings want it."""


def given_name(name: str) -> str:
    """The name in the characters and the length that all providers take; one that is too long ends in its digest."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    return plain if len(plain) <= 64 else f"{plain[:55]}_{sha256(name.encode()).hexdigest()[:8]}"


def check_names(tools: Iterable[Tool]) -> None:
    """Raise ToolError where a name is not one that providers take, or two tools have it."""
    seen = set()
    for name in (tool.spec.name for tool in tools):
        if not NAME.fullmatch(name):
            raise ToolError(f"a tool is called {name!r}: its name must be 1 to 64 letters, digits, _ and -")
        if name in seen:
            raise ToolError(f"two tools are called {name!r}: rename one in [tools]")
        seen.add(name)
