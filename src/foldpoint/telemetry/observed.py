"""What those who watch the gateway get to see of a request, and what they are."""

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Protocol

import msgspec

from foldpoint.core.receipt import Receipt
from foldpoint.core.record import Record

LONGEST = 512
"""Characters of a text that came from outside, such as a model's name."""
MOST = 2**61 - 1
"""The largest whole number that is said: a sum of three fits in 64 bits."""


class Observed(msgspec.Struct, frozen=True):
    """One request that ended.

    key: the key's name. upstream, address: the provider, and its base URL. traceparent, tracestate: the client's
    headers. first_byte_ms: milliseconds from sending the request on to the head of the answer, None where none came.
    streams: the answer came as a stream. ended: seconds since the epoch (0: reckoned from the record). sent: the body
    that was sent on, None unless its content is wanted.
    """

    record: Record
    receipt: Receipt | None = None
    key: str = ""
    upstream: str = ""
    address: str = ""
    traceparent: str = ""
    tracestate: str = ""
    first_byte_ms: float | None = None
    streams: bool = False
    ended: float = 0.0
    sent: bytes | None = None

    @property
    def end(self) -> float:
        """When it ended, in seconds since the epoch."""
        return self.ended or self.record.time + self.seconds

    @property
    def seconds(self) -> float:
        """What it took from the moment at which the body was here, our own time included."""
        return self.overhead + self.record.upstream_ms / 1e3

    @property
    def overhead(self) -> float:
        """Seconds that we took before the request went on."""
        return self.record.overhead_us / 1e6


class Observer(Protocol):
    """Watches requests that ended. Called in a thread, by one caller at a time; may be slow, must not be for ever."""

    def observe(self, batch: Sequence[Observed]) -> None:
        """See requests, each of them once and as `cleaned` leaves it."""


def cleaned(one: Observed) -> Observed:
    """The same, or where a client or a provider sent what an exporter can't hold, one without that.

    Lone surrogates are replaced, texts and whole numbers are bounded, what is no number is left out.
    """
    if _plain(one):
        return one
    record = msgspec.structs.replace(one.record, **_held(one.record))
    if record.usage is not None:
        record = msgspec.structs.replace(record, usage=msgspec.structs.replace(record.usage, **_held(record.usage)))
    held = _held(one)
    for name in ("traceparent", "tracestate"):
        if len(getattr(one, name)) > LONGEST:
            held[name] = ""
    return msgspec.structs.replace(one, **(held | {"record": record}))


def _names(kind: type[msgspec.Struct], *types: Any) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.type in types)


_texts = attrgetter(*_names(Record, str))
_wholes = attrgetter(*_names(Record, int))
_numbers = attrgetter(*_names(Record, float, float | None))


def _plain(one: Observed) -> bool:
    """Is there nothing to clean?"""
    texts = (*_texts(one.record), one.key, one.traceparent, one.tracestate)
    usage = one.record.usage
    wholes = (*_wholes(one.record), *(msgspec.structs.astuple(usage) if usage else ()))
    return (
        "".join(texts).isascii()
        and max(map(len, texts)) <= LONGEST
        and min(wholes) >= -MOST
        and max(wholes) <= MOST
        and math.isfinite(sum(filter(None, (*_numbers(one.record), one.first_byte_ms, one.ended))))
    )


def _held(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of a struct, each as an exporter can hold it."""
    return {name: _value(getattr(struct, name)) for name in struct.__struct_fields__}


def _value(value: Any) -> Any:
    match value:
        case str():
            return value[:LONGEST].encode("utf-8", "replace").decode()
        case bool():
            return value
        case int():
            return max(-MOST, min(MOST, value))
        case float() if not math.isfinite(value):
            return 0.0
        case _:
            return value
