"""Spans from requests that ended: one a request, and in it the stage of each skill that was consulted."""

import uuid
from collections.abc import Callable, Sequence
from hashlib import blake2b

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from foldpoint.core.receipt import Stage

from . import names
from .about import Value, about, error_of, operation_of
from .names import Attribute
from .observed import Observed

NANO = 1_000_000_000
SCOPE = "foldpoint"


class Ids(IdGenerator):
    """Ids that follow from the request's own, so that a log line can name the span without asking for it."""

    def __init__(self) -> None:
        self._trace, self._spans = 1, iter([1])

    def begin(self, request: str) -> None:
        """The next spans are of that request."""
        self._trace = trace_id_of(request)
        self._spans = (span_id_of(request, number) for number in range(2**31))

    def generate_trace_id(self) -> int:
        return self._trace

    def generate_span_id(self) -> int:
        return next(self._spans)

    def is_trace_id_random(self) -> bool:
        return True


class Traces:
    """An observer that makes spans.

    content: says the messages of a request, where they are wanted. older: say attributes under their former names, too.
    """

    def __init__(
        self,
        processor: SpanProcessor,
        resource: Resource,
        *,
        content: Callable[[Observed], str] | None = None,
        older: bool = False,
    ) -> None:
        self._ids = Ids()
        self._provider = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer(SCOPE)
        self._content = content
        self._older = older

    def observe(self, batch: Sequence[Observed]) -> None:
        """Make the spans of each request."""
        for one in batch:
            self._request(one)

    def close(self) -> None:
        """Hand over what waits, and stop; blocks as long as the exporter does."""
        self._provider.shutdown()

    def _request(self, one: Observed) -> None:
        self._ids.begin(one.record.id)
        end = round(one.end * NANO)
        start = end - round(one.seconds * NANO)
        attributes = about(one, one.record.model) | details(one)
        if self._older:
            attributes |= older(attributes)
        if self._content is not None and (said := self._content(one)):
            attributes[names.MESSAGES.name] = said
        name = f"{operation_of(one)} {one.record.model}".rstrip()
        span = self._tracer.start_span(name, parent_of(one), SpanKind.CLIENT, attributes, start_time=start)
        self._stages(one, trace.set_span_in_context(span, Context()), start)
        if error_of(one.record.status):
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)

    def _stages(self, one: Observed, request: Context, start: int) -> None:
        if one.receipt is None:
            return
        took = one.receipt.fold_ns or round(one.overhead * NANO)
        for done in one.receipt.stages:
            span = self._tracer.start_span(names.FOLD_SPAN, request, attributes=stage(one, done), start_time=start)
            span.end(start + took)


def parent_of(one: Observed) -> Context:
    """The client's span, or no span where its `traceparent` is none."""
    carrier = {"traceparent": one.traceparent, "tracestate": one.tracestate}
    return TraceContextTextMapPropagator().extract(carrier, Context())


def span_of(one: Observed) -> tuple[str, str]:
    """The trace id and the span id of the request's span."""
    parent = trace.get_current_span(parent_of(one)).get_span_context()
    trace_id = parent.trace_id if parent.is_valid else trace_id_of(one.record.id)
    return trace.format_trace_id(trace_id), trace.format_span_id(span_id_of(one.record.id, 0))


def trace_id_of(request: str) -> int:
    """The request's id, where that is a UUID; its last 62 bits are random then, as samplers want."""
    try:
        return uuid.UUID(request).int or 1
    except ValueError:
        return int.from_bytes(blake2b(request.encode("utf-8", "replace"), digest_size=16).digest()) or 1


def span_id_of(request: str, number: int) -> int:
    """The id of the request's span (0) or of one inside it."""
    return int.from_bytes(blake2b(f"{request} {number}".encode("utf-8", "replace"), digest_size=8).digest()) or 1


def details(one: Observed) -> dict[str, Value]:
    """The attributes that spans of requests alone have; what is not known is left out."""
    record = one.record
    said: dict[Attribute, Value | None] = {
        names.REQUEST_ID: record.id,
        names.TENANT: record.tenant,
        names.KEY_NAME: one.key,
        names.SESSION: record.session,
        names.TRANSCRIPT: record.transcript,
        names.CONVERSATION: conversation_of(one),
        names.COMPACTED: record.messages_compacted_count > 0 or None,
        names.REQUEST_STREAM: one.streams or None,
        names.FIRST_CHUNK: one.first_byte_ms / 1e3 if one.streams and one.first_byte_ms is not None else None,
        names.STATUS: record.status if error_of(record.status) != "client_left" else None,
        names.FOLD_MODE: record.mode,
        names.COST: record.cost,
        names.COST_UNFOLDED: record.cost_without,
    }
    if record.usage is not None:
        said |= {
            names.INPUT: record.usage.prompt,
            names.OUTPUT: record.usage.output,
            names.CACHE_READ: record.usage.cache_read,
            names.CACHE_WRITE: record.usage.cache_write,
        }
    if record.verdict and record.mode != "off":
        said |= folded(one)
    return {attribute.name: value for attribute, value in said.items() if value is not None and value != ""}


def folded(one: Observed) -> dict[Attribute, Value | None]:
    """What is said of the fold."""
    record = one.record
    return {
        names.VERDICT: record.verdict,
        names.WHY: record.reason,
        names.HOW: record.strategy,
        names.SEALED: record.sealed,
        names.TOTAL: record.total,
        names.CHECKPOINT: record.checkpoint,
        names.TOKENS_BEFORE: record.tokens_before,
        names.TOKENS_AFTER: record.tokens_after,
        names.TOKENS_WOULD_SAVE: record.tokens_would_save if record.mode == "shadow" else None,
        names.WRITE_TOKENS: record.write_tokens if one.receipt is not None and one.receipt.moved else None,
        names.HELD: record.held,
    }


def stage(one: Observed, done: Stage) -> dict[str, Value]:
    """The attributes of a skill's stage; session and transcript stand there, too, to group by."""
    said: dict[Attribute, Value] = {
        names.SKILL: done.skill,
        names.ACTION: done.action,
        names.CHECKPOINT: done.checkpoint,
        names.SESSION: one.record.session,
        names.TRANSCRIPT: one.record.transcript,
    }
    turns: dict[str, Value] = {names.SEALED.name: done.sealed, names.TOTAL.name: done.total}
    return {attribute.name: value for attribute, value in said.items() if value} | turns


def conversation_of(one: Observed) -> str:
    """The session where the client named it: a digest of what was said is no conversation's id, says the convention."""
    opening = one.record.transcript.rpartition(":")[2]
    return "" if one.record.session == opening else one.record.session


def older(attributes: dict[str, Value]) -> dict[str, Value]:
    """What has a former name, under that."""
    former = ((names.PROVIDER, names.OLD_PROVIDER), (names.CACHE_WRITE, names.OLD_CACHE_WRITE))
    return {old.name: attributes[new.name] for new, old in former if new.name in attributes}
