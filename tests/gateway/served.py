"""Serves the gateway in a process of its own: `python served.py UPSTREAM_URL DRAIN_SECONDS`, the address on stdout."""

import sys

from loopback import Recorded, app_of, settings_for

from foldpoint.gateway.serving import run, serve


def main() -> None:
    settings = settings_for(sys.argv[1], port=0, drain_seconds=float(sys.argv[2]))
    run(serve(app_of(settings, Recorded()), settings, lambda address: print(address, flush=True)))


if __name__ == "__main__":
    main()
