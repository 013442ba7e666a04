"""Members of a request body that the settings add."""

from collections.abc import Collection, Mapping
from typing import Any

from foldpoint.core.errors import FoldpointError


def checked(extra: Mapping[str, Any] | None, written: Collection[str]) -> dict[str, Any]:
    """The members. Raises FoldpointError for one that the agent writes itself."""
    given = dict(extra or {})
    if both := sorted(given.keys() & set(written)):
        raise FoldpointError(f"extra: {both[0]!r} is written by the agent itself; take it out")
    return given
