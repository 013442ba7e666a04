"""What a scraper reads is what the requests were."""

from collections.abc import Iterable

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families
from seen import RECEIPT, row, seen

from foldpoint.core.usage import Usage
from foldpoint.telemetry import names
from foldpoint.telemetry.metrics import Metrics
from foldpoint.telemetry.names import METRICS
from foldpoint.telemetry.observed import Observed, cleaned
from foldpoint.telemetry.sessions import Sessions

Labels = frozenset[tuple[str, str]]
AT = {"surface": "anthropic", "model": "claude-sonnet-5"}


def at(**labels: str) -> Labels:
    return frozenset(labels.items())


def shown(metrics: Metrics) -> dict[str, dict[Labels, float]]:
    """All samples by name and labels."""
    text, kind = metrics.render()
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    samples: dict[str, dict[Labels, float]] = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            samples.setdefault(sample.name, {})[at(**sample.labels)] = sample.value
    return samples


def counted(requests: Iterable[Observed]) -> dict[str, dict[Labels, float]]:
    """What is shown after those requests."""
    metrics = Metrics(row)
    metrics.observe([cleaned(one) for one in requests])
    return shown(metrics)


def test_a_folded_request() -> None:
    """Each figure where it belongs, and what is not there is not shown."""
    got = counted([seen(first_byte_ms=250.0)])
    here = at(surface="anthropic")
    kinds = {"original": 3000, "sent": 1000, "uncached": 100, "cache_read": 900, "cache_write": 50}
    expected: dict[str, dict[Labels, float]] = {
        "foldpoint_requests_total": {at(**AT, mode="prod", outcome="ok"): 1},
        "foldpoint_folds_total": {at(strategy="epoch", decision="compacted", reason="fold_moved"): 1},
        "foldpoint_fold_moves_total": {at(**AT): 1},
        "foldpoint_input_tokens_total": {at(**AT, kind=kind): value for kind, value in kinds.items()},
        "foldpoint_output_tokens_total": {at(**AT): 20},
        "foldpoint_prompt_cost_usd_total": {at(**AT, basis="billed"): 0.25, at(**AT, basis="unfolded"): 1},
        "foldpoint_priced_requests_total": {at(**AT): 1},
        "foldpoint_overhead_seconds_sum": {here: 0.004},
        "foldpoint_upstream_seconds_sum": {here: 1},
        "foldpoint_time_to_first_byte_seconds_sum": {here: 0.25},
        "foldpoint_key_requests_total": {at(key="ci", outcome="ok"): 1},
        "foldpoint_key_tokens_total": {at(key="ci", kind="input"): 1050, at(key="ci", kind="output"): 20},
        "foldpoint_key_prompt_cost_usd_total": {at(key="ci", basis="billed"): 0.25, at(key="ci", basis="unfolded"): 1},
        "foldpoint_sessions": {at(): 1},
    }
    assert {name: got[name] for name in expected} == expected
    bucket = got["foldpoint_overhead_seconds_bucket"]
    assert [bucket[at(surface="anthropic", le=bound)] for bound in ("0.003", "0.005", "+Inf")] == [0, 1, 1]
    assert "foldpoint_fold_failures_total" not in got


def test_a_request_of_which_little_is_known() -> None:
    """Off, without a key, a price, a bill or an answer."""
    nothing = {"model": "", "session": "", "verdict": "", "usage": None, "cost": None, "cost_without": None}
    got = counted([seen(None, "", mode="off", status=0, upstream_ms=0.0, tokens_before=0, tokens_after=0, **nothing)])
    assert got["foldpoint_requests_total"] == {
        at(surface="anthropic", model="unknown", mode="off", outcome="client_left"): 1
    }
    assert sorted(name for name in got if name.startswith("foldpoint_") and "bucket" not in name) == [
        "foldpoint_build_info",
        "foldpoint_input_tokens_total",
        "foldpoint_overhead_seconds_count",
        "foldpoint_overhead_seconds_sum",
        "foldpoint_requests_total",
        "foldpoint_sessions",
        "foldpoint_time_to_first_byte_seconds_count",
        "foldpoint_time_to_first_byte_seconds_sum",
        "foldpoint_upstream_seconds_count",
        "foldpoint_upstream_seconds_sum",
    ]
    assert got["foldpoint_upstream_seconds_count"] == {at(surface="anthropic"): 0}


def test_a_fold_that_failed() -> None:
    """Its reason is told twice: with all decisions, and among failures alone."""
    got = counted([seen(None, verdict="failed", reason="check:orphans")])
    assert got["foldpoint_fold_failures_total"] == {at(reason="check:orphans"): 1}
    assert got["foldpoint_folds_total"] == {at(strategy="epoch", decision="failed", reason="check:orphans"): 1}


def test_a_provider_that_bills_nonsense() -> None:
    """Counters never go down, and huge figures are bounded."""
    got = counted([seen(usage=Usage(-5, 10**400, -1, -1), cost=-1.0, cost_without=float("inf"))])
    tokens = got["foldpoint_input_tokens_total"]
    assert [tokens[at(**AT, kind=kind)] for kind in ("uncached", "cache_read")] == [0, 2**61]
    assert set(got["foldpoint_prompt_cost_usd_total"].values()) == {0}


def test_clients_can_not_make_series() -> None:
    """Ten thousand made-up models, sessions, keys and what is no Unicode: the page stays as small."""
    odd = [
        seen(model=f"model-{number}\udc80", session=f"\ud800{number}", key=f"key\udfff{number}", surface=f"s{number}",
             mode=f"m{number}", verdict=f"v{number}", reason=f"r{number}", strategy=f"t{number}", status=number)
        for number in range(10_000)
    ]  # fmt: skip
    got = counted(odd)
    others = {"surface": "other", "model": "other", "mode": "other"}
    assert set(got["foldpoint_requests_total"]) == {at(**others, outcome=outcome) for outcome in names.OUTCOMES}
    assert list(got["foldpoint_folds_total"]) == [at(strategy="other", decision="other", reason="other")]
    keys = {dict(labels)["key"] for labels in got["foldpoint_key_requests_total"]}
    assert len(keys) == names.MOST_KEYS + 1
    assert sum(map(len, got.values())) < 8 * names.MOST_KEYS


def test_what_the_gateway_can_tell() -> None:
    """Gauges are read when they are asked for; a counter's total is its total, and never goes back."""
    metrics, told = Metrics(row, version="1.2.3"), {"open": 3.0, "dropped": 5.0}
    metrics.tell(names.OPEN, lambda: told["open"])
    metrics.tell(names.RECORDS_DROPPED, lambda: told["dropped"])
    metrics.tell(names.DRAINING, lambda: True)
    first = shown(metrics)
    told |= {"open": 1.0, "dropped": 7.0}
    second = shown(metrics)
    told["dropped"] = 0.0
    assert [each["foldpoint_open_requests"][at()] for each in (first, second)] == [3, 1]
    assert [each["foldpoint_records_dropped_total"][at()] for each in (first, second, shown(metrics))] == [5, 7, 7]
    assert first["foldpoint_draining"][at()] == 1
    assert [dict(labels)["version"] for labels in first["foldpoint_build_info"]] == ["1.2.3"]


def test_a_reading_that_can_not_be_had() -> None:
    """Shows what it was, and the page comes."""
    metrics, gone = Metrics(row), [False]

    def size() -> float:
        if gone[0]:
            raise PermissionError
        return 9.0

    metrics.tell(names.RECORDS_SPOOLED, size)
    first = shown(metrics)
    gone[0] = True
    assert [each["foldpoint_records_spooled_bytes"][at()] for each in (first, shown(metrics))] == [9, 9]


def test_what_the_store_takes() -> None:
    """By operation."""
    metrics = Metrics(row)
    metrics.took("add", 0.5)
    assert shown(metrics)["foldpoint_store_seconds_sum"] == {at(op="add"): 0.5}


def test_the_scraper_has_its_form() -> None:
    """OpenMetrics where it asks for it; both say the same, and what nobody asked for (`_created`) is in neither."""
    metrics = Metrics(row)
    metrics.observe([seen()])
    text, kind = metrics.render("application/openmetrics-text; version=1.0.0")
    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores"
    open_samples = {
        (sample.name, at(**sample.labels)): sample.value
        for family in open_families(text.decode())
        for sample in family.samples
        if sample.name.startswith("foldpoint_")
    }
    plain = {
        (name, labels): value
        for name, of_it in shown(metrics).items()
        for labels, value in of_it.items()
        if name.startswith("foldpoint_")
    }
    assert open_samples == plain
    assert [name for name, _ in plain if name.endswith("_created")] == []


def test_every_metric_can_be_shown() -> None:
    """With its labels, type and meaning, and none besides."""
    metrics = Metrics(row)
    told = [each for each in METRICS if each.name not in metrics.render()[0].decode()]
    for metric in told:
        metrics.tell(metric, lambda: 1.0)
    metrics.observe([seen(RECEIPT, verdict="failed", first_byte_ms=1.0)])
    metrics.took("add", 1.0)
    families = {family.name: family for family in text_string_to_metric_families(metrics.render()[0].decode())}
    for metric in METRICS:
        family = families.pop(metric.name.removesuffix("_total"))
        labels = {name for sample in family.samples for name in sample.labels} - {"le"}
        assert (family.type, family.documentation, labels) == (
            metric.kind, metric.about, {label.name for label in metric.labels},
        )  # fmt: skip
    assert [name for name in families if name.startswith("foldpoint")] == []


def test_sessions_at_work() -> None:
    """Those of the last minutes, by tenant, bounded."""
    now = [0.0]
    sessions = Sessions(seconds=10.0, most=3, clock=lambda: now[0])
    counts = []
    for at, tenant, session in ((0, "a", "1"), (1, "b", "1"), (5, "a", "1"), (6, "a", ""), (12, "a", "2")):
        now[0] = float(at)
        sessions.saw(tenant, session)
        counts.append(sessions.count())
    for number in range(9):
        sessions.saw("c", str(number))
    assert (counts, sessions.count()) == ([1, 2, 2, 2, 2], 3)
