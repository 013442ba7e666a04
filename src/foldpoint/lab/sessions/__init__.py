"""The sessions the demo ships: made for the purpose, realistic, the same bytes every time."""

from . import analysis, coding, oncall
from .shapes import bodies
from .story import Story

__all__ = ["Story", "bodies", "shipped"]


def shipped() -> list[Story]:
    """Every session, in the order the demo shows them."""
    return [coding.story(), oncall.story(), analysis.story()]
