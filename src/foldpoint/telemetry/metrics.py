"""Figures for Prometheus: counters and histograms from requests that ended, gauges from what the gateway can tell."""

import os
import platform
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    values,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from foldpoint.core.policy import MODES
from foldpoint.core.receipt import VERDICTS
from foldpoint.core.record import Record

from . import names
from .labels import SURFACES, Bounded, Reasons, closed, models_of, outcome_of
from .names import Metric
from .observed import Observed
from .sessions import Sessions
from .workers import FOLDER

STRATEGIES = frozenset(("epoch", "sliding_window"))
OPS = frozenset(("add",))
ALIKE = frozenset((names.DRAINING, names.STORE_FAILING, names.SHARED_FAILING, names.BUILD))
"""Gauges of which several processes show the largest; of all others they show the sum."""
Reading = Callable[[], float]


Values = tuple[str, ...]


class Sums:
    """What a batch adds to counters, so that each series is looked up once a batch and not once a request."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Counter, Values], float] = defaultdict(float)

    def add(self, counter: Counter, at: Values, amount: float = 1) -> None:
        """Add to the series at those values; a provider's figure below zero is none."""
        self._sums[counter, at] += max(0, amount)

    def count(self) -> None:
        """Add it to the counters."""
        for (counter, at), amount in self._sums.items():
            counter.labels(*at).inc(amount)


class Told:
    """Something that can be read at any time, and the metric that shows it."""

    def __init__(self, reading: Reading, shown: Counter | Gauge) -> None:
        self._reading = reading
        self._shown = shown
        self._total = 0.0

    def ask(self) -> None:
        """Show what it is now."""
        value = float(self._reading())
        if isinstance(self._shown, Gauge):
            self._shown.set(value)
            return
        self._shown.inc(max(0.0, value - self._total))
        self._total = value


class Metrics:
    """An observer that counts, and what a scraper is given.

    row: names the row of the price table that a model falls under, None where there is none. With
    PROMETHEUS_MULTIPROC_DIR set when prometheus_client was imported, the figures of all processes that share the folder
    are given.
    """

    def __init__(self, row: Callable[[str], str | None], *, version: str = "") -> None:
        self.shared = bool(getattr(values.ValueClass, "_multiprocess", False))
        if self.shared:
            os.makedirs(os.environ[FOLDER], exist_ok=True)
        disable_created_metrics()
        self._registry = CollectorRegistry()
        self._make(version)
        self._model = models_of(row)
        self._reasons = Reasons()
        self._keys = Bounded(names.MOST_KEYS)
        self._sessions = Sessions()
        self._times = cache(self._timed)
        self._told: dict[Metric, Told] = {}
        self._asking = threading.Lock()
        self.tell(names.SESSIONS, self._sessions.count)

    def observe(self, batch: Sequence[Observed]) -> None:
        """Count requests."""
        sums = Sums()
        for one in batch:
            record = one.record
            surface, model = closed(record.surface, SURFACES), self._model(record.model)
            outcome = outcome_of(record.status)
            sums.add(self._requests, (surface, model, closed(record.mode, MODES), outcome))
            self._sum_fold(sums, one, (surface, model))
            self._sum_tokens(sums, record, (surface, model))
            self._sum_cost(sums, record, (surface, model))
            self._time(one, surface)
            if one.key:
                self._sum_key(sums, one, outcome)
            self._sessions.saw(record.tenant, record.session)
        sums.count()

    def took(self, op: str, seconds: float) -> None:
        """The store did something."""
        self._store.labels(closed(op, OPS)).observe(seconds)

    def tell(self, metric: Metric, reading: Reading) -> None:
        """Show as the metric what `reading` says whenever it is asked; a counter's reading is its total so far."""
        shown = self._counter(metric) if metric.kind == "counter" else self._gauge(metric)
        with self._asking:
            self._told[metric] = Told(reading, shown)

    def refresh(self) -> None:
        """Ask for what is told so; what a disk does not tell stays as it was."""
        with self._asking:
            for told in self._told.values():
                with suppress(OSError):
                    told.ask()

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """The figures as the scraper wants them, and their content type."""
        self.refresh()
        encode, kind = choose_encoder(accept)
        if not self.shared:
            return encode(self._registry), kind
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        return encode(registry), kind

    def _make(self, version: str) -> None:
        """Make the metrics that are there from the beginning."""
        self._requests = self._counter(names.REQUESTS)
        self._folds = self._counter(names.FOLDS)
        self._failures = self._counter(names.FOLD_FAILURES)
        self._moves = self._counter(names.FOLD_MOVES)
        self._input = self._counter(names.INPUT_TOKENS)
        self._output = self._counter(names.OUTPUT_TOKENS)
        self._cost = self._counter(names.PROMPT_COST)
        self._priced = self._counter(names.PRICED)
        self._overhead = self._histogram(names.OVERHEAD)
        self._upstream = self._histogram(names.UPSTREAM)
        self._first_byte = self._histogram(names.FIRST_BYTE)
        self._key_requests = self._counter(names.KEY_REQUESTS)
        self._key_tokens = self._counter(names.KEY_TOKENS)
        self._key_cost = self._counter(names.KEY_COST)
        self._store = self._histogram(names.STORE_SECONDS)
        self._gauge(names.BUILD).labels(version, platform.python_version()).set(1)
        if not self.shared:
            ProcessCollector(registry=self._registry)

    def _timed(self, surface: str) -> tuple[Histogram, Histogram, Histogram]:
        """The histograms of a surface."""
        return self._overhead.labels(surface), self._upstream.labels(surface), self._first_byte.labels(surface)

    def _counter(self, metric: Metric) -> Counter:
        return Counter(metric.name, metric.about, _labels(metric), registry=self._registry)

    def _gauge(self, metric: Metric) -> Gauge:
        mode: Literal["livemax", "livesum"] = "livemax" if metric in ALIKE else "livesum"
        return Gauge(metric.name, metric.about, _labels(metric), registry=self._registry, multiprocess_mode=mode)

    def _histogram(self, metric: Metric) -> Histogram:
        return Histogram(metric.name, metric.about, _labels(metric), registry=self._registry, buckets=metric.buckets)

    def _sum_fold(self, sums: Sums, one: Observed, at: Values) -> None:
        record = one.record
        if not record.verdict or record.mode == "off":
            return
        reason = self._reasons.of(record.reason)
        sums.add(self._folds, (closed(record.strategy, STRATEGIES), closed(record.verdict, VERDICTS), reason))
        if record.verdict == "failed":
            sums.add(self._failures, (reason,))
        if one.receipt is not None and one.receipt.moved:
            sums.add(self._moves, at)

    def _sum_tokens(self, sums: Sums, record: Record, at: Values) -> None:
        sums.add(self._input, (*at, "original"), record.tokens_before)
        sums.add(self._input, (*at, "sent"), record.tokens_after)
        if record.usage is not None:
            sums.add(self._input, (*at, "uncached"), record.usage.input)
            sums.add(self._input, (*at, "cache_read"), record.usage.cache_read)
            sums.add(self._input, (*at, "cache_write"), record.usage.cache_write)
            sums.add(self._output, at, record.usage.output)

    def _sum_cost(self, sums: Sums, record: Record, at: Values) -> None:
        if record.cost is None or record.cost_without is None:
            return
        sums.add(self._cost, (*at, "billed"), record.cost)
        sums.add(self._cost, (*at, "unfolded"), record.cost_without)
        sums.add(self._priced, at)

    def _sum_key(self, sums: Sums, one: Observed, outcome: str) -> None:
        key, record = self._keys.of(one.key), one.record
        sums.add(self._key_requests, (key, outcome))
        if record.usage is not None:
            sums.add(self._key_tokens, (key, "input"), record.usage.prompt)
            sums.add(self._key_tokens, (key, "output"), record.usage.output)
        if record.cost is not None and record.cost_without is not None:
            sums.add(self._key_cost, (key, "billed"), record.cost)
            sums.add(self._key_cost, (key, "unfolded"), record.cost_without)

    def _time(self, one: Observed, surface: str) -> None:
        overhead, upstream, first_byte = self._times(surface)
        overhead.observe(max(0.0, one.overhead))
        if one.record.upstream_ms > 0:
            upstream.observe(one.record.upstream_ms / 1e3)
        if one.first_byte_ms is not None:
            first_byte.observe(max(0.0, one.first_byte_ms / 1e3))


def _labels(metric: Metric) -> tuple[str, ...]:
    return tuple(label.name for label in metric.labels)
