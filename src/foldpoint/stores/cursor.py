"""The place in a list, newest first, at which the next page begins."""

import math
from base64 import urlsafe_b64decode, urlsafe_b64encode

from .base import BadCursor


def cursor_at(time: float, id: str) -> str:
    """The cursor behind the record of that time and id."""
    return urlsafe_b64encode(f"{time!r} {id}".encode()).decode().rstrip("=")


def place_of(cursor: str) -> tuple[float, str]:
    """The time and id that a cursor stands for. Raises BadCursor."""
    try:
        time, _, id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        place = float(time), id
    except ValueError:
        place = math.nan, ""
    if not math.isfinite(place[0]):
        raise BadCursor(f"cursor {cursor!r} is not one of a page: leave it out to begin at the newest")
    return place
