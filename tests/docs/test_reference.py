"""The reference pages say what the code's lists say."""

import re
from pathlib import Path

from foldpoint.core.parameters import TRAJECTORY, Parameter
from foldpoint.core.receipt import REASONS, VERDICTS

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def row(parameter: Parameter) -> str:
    default = "unset" if parameter.default is None else str(parameter.default)
    default = default.lower() if isinstance(parameter.default, bool) else default
    allowed = ", ".join(f"`{choice}`" for choice in parameter.choices)
    if parameter.kind in ("int", "float"):
        allowed = f"> {parameter.floor}" if parameter.above else f"≥ {parameter.floor}"
    return f"| `{parameter.name}` | {default} | {allowed} | {parameter.about} |"


def test_every_parameter_is_on_its_page() -> None:
    """One row each, in the order of the list, with default, what is allowed and the meaning."""
    page = (DOCS / "parameters.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("| `")] == [row(each) for each in TRAJECTORY]


def test_every_reason_and_verdict_is_on_the_headers_page() -> None:
    """The closed lists and no more."""
    page = (DOCS / "headers.md").read_text()
    reasons = re.findall(r"^\| `([a-z_:<>]+)` \| [a-z]", page, re.MULTILINE)
    assert [reason for reason in reasons if not reason.startswith("check:")] == list(REASONS)
    assert [verdict for verdict in VERDICTS if f"`{verdict}`" not in page] == []
