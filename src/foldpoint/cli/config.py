"""`foldpoint config`: what the settings are and where each comes from, and a file to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from .paths import ConfigOption, config_path


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Show the settings, or write a file to begin with.", no_args_is_help=True)
    group.command()(show)
    group.command()(init)
    app.add_typer(group, name="config")


def show(
    config: ConfigOption = None, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False
) -> None:
    """Print every setting with the source of its value: default, file:line, env:NAME."""
    import msgspec

    from foldpoint.config import load
    from foldpoint.config.show import rows, table

    shown = rows(load(config_path(config)))
    if as_json:
        listed = {row.key: {"value": row.value, "source": row.source} for row in shown}
        typer.echo(msgspec.json.format(msgspec.json.encode(listed)).decode())
    else:
        typer.echo(table(shown))


def init(path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("foldpoint.toml")) -> None:
    """Write a commented file with every setting, its default and its meaning. Never overwrites."""
    from foldpoint.config.show import starter

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(starter())
    except FileExistsError:
        typer.echo(f"foldpoint: {path} is there already: remove it, or name another file", err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        typer.echo(f"foldpoint: {path} cannot be written: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"wrote {path}")
