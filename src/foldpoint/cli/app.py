"""The one who knows all commands. Only the module of the command that runs is imported: `--help` is quick, and a
command works where the extras of the others are missing."""

import os
import sys
from importlib import import_module
from typing import Annotated, NamedTuple

import typer

from foldpoint.core.errors import FoldpointError, PolicyError, UnknownSurface

COMPLETION = "_FOLDPOINT_COMPLETE"


class Command(NamedTuple):
    """What a command is for, and the extra that brings what it needs. Its module has its name, and a `register`."""

    about: str
    extra: str


COMMANDS = {
    "serve": Command("Run the gateway until it is told to stop.", "gateway"),
    "fold": Command("Fold one request body to stdout.", "cli"),
    "demo": Command("Replay agent sessions and show what the fold saves.", "all"),
    "simulate": Command("Run a simulated provider that bills like the real one.", "lab"),
    "config": Command("Show the settings, or write a file to begin with.", "cli"),
    "agent": Command("Run an agent that lives on its log, and look at what it did.", "agent"),
    "keys": Command("Make, list and revoke the keys of this gateway.", "gateway"),
}


def application(asked: str) -> typer.Typer:
    """The command line: the asked command, and of the others what they are for."""
    app = typer.Typer(
        name="foldpoint",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name, command in COMMANDS.items():
        if name == asked:
            import_module(f"{__package__}.{name}").register(app)
        else:
            app.command(name, help=command.about)(idle)
    return app


def told_version(asked: bool) -> None:
    """Print the version and end, where it was asked for."""
    if asked:
        from foldpoint import __version__

        typer.echo(f"foldpoint {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=told_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Keeps long-running LLM agents inside their context window and their provider's prompt cache."""


def idle() -> None:
    """Stand in for a command that was not asked for: its name and help, not its module."""


def run(arguments: list[str]) -> None:
    """Run one command; exit 0 fine, 1 the thing asked about fails, 2 wrong use."""
    asked = command_of(completed(os.environ) if COMPLETION in os.environ else arguments)
    try:
        application(asked)(arguments, prog_name="foldpoint")
    except (FoldpointError, ModuleNotFoundError) as error:
        stop(*failure_of(error, asked))


def failure_of(error: FoldpointError | ModuleNotFoundError, asked: str) -> tuple[str, int]:
    """What is said of an error that ends a command, and its exit code. Raises what is a fault of ours."""
    if isinstance(error, FoldpointError):
        return str(error), getattr(error, "exit_code", 2 if is_wrong_use(error) else 1)
    if not asked or error.name is None or error.name.startswith("foldpoint"):
        raise error
    return f"`{asked}` needs {error.name}: pip install 'foldpoint[{COMMANDS[asked].extra}]'", 2


def command_of(arguments: list[str]) -> str:
    """The command among the words, or nothing."""
    first = next((word for word in arguments if not word.startswith("-")), "")
    return first if first in COMMANDS else ""


def completed(environ: "os._Environ[str]") -> list[str]:
    """The words that a shell wants completed, without the program's name."""
    return (environ.get("_TYPER_COMPLETE_ARGS") or environ.get("COMP_WORDS") or "").split()[1:]


def is_wrong_use(error: FoldpointError) -> bool:
    """Whether what was asked for is at fault, not what came of it."""
    from foldpoint.config import ConfigError
    from foldpoint.core.key_skills import PlanForbids, Rejected

    return isinstance(error, (ConfigError, PolicyError, UnknownSurface, Rejected, PlanForbids))


def stop(message: str, status: int) -> None:
    """End with a message on stderr, every line of it led by our name."""
    for line in message.splitlines():
        typer.echo(f"foldpoint: {line}", err=True)
    sys.exit(status)
