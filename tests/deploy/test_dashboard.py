"""The dashboard asks for figures that there are, and its panels stand side by side."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from dockerfile import ROOT
from installed import promtool
from promql import KNOWN, unknown

DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "foldpoint.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
VARIABLES = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
MACROS = {"$__rate_interval": "5m", "$__range": "1h"}


def expression(target: dict[str, Any]) -> str:
    """The expression as Prometheus gets it."""
    text: str = target["expr"]
    for macro, value in {**MACROS, **{f"${name}": ".+" for name in VARIABLES}}.items():
        text = text.replace(macro, value)
    return text


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_asks_for_what_there_is(panel: dict[str, Any]) -> None:
    """Each metric, with its labels, is one of the gateway's; what is asked is said."""
    assert [unknown(expression(target)) for target in panel["targets"]] == [[] for _ in panel["targets"]]
    assert panel["description"]


def test_prometheus_reads_every_expression(tmp_path: Path) -> None:
    """Its own parser, on the expressions as rules."""
    asked = [expression(target) for panel in PANELS for target in panel["targets"]]
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(asked)]
    (tmp_path / "rules.json").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    ran = subprocess.run([promtool(), "check", "rules", tmp_path / "rules.json"], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()


def test_legends_are_of_labels_that_are_left() -> None:
    """A legend names what its expression groups by."""
    for panel in PANELS:
        for target in panel["targets"]:
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                assert f"by ({label})" in target["expr"], panel["title"]


def test_every_metric_is_seen_somewhere() -> None:
    """No figure of the gateway's is left out."""
    asked = " ".join(target["expr"] for panel in PANELS for target in panel["targets"])
    families = {re.sub("_(bucket|sum|count)$", "", name) for name in KNOWN} - {"up"}
    assert sorted(name for name in families if name not in asked) == []


def test_variables_are_asked_of_prometheus() -> None:
    """The data source is chosen on the page; the others are values of labels."""
    assert sorted(VARIABLES) == ["datasource", "job", "model", "surface"]
    for name in ("job", "surface", "model"):
        metric, label = re.fullmatch(
            r"label_values\((\w+)(?:{.*})?, (\w+)\)", VARIABLES[name]["query"]["query"]
        ).groups()  # type: ignore[union-attr]
        assert label == name
        assert label in KNOWN[metric]


def test_panels_have_names_of_their_own_and_do_not_overlap() -> None:
    """On the grid of 24 columns."""
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert taken & cells == set(), panel["title"]
        assert max(x for x, _ in cells) < 24, panel["title"]
        taken |= cells
