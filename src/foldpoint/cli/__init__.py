"""The command line. `foldpoint.cli:main` is the command; each command is a file here."""

import sys


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        from .app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        sys.exit("foldpoint: the command line needs its extra: pip install 'foldpoint[cli]'")
    run(sys.argv[1:])
