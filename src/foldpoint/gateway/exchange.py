"""One request on its way through: what is known of it so far, and the headers and the record made of it."""

from functools import lru_cache
from http import HTTPStatus
from operator import attrgetter

import msgspec

from foldpoint.core.hidden import Hidden
from foldpoint.core.receipt import Receipt
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.pricing.catalog import known_rates
from foldpoint.pricing.cost import billed, without_fold

from .callers import Caller
from .changes import UNCHANGED, Changes
from .relay import Relayed
from .routes import Route
from .sessions import Handle

FIGURES = tuple(name for name in Record.__struct_fields__ if name in Receipt.__struct_fields__)
LONGEST_NAME, MODELS = 100, 1_000
"""Names of models that are looked up once: they come from outside, so neither number nor length of them may grow."""
_figures = attrgetter(*FIGURES)
_rates = lru_cache(MODELS)(known_rates)


class Exchange(msgspec.Struct):
    """What is known of one request; its `caller` is None until it is known who that is.

    `messages` is the folded body where one was sent, `hidden` the items that it newly hides, `changes` what its headers
    say because of that, `sent` what was sent, where telemetry wants it; times are nanoseconds.
    """

    id: str
    time: float
    route: Route
    caller: Caller | None = None
    mode: str = ""
    handle: Handle = Handle()
    receipt: Receipt | None = None
    model: str = ""
    messages: bytes | None = None
    hidden: tuple[Hidden, ...] = ()
    changes: Changes = UNCHANGED
    response: Relayed | None = None
    overhead_ns: int = 0
    sent_ns: int = 0
    head_ns: int = 0
    upstream_ns: int = 0
    status: int = 0
    usage: Usage | None = None
    streams: bool = False
    sent: bytes | None = None

    def headers(self) -> dict[str, str]:
        """Our headers of the answer."""
        said = self.receipt.headers() if self.receipt else {}
        said["x-foldpoint-request-id"] = self.id
        said["x-foldpoint-overhead-ms"] = f"{self.overhead_ns / 1e6:.3f}"
        return said

    def record(self) -> Record:
        """What is remembered of it."""
        figures = dict(zip(FIGURES, _figures(self.receipt), strict=True)) if self.receipt else {}
        cost, cost_without = self.costs()
        return Record(
            id=self.id,
            time=self.time,
            tenant=self.caller.tenant if self.caller else "",
            key=self.caller.key_id if self.caller else "",
            session=self.handle.session,
            transcript=self.handle.transcript,
            surface=self.route.surface,
            model=self.model,
            mode=self.mode,
            overhead_us=round(self.overhead_ns / 1000),
            upstream_ms=self.upstream_ns / 1e6,
            status=self.status,
            usage=self.usage,
            cost=cost,
            cost_without=cost_without,
            messages_compacted_count=figures["messages_after"] if self.messages is not None else 0,
            **figures,
        )

    @property
    def tokens(self) -> int:
        """What it used up: as billed, else the estimate of what was sent."""
        if self.usage is not None:
            return self.usage.prompt + self.usage.output
        return self.receipt.tokens_after if self.receipt and self.status == HTTPStatus.OK else 0

    def costs(self) -> tuple[float | None, float | None]:
        """The prompt's price as billed and as estimated without the fold; None where bill or price is not known."""
        if self.usage is None:
            return None, None
        rates = _rates(self.model) if len(self.model) <= LONGEST_NAME else known_rates(self.model)
        if rates is None:
            return None, None
        cost, sent = billed(rates, self.usage), self.receipt
        if sent is None or self.messages is None:
            return cost, cost
        return cost, without_fold(rates, self.usage, sent.tokens_before, sent.tokens_after, sent.write_tokens)
