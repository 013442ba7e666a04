"""The models that the simulated provider lists; it answers for any other, too."""

from typing import Any

from .openai_chat import CREATED

MODELS = (
    "claude-opus-5-5",
    "claude-sonnet-5",
    "claude-haiku-4-5",
    "gpt-6-sol",
    "gpt-5.1",
    "gemini-3.8-flash",
    "gemini-2.5-pro",
)
DAY = "2026-01-01T00:00:00Z"


def for_anthropic() -> dict[str, Any]:
    """The list as Anthropic gives it."""
    rows = [{"type": "model", "id": name, "display_name": name, "created_at": DAY} for name in MODELS]
    return {"data": rows, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}


def for_openai() -> dict[str, Any]:
    """The list as OpenAI gives it."""
    known = [{"id": name, "object": "model", "created": CREATED, "owned_by": "simulated"} for name in MODELS]
    return {"object": "list", "data": known}


def for_gemini() -> dict[str, Any]:
    """The list as Google gives it: its own models."""
    names = [name for name in MODELS if name.startswith("gemini")]
    return {"models": [{"name": f"models/{name}", "displayName": name} for name in names]}
