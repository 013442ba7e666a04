"""Serves the gateway as it is configured and logs all that can be logged: `python debugged.py`, the address first."""

import logging
import sys

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.gateway.serving import run, serve
from foldpoint.telemetry import logs


def main() -> None:
    logs.configure(sys.stdout, logging.DEBUG)
    settings = load().settings
    with assemble.gateway(settings) as app:
        run(serve(app, settings, lambda address: print(address, flush=True)))


if __name__ == "__main__":
    main()
