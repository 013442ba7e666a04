"""`foldpoint fold`: one request body in, the folded body and its receipt out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from foldpoint.core.errors import FoldpointError

POLICY_HELP = (
    "Policy: a foldpoint.toml. Without it: the defaults and FOLDPOINT_* variables; ./foldpoint.toml is not read."
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(fold)


def fold(
    body: Annotated[Path, typer.Argument(help="File with a request body; - reads stdin.")],
    surface: Annotated[
        str, typer.Option(help="Provider format: anthropic, openai-chat, openai-responses, bedrock, gemini.")
    ],
    path: Annotated[
        str, typer.Option(metavar="PATH", help="Where it was sent to, for formats that name the model there.")
    ] = "",
    policy: Annotated[Path | None, typer.Option(help=POLICY_HELP)] = None,
    receipt: Annotated[str, typer.Option(help="File for the receipt (JSON); - is stderr.")] = "-",
) -> None:
    """Fold one request body to stdout; unchanged bytes where there is nothing to fold. Exit 1: the fold failed."""
    import time

    import msgspec

    from foldpoint.config import load_policy
    from foldpoint.engine import Engine

    folded = Engine(load_policy(policy), clock=time.perf_counter_ns).fold(read(body), surface, path)
    put(folded.body)
    write(receipt, msgspec.json.encode(folded.receipt) + b"\n")
    if folded.receipt.verdict == "failed":
        raise typer.Exit(1)


def read(path: Path) -> bytes:
    """The bytes of the file, or of stdin."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from None


def put(body: bytes) -> None:
    """Put the body on stdout. Raises FoldpointError where it does not take all of it."""
    out = sys.__stdout__
    if out is None:
        raise FoldpointError("stdout is closed: the folded body has no place to go")
    try:
        # A writer of our own: what sys.stdout could not write it would try to write once more at the exit.
        with open(out.fileno(), "wb", closefd=False) as writer:
            writer.write(body)
    except OSError as error:
        raise FoldpointError(f"stdout does not take the folded body: {error.strerror or error}") from None


def write(path: str, data: bytes) -> None:
    """Put the bytes into the file, or on stderr."""
    try:
        if path == "-":
            sys.stderr.buffer.write(data)
        else:
            Path(path).write_bytes(data)
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}") from None
