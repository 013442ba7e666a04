"""The evidence in a tool result: what a reader would look up in it."""

from .choosing import extract

__all__ = ["extract"]
