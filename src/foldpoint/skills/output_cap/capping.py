"""A long text within a number of characters: a pure function of the text, so that nothing cached ever moves."""

from .choosing import spread
from .lines import pieces
from .parts import spelled


def capped(text: str, most: int, call_id: str = "") -> str:
    """At most `most` characters of the text, what is left out said at the end; a text that fits comes back as it is.

    call_id: the call that a reader asks `recall` for; without one the end does not name it.
    """
    if len(text) <= most:
        return text
    end = ending(len(text), call_id)
    room = most - len(end)
    if room <= 0:
        return end[-most:] if most else ""
    spans = spread(text, pieces(text), room)
    said, kept = spelled(text, spans, room)
    return said + ending(len(text) - kept, call_id)


def ending(left: int, call_id: str) -> str:
    """What stands behind the text: how much of it is left out, and how to get it."""
    return f"\n[{left} characters left out" + (f'; recall("{call_id}") returns them]' if call_id else "]")
