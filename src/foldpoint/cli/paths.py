"""Where a command finds its configuration."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Configuration file; without it ./foldpoint.toml where there is one.")
]


def config_path(given: Path | None) -> Path | None:
    """The file that was named, else `foldpoint.toml` where we stand, else none."""
    here = Path("foldpoint.toml")
    return given or (here if here.is_file() else None)
