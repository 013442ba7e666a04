"""Which headers cross the gateway: all of them, in order and as spelt, but what belongs to one connection alone."""

from collections.abc import Iterable

Raw = tuple[tuple[bytes, bytes], ...]
Pairs = list[tuple[str, str]]

HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
NOT_SENT_ON = HOP_BY_HOP | {b"host", b"expect"}
OURS = (b"x-ace-", b"x-foldpoint-")


def request_headers(raw: Raw, length: int | None) -> Pairs:
    """The client's headers as the provider gets them.

    `length` is the size of the body that is sent; None keeps the client's own content-length (the body is streamed).
    `host` is left out (the connection sets it), `expect` is answered by us. A name that comes twice keeps its first
    spelling, for the client takes another spelling as a new value of the same header.
    """
    dropped = NOT_SENT_ON | named_in_connection(raw)
    kept: Pairs = []
    spelt: dict[bytes, str] = {}
    for name, value in raw:
        low = name.lower()
        if low in dropped or low.startswith(OURS):
            continue
        if low == b"content-length" and length is not None:
            value = b"%d" % length
        kept.append((spelt.setdefault(low, text(name)), text(value)))
    return kept


def response_headers(raw: Raw) -> Pairs:
    """The provider's headers as the client gets them."""
    dropped = HOP_BY_HOP | named_in_connection(raw)
    kept = [(low, name, value) for name, value in raw if (low := name.lower()) not in dropped]
    if len(kept) < len(raw) and any(name.lower() == b"transfer-encoding" for name, _ in raw):
        kept = [header for header in kept if header[0] != b"content-length"]
    return [(text(name), text(value)) for _, name, value in kept]


def named_in_connection(raw: Raw) -> frozenset[bytes]:
    """The headers that `connection` declares to be of this connection alone."""
    values = [value for name, value in raw if len(name) == 10 and name.lower() == b"connection"]
    if not values:
        return frozenset()
    return frozenset(option.strip() for value in values for option in value.lower().split(b",") if option.strip())


def absent(pairs: Iterable[tuple[str, str]], names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that no header has."""
    there = {name.lower() for name, _ in pairs}
    return tuple(name for name in names if name.lower() not in there)


def text(raw: bytes) -> str:
    """Header bytes as text."""
    return raw.decode("utf-8", "surrogateescape")
