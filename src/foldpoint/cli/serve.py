"""`foldpoint serve`: the gateway as a process."""

import ipaddress
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .paths import ConfigOption, config_path

if TYPE_CHECKING:
    from foldpoint.config import Loaded, Settings


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def serve(
    config: ConfigOption = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 = a free one.")] = None,
    mode: Annotated[
        Literal["off", "shadow", "prod"] | None, typer.Option(help="Mode of agent_trajectory_compaction.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen on an address that other machines reach, without keys.")
    ] = False,
) -> None:
    """Run the gateway until it is told to stop."""
    loaded = configured(config, host, port, mode)
    check_host(loaded, insecure)
    from foldpoint.telemetry import logs

    logs.configure(sys.stdout, colours="NO_COLOR" not in os.environ)
    listen(loaded.settings)


def configured(config: Path | None, host: str | None, port: int | None, mode: str | None) -> "Loaded":
    """The configuration with the flags over it."""
    from foldpoint.config import load

    flags = {"gateway.host": host, "gateway.port": port, "skills.agent_trajectory_compaction.mode": mode}
    return load(config_path(config), flags=flags)


def check_host(loaded: "Loaded", insecure: bool) -> None:
    """Refuse to be reached from other machines unless that is wanted. Raises ConfigError."""
    from foldpoint.config import ConfigError, Problem

    host = loaded.settings.gateway.host
    if insecure or is_loopback(host):
        return
    message = (
        f"gateway.host {host} lets other machines in, and whoever reaches the gateway may read its records: "
        "listen on 127.0.0.1, or give --insecure if you trust all who reach it"
    )
    raise ConfigError([Problem("gateway.host", message, loaded.sources["gateway.host"])])


def listen(settings: "Settings") -> None:
    """Serve until a signal; exit 1 where the address cannot be had."""
    from foldpoint import assemble
    from foldpoint.gateway import serving

    with assemble.gateway(settings) as app:
        try:
            serving.run(serving.serve(app, settings, announce))
        except OSError as error:
            where = f"{settings.gateway.host}:{settings.gateway.port}"
            typer.echo(f"foldpoint: cannot listen on {where}: {error.strerror or error}", err=True)
            raise typer.Exit(1) from None


def announce(address: str) -> None:
    """Say where we listen and what a client needs: for a person on a terminal, else as a log line."""
    reached = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    exports = [f"export ANTHROPIC_BASE_URL={reached}/anthropic", f"export OPENAI_BASE_URL={reached}/v1"]
    if sys.stdout.isatty():
        typer.echo("\n".join([f"Foldpoint listens on {address}", *(f"  {line}" for line in exports)]))
        return
    import logging

    logging.getLogger("foldpoint").info("listening", extra={"address": address, "client": exports})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
