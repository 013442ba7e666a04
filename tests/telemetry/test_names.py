"""Names keep to the rules of those who read them."""

import re

import pytest

from foldpoint.telemetry import names
from foldpoint.telemetry.names import ATTRIBUTES, INSTRUMENTS, LABELS, METRICS, Metric

RESERVED = ("_sum", "_count", "_bucket", "_created")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_named_as_prometheus_wants(metric: Metric) -> None:
    """Our prefix, letters that need no quotes, the unit in plural at the end, `_total` on counters alone."""
    assert re.fullmatch(r"foldpoint_[a-z][a-z_]*[a-z]", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert not metric.name.endswith(RESERVED)
    assert metric.name.endswith("_seconds") or metric.kind != "histogram"
    assert re.search(r"_(ms|us|milliseconds|kb|minutes)(_|$)", metric.name) is None
    assert metric.about.endswith(".")
    assert bool(metric.buckets) == (metric.kind == "histogram")
    assert list(metric.buckets) == sorted(set(metric.buckets))


def test_every_name_is_there_once() -> None:
    """The lists have every name of the file, and none twice."""
    for kind, listed in ((Metric, METRICS), (names.Instrument, INSTRUMENTS), (names.Attribute, ATTRIBUTES)):
        made = [value for value in vars(names).values() if isinstance(value, kind)]
        assert sorted(each.name for each in made) == sorted({each.name for each in listed})
        assert len(listed) == len(made)


def test_every_label_is_listed() -> None:
    """Those that metrics have and no others; `le` is Prometheus's own."""
    assert {label for metric in METRICS for label in metric.labels} == set(LABELS)
    assert [label.name for label in LABELS if not re.fullmatch(r"[a-z]+", label.name) or label.name == "le"] == []


def test_what_is_not_ours_says_whose_it_is() -> None:
    """Names without our prefix have a convention as their source, names with it are ours."""
    for each in (*ATTRIBUTES, *INSTRUMENTS):
        assert (each.source == names.OURS) == each.name.startswith("foldpoint.")
