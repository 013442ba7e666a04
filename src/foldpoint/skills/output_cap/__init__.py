"""The first-sight cap: a long tool result as its head, its tail and the evidence between them."""

from .capping import capped

__all__ = ["capped"]
