"""A log line for each request that ended: ids, names and figures, never bodies or keys."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from . import names
from .observed import Observed

log = logging.getLogger("foldpoint.requests")


class RequestLog:
    """An observer that writes the lines, as of the time at which each request ended.

    span_of: the trace id and the span id of a request, where it is traced.
    """

    def __init__(self, span_of: Callable[[Observed], tuple[str, str]] | None = None) -> None:
        self._span_of = span_of

    def observe(self, batch: Sequence[Observed]) -> None:
        """Write a line for each."""
        for one in batch if log.isEnabledFor(logging.INFO) else ():
            line = log.makeRecord(log.name, logging.INFO, "", 0, names.REQUEST_EVENT, (), None, extra=self._fields(one))
            line.created = one.end
            log.handle(line)

    def _fields(self, one: Observed) -> dict[str, Any]:
        record = one.record
        priced = record.cost is not None and record.cost_without is not None
        said = {
            **{name: getattr(record, name) for name in names.REQUEST_FIELDS if hasattr(record, name)},
            "request_id": record.id,
            "key": one.key or record.key,
            "saved_usd": round((record.cost_without or 0) - (record.cost or 0), 6) if priced else None,
            "duration_ms": round(one.seconds * 1e3, 3),
        }
        if self._span_of is not None:
            said["trace_id"], said["span_id"] = self._span_of(one)
        return {name: said[name] for name in names.REQUEST_FIELDS if name in said}
