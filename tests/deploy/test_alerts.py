"""The alerts ask for figures that there are, fire when they should and not before, and say what to do."""

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from dockerfile import ROOT
from installed import promtool
from promql import unknown

PROMETHEUS = ROOT / "deploy" / "prometheus"
ALERTS = PROMETHEUS / "alerts.yml"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
AT = 'job="foldpoint",instance="a:4600"'
THERE = {f"foldpoint_build_info{{{AT}}}": "1x400"}
BY_MODEL = f'{AT},surface="anthropic",model="claude-opus-4-6"'


class Case(NamedTuple):
    """Series by the minute, a minute, and the alerts that fire then."""

    series: dict[str, str]
    minute: int
    fires: list[str]


def requests(outcome: str, values: str) -> dict[str, str]:
    """A series of requests."""
    return {f'foldpoint_requests_total{{{BY_MODEL},mode="prod",outcome="{outcome}"}}': values}


def cost(basis: str, values: str) -> dict[str, str]:
    """A series of what prompts cost."""
    return {f'foldpoint_prompt_cost_usd_total{{{BY_MODEL},basis="{basis}"}}': values}


def overhead(slow: int) -> dict[str, str]:
    """A hundred requests a minute, so many of which took longer than 50 ms."""
    at = f'{AT},surface="anthropic"'
    return {
        f'foldpoint_overhead_seconds_bucket{{{at},le="0.05"}}': f"0+{100 - slow}x60",
        f'foldpoint_overhead_seconds_bucket{{{at},le="0.1"}}': "0+100x60",
        f'foldpoint_overhead_seconds_bucket{{{at},le="+Inf"}}': "0+100x60",
        f"foldpoint_overhead_seconds_count{{{at}}}": "0+100x60",
    }


def key_requests(outcome: str, values: str) -> dict[str, str]:
    """A series of a key's requests."""
    return {f'foldpoint_key_requests_total{{{AT},key="ci",outcome="{outcome}"}}': values}


CASES = [
    Case(THERE, 30, []),
    Case({}, 30, ["FoldpointGone"]),
    Case({**THERE, f"up{{{AT}}}": "1x5 0x20"}, 7, []),
    Case({**THERE, f"up{{{AT}}}": "1x5 0x20"}, 9, ["FoldpointDown"]),
    Case({**THERE, f"foldpoint_draining{{{AT}}}": "0x9 1x30"}, 15, []),
    Case({**THERE, f"foldpoint_draining{{{AT}}}": "0x9 1x30"}, 25, ["FoldpointStuckDraining"]),
    Case({**THERE, **requests("ok", "0+99x30"), **requests("server_error", "0+4x30")}, 20, []),
    Case({**THERE, **requests("ok", "0+90x30"), **requests("server_error", "0+9x30")}, 20, ["FoldpointServerErrors"]),
    Case({**THERE, **requests("ok", "0+0x30"), **requests("server_error", "0+1x30")}, 20, []),
    Case({**THERE, **overhead(slow=0)}, 40, []),
    Case({**THERE, **overhead(slow=3)}, 40, ["FoldpointOverheadHigh"]),
    Case({**THERE, f"foldpoint_store_failing{{{AT}}}": "0x9 1x2 0x9"}, 16, []),
    Case({**THERE, f"foldpoint_store_failing{{{AT}}}": "0x9 1x20"}, 20, ["FoldpointStoreFailing"]),
    Case({**THERE, f"foldpoint_shared_failing{{{AT}}}": "0x9 1x2 0x9"}, 16, []),
    Case({**THERE, f"foldpoint_shared_failing{{{AT}}}": "0x9 1x20"}, 20, ["FoldpointSharedFailing"]),
    Case({**THERE, f"foldpoint_records_spooled_bytes{{{AT}}}": "0+1000000x60"}, 60, []),
    Case({**THERE, f"foldpoint_records_spooled_bytes{{{AT}}}": "0+4000000x60"}, 60, ["FoldpointSpoolGrows"]),
    Case({**THERE, f"foldpoint_records_spooled_bytes{{{AT}}}": "200000000x60"}, 60, []),
    Case({**THERE, f"foldpoint_records_dropped_total{{{AT}}}": "0x9 1x9"}, 12, ["FoldpointRecordsDropped"]),
    Case({**THERE, f"foldpoint_records_dropped_total{{{AT}}}": "1x60"}, 60, []),
    Case({**THERE, f'foldpoint_fold_failures_total{{{AT},reason="internal"}}': "0x5 1x60"}, 20, []),
    Case(
        {**THERE, f'foldpoint_fold_failures_total{{{AT},reason="internal"}}': "0+1x60"}, 40, ["FoldpointFoldFailures"]
    ),
    Case({**THERE, **cost("unfolded", "0+1x400"), **cost("billed", "0+0.5x400")}, 400, []),
    Case({**THERE, **cost("unfolded", "0+0.5x400"), **cost("billed", "0+1x400")}, 400, ["FoldpointSavingsNegative"]),
    Case({**THERE, **key_requests("ok", "0+90x60"), **key_requests("rate_limited", "0+10x60")}, 50, []),
    Case(
        {**THERE, **key_requests("ok", "0+9x60"), **key_requests("rate_limited", "0+9x60")}, 50, ["FoldpointKeyLimited"]
    ),
    Case({**THERE, f"foldpoint_observations_dropped_total{{{AT}}}": "0+1x60"}, 30, ["FoldpointObservationsDropped"]),
]


def unit_test(case: Case) -> dict[str, Any]:
    """The case as promtool reads it."""
    return {
        "interval": "1m",
        "input_series": [{"series": series, "values": values} for series, values in case.series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{case.minute}m",
                "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in case.fires],
            }
        ],
    }


def test_the_alerts_ask_for_what_there_is() -> None:
    """Each metric, with its labels, is one of the gateway's."""
    assert {rule["alert"]: unknown(rule["expr"]) for rule in RULES if unknown(rule["expr"])} == {}


def test_every_alert_says_what_to_do() -> None:
    """Severity, summary, description, and a runbook of more than a sentence or two."""
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning", "info"), rule["alert"]
        assert sorted(rule["annotations"]) == ["description", "runbook", "summary"], rule["alert"]
        assert len(rule["annotations"]["runbook"]) > 80, rule["alert"]


def test_every_alert_is_tried_in_both_directions() -> None:
    """There is a case in which it fires, and one in which its series are there and it does not."""
    fired = {name for case in CASES for name in case.fires}
    assert fired == {rule["alert"] for rule in RULES}


def test_promtool_finds_nothing() -> None:
    """Neither in the rules nor in the configuration."""
    for what, file in (("rules", ALERTS), ("config", PROMETHEUS / "prometheus.yml")):
        ran = subprocess.run([promtool(), "check", what, file], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_alerts_fire_when_they_should(tmp_path: Path) -> None:
    """Prometheus's own evaluation of every case."""
    tests = {"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": [unit_test(case) for case in CASES]}
    (tmp_path / "cases.json").write_text(json.dumps(tests))
    ran = subprocess.run(
        [promtool(), "test", "rules", tmp_path / "cases.json"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
