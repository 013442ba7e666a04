"""The provider formats that the agent speaks: requests from rows, answers from events."""

from collections.abc import Mapping
from typing import Any

from foldpoint.agent.ports import Dialect
from foldpoint.core.errors import UnknownSurface

from .anthropic import Anthropic
from .anthropic_reading import AnthropicReading
from .openai_chat import OpenAIChat
from .openai_chat_reading import OpenAIChatReading
from .openai_responses import OpenAIResponses
from .openai_responses_reading import OpenAIResponsesReading
from .reading import Reading

SURFACES = ("anthropic", "openai-chat", "openai-responses")


def dialect_of(surface: str, model: str, extra: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect of a surface; `extra`: further members of its request bodies.

    Raises:
        UnknownSurface: there is no such dialect; FoldpointError where `extra` has what the agent writes itself.
    """
    match surface:
        case "anthropic":
            return Anthropic(model, extra)
        case "openai-chat":
            return OpenAIChat(model, extra)
        case "openai-responses":
            return OpenAIResponses(model, extra)
    raise UnknownSurface(surface, SURFACES)


def reading_of(surface: str) -> Reading:
    """What reads an answer of a surface. Raises UnknownSurface."""
    match surface:
        case "anthropic":
            return AnthropicReading()
        case "openai-chat":
            return OpenAIChatReading()
        case "openai-responses":
            return OpenAIResponsesReading()
    raise UnknownSurface(surface, SURFACES)
