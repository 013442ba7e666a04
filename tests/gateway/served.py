"""Serves the gateway in a process of its own: `python served.py UPSTREAM_URL DRAIN_SECONDS`, the address on stdout."""

import sys

from loopback import Canned, Recorded, settings_for

from foldpoint.gateway.app import create_app
from foldpoint.gateway.serving import run, serve


def main() -> None:
    settings = settings_for(sys.argv[1], port=0, drain_seconds=float(sys.argv[2]))
    app = create_app(
        settings=settings,
        engine=Canned(),
        recorder=Recorded(),  # type: ignore[arg-type]
        store=None,  # type: ignore[arg-type]
    )
    run(serve(app, settings, lambda address: print(address, flush=True)))


if __name__ == "__main__":
    main()
