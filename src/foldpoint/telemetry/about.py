"""What OpenTelemetry's conventions call a request: its operation, its provider, and how it failed."""

from functools import lru_cache
from urllib.parse import urlsplit

from . import names
from .labels import outcome_of
from .observed import Observed

PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "gemini": "gcp.gemini", "bedrock": "aws.bedrock"}
VERTEX, VERTEX_HOST = "gcp.vertex_ai", "aiplatform.googleapis.com"
PORTS = {"http": 80, "https": 443}
Value = str | bool | int | float


def about(one: Observed, model: str) -> dict[str, Value]:
    """The attributes that spans and metrics share; `model` is what is said of the model."""
    host, port = server_of(one.address)
    said: dict[str, Value] = {
        names.OPERATION.name: operation_of(one),
        names.PROVIDER.name: provider_of(one),
        names.REQUEST_MODEL.name: model,
        names.ADDRESS.name: host,
        names.PORT.name: port,
        names.ERROR.name: error_of(one.record.status),
    }
    return {name: value for name, value in said.items() if value not in ("", 0)}


def operation_of(one: Observed) -> str:
    """`generate_content` for Gemini's format, else `chat`."""
    return "generate_content" if one.record.surface == "gemini" else "chat"


def provider_of(one: Observed) -> str:
    """Who answers: by the upstream, or by the surface where that is not known."""
    host = server_of(one.address)[0]
    if host == VERTEX_HOST or host.endswith((f".{VERTEX_HOST}", f"-{VERTEX_HOST}")):
        return VERTEX
    upstream = one.upstream or one.record.surface.partition("-")[0]
    return PROVIDERS.get(upstream, "_OTHER")


@lru_cache(64)
def server_of(address: str) -> tuple[str, int]:
    """Host and port of a base URL; nothing and 0 where it is none."""
    try:
        url = urlsplit(address)
        return (url.hostname or "", url.port or PORTS.get(url.scheme, 0)) if url.hostname else ("", 0)
    except ValueError:
        return "", 0


def error_of(status: int) -> str:
    """`error.type`; nothing where all went well."""
    if outcome_of(status) == "client_left":
        return "client_left"
    return str(status) if status >= 400 else ""
