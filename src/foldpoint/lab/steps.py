"""One request body becomes the bodies of its session's steps, byte for byte what its client would have sent."""

from collections.abc import Iterator

from foldpoint.core.transcript import Limits
from foldpoint.skills.ledger import Ledger
from foldpoint.surfaces import surface_named
from foldpoint.surfaces.splice import without_member

from .cache import segments

MOST_MARKS = 4


def steps(body: bytes, surface: str) -> Iterator[bytes]:
    """The opening request, then the request behind each turn; the last one is `body` itself.

    What stands around the messages is the same in all of them. Raises UnknownSurface, Unreadable.
    """
    *stops, last = cuts(body, surface)
    for stop in stops:
        yield body[:stop] + body[last:]
    yield body


def cuts(body: bytes, surface: str) -> list[int]:
    """Where the message list of each step ends in the body: behind the head, then behind each turn."""
    format_ = surface_named(surface)
    request = format_.read(body)
    ledger = Ledger([format_.view(item, Limits()) for item in request.items], format_.shape)
    return [request.items.ends[start - 1] for start in ledger.starts if start] or [len(body)]


def with_member(body: bytes, key: str, value: bytes) -> bytes:
    """The body with a top-level member set to a JSON value; where it had one, that is cut out."""
    rest, _ = without_member(body, key)
    opened = rest.index(b"{") + 1
    comma = b"" if rest[opened:].lstrip(b" \t\r\n")[:1] == b"}" else b","
    return rest[:opened] + b'"' + key.encode() + b'":' + value + comma + rest[opened:]


def caching(body: bytes, surface: str) -> bytes:
    """The body with automatic caching on where its client would have marked the newest message and the cut lost that.

    A recorded Anthropic request bears the marks of its own moment only. Other surfaces need none.
    """
    if surface != "anthropic":
        return body
    found = segments(surface, body)
    marked = [segment for segment in found if segment.mark]
    if not found or found[-1].mark or len(marked) >= MOST_MARKS:
        return body
    return with_member(body, "cache_control", b'{"type":"ephemeral"}')
