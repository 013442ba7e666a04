"""How an address that is listened on is written."""

from collections.abc import Sequence
from typing import Any


def address_of(bound: Sequence[Any]) -> str:
    """The base URL of a socket by its name, of either IP."""
    return f"http://[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"http://{bound[0]}:{bound[1]}"
