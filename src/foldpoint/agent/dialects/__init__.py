"""The provider formats that the agent speaks: requests from rows, answers from events."""

from collections.abc import Mapping
from typing import Any

from foldpoint.agent.ports import Dialect
from foldpoint.core.errors import UnknownSurface

from .anthropic import Anthropic
from .anthropic_reading import AnthropicReading
from .reading import Reading

SURFACES = ("anthropic",)


def dialect_of(surface: str, model: str, extra: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect of a surface; `extra`: further members of its request bodies.

    Raises:
        UnknownSurface: no such dialect; FoldpointError where `extra` has what the agent writes itself.
    """
    made = {"anthropic": Anthropic}
    if surface not in made:
        raise UnknownSurface(surface, SURFACES)
    return made[surface](model, extra)


def reading_of(surface: str) -> Reading:
    """What reads the answers of a surface."""
    return {"anthropic": AnthropicReading}[surface]()
