"""The reference pages say what the code's lists say."""

import re
from pathlib import Path

from foldpoint.config.keys import SETTINGS, SKILL_TABLES
from foldpoint.config.show import toml
from foldpoint.core.parameters import PARAMETERS, Parameter
from foldpoint.core.receipt import REASONS, VERDICTS
from foldpoint.telemetry import names

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def row(parameter: Parameter) -> str:
    default = "unset" if parameter.default is None else str(parameter.default)
    default = default.lower() if isinstance(parameter.default, bool) else default
    allowed = ", ".join(f"`{choice}`" for choice in parameter.choices)
    if parameter.kind in ("int", "float"):
        allowed = f"> {parameter.floor}" if parameter.above else f"≥ {parameter.floor}"
        allowed = f"0 or ≥ {parameter.least}" if parameter.least else allowed
    return f"| `{parameter.name}` | {default} | {allowed} | {parameter.about} |"


def test_every_parameter_is_on_its_page() -> None:
    """One row each, in the order of the list, with default, what is allowed and the meaning."""
    page = (DOCS / "parameters.md").read_text()
    rows = [line for skill, listed in PARAMETERS.items() for line in (f"## `{skill}`", *map(row, listed))]
    assert [line for line in page.splitlines() if line.startswith(("| `", "## "))] == rows


def test_every_setting_is_on_its_page() -> None:
    """Under its table, in the order of the list, with default and meaning; those of the skills have the page above."""
    rows: list[str] = []
    for each in (setting for setting in SETTINGS if setting.table not in SKILL_TABLES):
        heading = f"## `[{each.table}]`"
        default = "unset" if each.default is None else toml(each.default)
        rows += [*([] if heading in rows else [heading]), f"| `{each.name}` | {default} | {each.about} |"]
    page = (DOCS / "settings.md").read_text()
    assert [line for line in page.splitlines() if line.startswith(("| `", "## "))] == rows


def test_every_reason_and_verdict_is_on_the_headers_page() -> None:
    """The closed lists and no more."""
    page = (DOCS / "headers.md").read_text()
    reasons = re.findall(r"^\| `([a-z_:<>]+)` \| [a-z]", page, re.MULTILINE)
    assert [reason for reason in reasons if not reason.startswith("check:")] == list(REASONS)
    assert [verdict for verdict in VERDICTS if f"`{verdict}`" not in page] == []


def telemetry_rows() -> list[list[str]]:
    """The rows of the page of names, table by table, and its list of sources."""
    short = {names.GENAI: "GenAI", names.OLDER: "former", names.STABLE: "stable", names.OURS: "ours"}
    return [
        [
            f"| `{each.name}` | {each.kind} | {', '.join(label_of(label) for label in each.labels)} | {each.about} |"
            for each in names.METRICS
        ],
        sorted({f"| {label_of(label)} | {label.values} |" for label in names.LABELS}),
        [
            f"| `{each.name}` | {each.kind} | {each.unit} | {each.about} | {short[each.source]} |"
            for each in names.INSTRUMENTS
        ],
        [f"| `{each.name}` | {each.about} | {short[each.source]} |" for each in names.ATTRIBUTES],
        [", ".join(f"`{field}`" for field in names.REQUEST_FIELDS)],
        [f"- `{short[each]}`: {each}" for each in (names.GENAI, names.OLDER, names.STABLE)],
    ]


def label_of(label: names.Label) -> str:
    """A label as the page has it; two are called `kind`."""
    metric = next(each for each in names.METRICS if label in each.labels)
    same = sum(each.name == label.name for each in names.LABELS) > 1
    return f"`{label.name}`" + (f" (`{metric.name}`)" if same else "")


def test_every_name_of_telemetry_is_on_its_page() -> None:
    """One row each and no more; the source of each that is not ours."""
    page = (DOCS / "metrics.md").read_text().splitlines()
    rows = [row for table in telemetry_rows() for row in table]
    assert [line for line in page if line.startswith(("| `", "- `", "`request_id"))] == rows
