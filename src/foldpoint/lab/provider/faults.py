"""Faults on demand: a status, a delay, a cut, a stall, slow events. By request header, or for the whole server."""

from collections.abc import Mapping, Sequence

import msgspec

from foldpoint.core.errors import FoldpointError, nearest

PREFIX = "x-simulate-"
KINDS: Mapping[str, str] = {
    "status": "answer this HTTP status in place of an answer",
    "delay": "wait so many seconds before the headers",
    "gap": "wait so many seconds before each event of a stream",
    "cut": "break the connection after so many events of a stream, or bytes of a plain answer",
    "stall": "send nothing more after so many events or bytes, and keep the connection",
}
MESSAGES: Mapping[int, str] = {429: "Rate limit reached, simulated", 503: "Unavailable, simulated", 529: "Overloaded"}


class Fault(msgspec.Struct, frozen=True):
    """A fault of the whole server: at every `every`th request."""

    kind: str
    value: float
    every: int = 1


class Plan(msgspec.Struct, frozen=True):
    """What goes wrong with one request; None = nothing of that kind."""

    status: int | None = None
    delay: float = 0.0
    gap: float = 0.0
    cut: int | None = None
    stall: int | None = None

    def end(self, size: int) -> int:
        """How much of an answer of `size` events or bytes is sent."""
        return min(limit for limit in (self.cut, self.stall, size) if limit is not None)


def fault(text: str) -> Fault:
    """Read `KIND=VALUE[:every=N]`, such as `status=529:every=5`. Raises FoldpointError."""
    said, _, often = text.partition(":")
    kind, _, value = said.partition("=")
    key, _, count = often.partition("=")
    if kind not in KINDS:
        raise FoldpointError(f"no fault is called {kind!r}{nearest(kind, KINDS)}; there are: {', '.join(KINDS)}")
    if often and (key != "every" or not count.isdigit() or int(count) < 1):
        raise FoldpointError(f"fault {text!r}: behind the colon stands every=N, N a whole number from 1 on")
    return Fault(kind, number(kind, value), int(count) if often else 1)


def plan(headers: Mapping[str, str], faults: Sequence[Fault], count: int) -> Plan:
    """What goes wrong with the `count`th request (from 1): the server's faults, then the request's own headers.

    Raises FoldpointError for a header that can't be read.
    """
    values = {given.kind: given.value for given in faults if count % given.every == 0}
    values |= {kind: number(kind, headers[PREFIX + kind]) for kind in KINDS if PREFIX + kind in headers}
    whole = {kind: int(values[kind]) for kind in ("status", "cut", "stall") if kind in values}
    return Plan(delay=values.get("delay", 0.0), gap=values.get("gap", 0.0), **whole)


def number(kind: str, text: str) -> float:
    """The value of a fault. Raises FoldpointError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf") or (kind == "status" and not 400 <= value <= 599):
        wanted = "an HTTP status from 400 to 599" if kind == "status" else "a number from 0 on"
        raise FoldpointError(f"{kind}={text}: {KINDS[kind]}; the value is {wanted}")
    return value


def message(status: int) -> str:
    """What a simulated error says."""
    return MESSAGES.get(status, f"Status {status}, simulated")
