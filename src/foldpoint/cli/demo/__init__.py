"""`foldpoint demo`: agent sessions, step by step, with and without the fold, against a simulated provider."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from foldpoint.core.policy import Policy

NEEDED = ("aiohttp", "uuid_utils")
"""What the processes that the demo starts cannot do without."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    more: Annotated[list[Path] | None, typer.Argument(metavar="[PATH]…", help="More paths for --logs.")] = None,
    logs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH", help="Request bodies (files or folders) to replay in place of the shipped sessions."
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="Policy: a foldpoint.toml. Without it: every default, adaptive.")
    ] = None,
    horizon: Annotated[Literal["adaptive", "task"] | None, typer.Option(help="How the gate looks ahead.")] = None,
    model: Annotated[str | None, typer.Option(help="Ask this model in place of the sessions' own.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Replay agent sessions directly and through the gateway, and say what was sent, cached and billed.

    Starts a simulated provider and the gateway on free ports of this machine and ends them again; nothing leaves it.
    """
    check_needed()
    from . import run, table
    from .recordings import recorded, shipped

    paths = [*(logs or ()), *(more or ())]
    wanted = chosen(policy, horizon)
    found, skipped = recorded(paths) if paths else (shipped(), [])
    if not found:
        typer.echo("\n".join(["foldpoint: there is no request body to replay", *map(str, skipped)]), err=True)
        raise typer.Exit(1)
    figures = run.figures(found, skipped, wanted, model, merge_roles=bool(paths))
    table.printed_json(figures) if as_json else table.printed(figures)
    if figures.failed:
        raise typer.Exit(1)


def check_needed() -> None:
    """Refuse to start what would not come up. Raises ModuleNotFoundError."""
    for name in NEEDED:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def chosen(path: Path | None, horizon: Literal["adaptive", "task"] | None) -> "Policy":
    """The policy of the file, or every default with the adaptive horizon; a horizon given wins. Raises ConfigError."""
    import msgspec

    from foldpoint.config import load_policy
    from foldpoint.core.policy import Policy

    given = load_policy(path).agent_trajectory_compaction
    looking = horizon or (given.horizon if path else "adaptive")
    return Policy(agent_trajectory_compaction=msgspec.structs.replace(given, horizon=looking))
