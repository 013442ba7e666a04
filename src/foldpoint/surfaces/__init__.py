"""The provider formats, by name. A surface reads a body into spans and views, and writes what a fold adds."""

from collections.abc import Mapping

from ..core.errors import UnknownSurface
from ..core.ports import Surface
from .anthropic import Anthropic
from .bedrock import Bedrock
from .gemini import Gemini
from .openai_chat import OpenAIChat
from .openai_responses import OpenAIResponses

SURFACES: Mapping[str, Surface] = {
    surface.name: surface for surface in (OpenAIChat(), OpenAIResponses(), Anthropic(), Bedrock(), Gemini())
}


def surface_named(name: str) -> Surface:
    """The surface of that name. Raises UnknownSurface."""
    try:
        return SURFACES[name]
    except KeyError:
        raise UnknownSurface(name, SURFACES) from None
