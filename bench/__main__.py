"""Run the benchmarks, print a table for each, write JSON to bench/results."""

import argparse
import sys
from collections.abc import Callable, Mapping

from . import cap, cost, fold, gateway, limits, records, telemetry
from .report import Section, printed, written

SECTIONS: Mapping[str, Callable[[bool], Section]] = {
    "fold": fold.measured,
    "gateway": gateway.measured,
    "limits": limits.measured,
    "cost": cost.measured,
    "cap": cap.measured,
    "telemetry": telemetry.measured,
    "records": records.measured,
}


def main() -> int:
    """Exit 0 when every bar holds, 1 when one does not."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; without any, all")
    parser.add_argument(
        "--full", action="store_true", help="the long runs: 100,000 requests for the memory bar, every session billed"
    )
    given = parser.parse_args()
    if unknown := [name for name in given.sections if name not in SECTIONS]:
        parser.error(f"there is no section {', '.join(unknown)}; there are: {', '.join(SECTIONS)}")
    held = True
    for name in given.sections or SECTIONS:
        section = SECTIONS[name](given.full)
        printed(section)
        written(name, section)
        held = held and section.held
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
