"""Figures for an OpenTelemetry collector, by the GenAI conventions."""

from collections.abc import Callable, Sequence

from opentelemetry.metrics import Counter, Histogram
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from foldpoint.core.usage import Usage

from . import names
from .about import Value, about
from .labels import models_of
from .names import Instrument
from .observed import Observed
from .tracing import SCOPE

NOTHING = Usage()
Sums = dict[tuple[tuple[str, Value], ...], list[int]]
"""Tokens by attributes: of prompts, of answers, read from the cache, written to it."""


class Inferences:
    """An observer that counts and measures.

    row: names the row of the price table that a model falls under, None where there is none. older: under the former
    names, too.
    """

    def __init__(
        self, reader: MetricReader, resource: Resource, row: Callable[[str], str | None], *, older: bool = False
    ) -> None:
        self._provider = MeterProvider([reader], resource, shutdown_on_exit=False)
        self._meter = self._provider.get_meter(SCOPE)
        self._model = models_of(row)
        self._older = older
        self._duration = self._histogram(names.DURATION)
        self._first = self._histogram(names.TIME_TO_FIRST)
        self._input, self._output = self._counter(names.USED_INPUT), self._counter(names.USED_OUTPUT)
        self._read, self._write = self._counter(names.USED_CACHE_READ), self._counter(names.USED_CACHE_WRITE)
        self._each_input, self._each_output = self._histogram(names.EACH_INPUT), self._histogram(names.EACH_OUTPUT)
        if older:
            self._old_duration, self._old_usage = (
                self._histogram(names.OLD_DURATION),
                self._histogram(names.OLD_USAGE),
            )

    def observe(self, batch: Sequence[Observed]) -> None:
        """Count requests."""
        sums: Sums = {}
        for one in batch:
            said = about(one, self._model(one.record.model))
            used = one.record.usage or NOTHING
            self._duration.record(max(0.0, one.seconds), said)
            if one.streams and one.first_byte_ms is not None:
                self._first.record(max(0.0, one.first_byte_ms / 1e3), without_error(said))
            self._each_input.record(max(0, used.prompt), said)
            self._each_output.record(max(0, used.output), said)
            add(sums, without_error(said), used)
            if self._older:
                self._count_older(one, used, said)
        self._count(sums)

    def close(self) -> None:
        """Hand over what is counted, and stop; blocks as long as the exporter does."""
        self._provider.shutdown()

    def _count(self, sums: Sums) -> None:
        """Count tokens by what they were, once for each set of attributes."""
        for at, tokens in sums.items():
            said = dict(at) | {names.MODALITY.name: "unknown"}
            for counter, amount in zip((self._input, self._output, self._read, self._write), tokens, strict=True):
                counter.add(amount, said)

    def _count_older(self, one: Observed, used: Usage, said: dict[str, Value]) -> None:
        said = said | {names.OLD_PROVIDER.name: said[names.PROVIDER.name]}
        self._old_duration.record(max(0.0, one.seconds), said)
        if one.record.usage is not None:
            self._old_usage.record(max(0, used.prompt), said | {names.TOKEN_TYPE.name: "input"})
            self._old_usage.record(max(0, used.output), said | {names.TOKEN_TYPE.name: "output"})

    def _counter(self, instrument: Instrument) -> Counter:
        return self._meter.create_counter(instrument.name, instrument.unit, instrument.about)

    def _histogram(self, instrument: Instrument) -> Histogram:
        return self._meter.create_histogram(
            instrument.name,
            instrument.unit,
            instrument.about,
            explicit_bucket_boundaries_advisory=list(instrument.buckets),
        )


def without_error(said: dict[str, Value]) -> dict[str, Value]:
    """The attributes of instruments that do not tell failed requests apart."""
    return {name: value for name, value in said.items() if name != names.ERROR.name}


def add(sums: Sums, said: dict[str, Value], used: Usage) -> None:
    """Add what a request used; the conventions want zeros counted where a provider bills nothing."""
    tokens = sums.setdefault(tuple(said.items()), [0, 0, 0, 0])
    for index, amount in enumerate((used.prompt, used.output, used.cache_read, used.cache_write)):
        tokens[index] += max(0, amount)
