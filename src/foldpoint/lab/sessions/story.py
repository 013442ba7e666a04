"""What a session is made of: the task, and step by step what the agent says, calls and gets back."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Surface = Literal["anthropic", "openai-chat"]


class Call(msgspec.Struct, frozen=True):
    """A tool call and its result."""

    name: str
    arguments: Mapping[str, object]
    result: str
    failed: bool = False


class Step(msgspec.Struct, frozen=True):
    """One turn: a sentence, one or more calls, and what the person adds beside the results (mostly nothing)."""

    says: str
    calls: tuple[Call, ...]
    note: str = ""


class Tool(msgspec.Struct, frozen=True):
    """A tool's declaration; each argument is a string with a description."""

    name: str
    about: str
    arguments: Mapping[str, str]


class Story(msgspec.Struct, frozen=True):
    """A whole session."""

    name: str
    about: str
    surface: Surface
    model: str
    system: str
    tools: tuple[Tool, ...]
    task: str
    steps: tuple[Step, ...]
