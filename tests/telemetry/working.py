"""A worker: `python working.py OPEN`, then a line for each thing to do on stdin, what is shown on stdout as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families
from seen import row, seen

from foldpoint.telemetry import names
from foldpoint.telemetry.metrics import Metrics


def main() -> None:
    metrics = Metrics(row, version="1.2.3")
    metrics.tell(names.OPEN, lambda: float(sys.argv[1]))
    metrics.tell(names.RECORDS_DROPPED, lambda: float(sys.argv[1]))
    metrics.tell(names.DRAINING, lambda: 1.0)
    for line in sys.stdin:
        if line.startswith("observe"):
            metrics.observe([seen()] * int(line.split()[1]))
            metrics.refresh()
        families = text_string_to_metric_families(metrics.render()[0].decode()) if line.startswith("show") else ()
        print(json.dumps({sample.name: sample.value for family in families for sample in family.samples}), flush=True)


if __name__ == "__main__":
    main()
