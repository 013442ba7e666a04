"""`foldpoint serve`: the gateway as a process."""

import ipaddress
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .paths import ConfigOption, config_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from foldpoint.config import Loaded, Settings
    from foldpoint.core.parameters import Value


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
    horizon: Annotated[
        Literal["task", "adaptive"] | None, typer.Option(help="How far agent_trajectory_compaction looks ahead.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that share the port.")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen on an address that other machines reach, without keys.")
    ] = False,
) -> None:
    """Run the gateway until it is told to stop."""
    skill = {"mode": mode, "horizon": horizon}
    loaded = configured(config, {"gateway.host": host, "gateway.port": port, "gateway.workers": workers}, skill)
    check_host(loaded, insecure)
    log_to_stdout(loaded.settings)
    listen(loaded.settings, hint_of(loaded))


def log_to_stdout(settings: "Settings") -> None:
    """Have what this process logs written to stdout."""
    from foldpoint.telemetry import logs

    logs.configure(sys.stdout, colours="NO_COLOR" not in os.environ, form=settings.telemetry.log_format)


def configured(config: Path | None, gateway: "Mapping[str, Value]", skill: "Mapping[str, Value]") -> "Loaded":
    """The configuration with the flags over it: of the gateway by dotted key, of the skill by its parameters."""
    from foldpoint.config import load

    flags = {f"skills.agent_trajectory_compaction.{name}": value for name, value in skill.items()}
    return load(config_path(config), flags={**gateway, **flags})


def hint_of(loaded: "Loaded") -> str:
    """What to say of the horizon to one who has written no file; nothing where `task` does not decide."""
    skill = loaded.settings.policy().agent_trajectory_compaction
    if loaded.path or skill.horizon != "task" or skill.payback_turns is not None:
        return ""
    return (
        f"horizon is task ({skill.expected_task_steps} steps): for long sessions add --horizon adaptive, "
        "or run foldpoint config init"
    )


def check_host(loaded: "Loaded", insecure: bool) -> None:
    """Refuse to be reached by other machines without keys unless that is wanted. Raises ConfigError."""
    from foldpoint.config import ConfigError, Problem

    host = loaded.settings.gateway.host
    if insecure or loaded.settings.gateway.auth == "keys" or is_loopback(host):
        return
    message = (
        f"gateway.host {host} lets other machines in, and whoever reaches the gateway may use it and read its records: "
        'set gateway.auth = "keys", or give --insecure if you trust all who reach it'
    )
    raise ConfigError([Problem("gateway.host", message, loaded.sources["gateway.host"])])


def listen(settings: "Settings", hint: str = "") -> None:
    """Serve until a signal, in this process or in workers; exit 1 where the address cannot be had."""
    ready = partial(announce, hint=hint)
    if settings.gateway.workers > 1:
        from . import workers

        workers.run(settings, ready)
    else:
        alone(settings, ready)


def alone(settings: "Settings", ready: "Callable[[str], None]") -> None:
    """Serve in this process."""
    from foldpoint import assemble
    from foldpoint.gateway import serving

    with assemble.gateway(settings) as app:
        try:
            serving.run(serving.serve(app, settings, ready))
        except OSError as error:
            typer.echo(f"foldpoint: {cannot_listen(settings.gateway.host, settings.gateway.port, error)}", err=True)
            raise typer.Exit(1) from None


def cannot_listen(host: str, port: int, error: OSError) -> str:
    """What is said where the address cannot be had."""
    return f"cannot listen on {host}:{port}: {error.strerror or error}"


def announce(address: str, hint: str = "") -> None:
    """Say where we listen, what a client needs and the hint: for a person on a terminal, else as a log line."""
    reached = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    exports = [
        f"export ANTHROPIC_BASE_URL={reached}/anthropic",
        f"export OPENAI_BASE_URL={reached}/v1",
        f"export GOOGLE_GEMINI_BASE_URL={reached}/gemini",
        f"export AWS_ENDPOINT_URL_BEDROCK_RUNTIME={reached}/bedrock",
    ]
    if sys.stdout.isatty():
        lines = [f"Foldpoint listens on {address}", *(f"  {line}" for line in exports), *([hint] if hint else ())]
        typer.echo("\n".join(lines))
        return
    import logging

    said = {"address": address, "client": exports, **({"hint": hint} if hint else {})}
    logging.getLogger("foldpoint").info("listening", extra=said)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host: a loopback address, as one of IPv6 too, or the name of it."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower().removesuffix(".") == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback
