"""Which headers cross the gateway: all of them, in order and as spelt, but what belongs to one connection alone."""

from collections.abc import Container, Iterable, Sequence

Field = tuple[bytes, bytes]
Fields = Sequence[Field]

CONNECTION = b"connection"
CONTENT_LENGTH = b"content-length"
TRANSFER_ENCODING = b"transfer-encoding"
HOP_BY_HOP = frozenset(
    (
        CONNECTION,
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        TRANSFER_ENCODING,
        b"upgrade",
    )
)
NOT_SENT_ON = HOP_BY_HOP | {b"host", b"expect"}
OURS = (b"x-ace-", b"x-foldpoint-")


def request_fields(raw: Fields, length: int | None) -> list[Field]:
    """The client's headers as the provider gets them.

    `length` is the size of the body that is sent, put in the place of the client's own content-length or at the end;
    None leaves it alone (the body is streamed, or there is none). `host` is left out (the connection sets it), `expect`
    is answered by us. A name that comes twice keeps its first spelling.
    """
    kept: list[Field] = []
    spelt: dict[bytes, bytes] = {}
    nominating: list[bytes] = []
    for name, value in raw:
        low = name.lower()
        if not is_sent_on(low):
            if low == CONNECTION:
                nominating.append(value)
            continue
        if low == CONTENT_LENGTH and length is not None:
            value = b"%d" % length
        kept.append((spelt.setdefault(low, name), value))
    if length is not None and CONTENT_LENGTH not in spelt:
        kept.append((b"Content-Length", b"%d" % length))
    return not_nominated(kept, nominating) if nominating else kept


def is_sent_on(low: bytes) -> bool:
    """Does a client's header of that (lower-case) name go on to the provider, unless `connection` nominates it?"""
    return low not in NOT_SENT_ON and not low.startswith(OURS)


def response_fields(raw: Fields, ours: Container[str]) -> list[Field]:
    """The provider's headers as the client gets them, without those that we say; a length beside chunks is none."""
    kept: list[Field] = []
    nominating: list[bytes] = []
    chunked = False
    for field in raw:
        low = field[0].lower()
        if low in HOP_BY_HOP:
            if low == CONNECTION:
                nominating.append(field[1])
            chunked = chunked or low == TRANSFER_ENCODING
        elif not (low.startswith(OURS) and text(low) in ours):
            kept.append(field)
    if chunked:
        kept = [field for field in kept if field[0].lower() != CONTENT_LENGTH]
    return not_nominated(kept, nominating) if nominating else kept


def not_nominated(fields: list[Field], connection: Iterable[bytes]) -> list[Field]:
    """Those that no `connection` header declares to be of one connection alone. A body's length is not up to it."""
    named = {option.strip() for value in connection for option in value.lower().split(b",")} - HOP_BY_HOP
    named -= {CONTENT_LENGTH, b"close", b""}
    return [field for field in fields if field[0].lower() not in named] if named else fields


def value_of(fields: Iterable[Field], name: bytes) -> bytes | None:
    """The value of the first header of that (lower-case) name."""
    for given, value in fields:
        if len(given) == len(name) and given.lower() == name:
            return value
    return None


def lines_of(fields: Iterable[Field]) -> bytes:
    """The headers as they stand on the wire."""
    return b"".join([b"%b: %b\r\n" % field for field in fields])


def text(raw: bytes) -> str:
    """Header bytes as text."""
    return raw.decode("utf-8", "surrogateescape")


def raw_of(text: str) -> bytes:
    """Text as the header bytes it was read from."""
    return text.encode("utf-8", "surrogateescape")
