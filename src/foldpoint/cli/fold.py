"""`foldpoint fold`: one request body in, the folded body and its receipt out."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(fold)


def fold(
    body: Annotated[Path, typer.Argument(help="File with a request body; - reads stdin.")],
    surface: Annotated[str, typer.Option(help="Provider format: anthropic, openai-chat.")],
    policy: Annotated[Path | None, typer.Option(help="Policy: a foldpoint.toml.")] = None,
    receipt: Annotated[str, typer.Option(help="File for the receipt (JSON); - is stderr.")] = "-",
) -> None:
    """Fold one request body to stdout; unchanged bytes where there is nothing to fold. Exit 1: the fold failed."""
    import time

    import msgspec

    from foldpoint.config import load_policy
    from foldpoint.engine import Engine

    folded = Engine(load_policy(policy), clock=time.perf_counter_ns).fold(read(body), surface)
    sys.stdout.buffer.write(folded.body)
    sys.stdout.buffer.flush()
    write(receipt, msgspec.json.encode(folded.receipt) + b"\n")
    if folded.receipt.verdict == "failed":
        raise typer.Exit(1)


def read(path: Path) -> bytes:
    """The bytes of the file, or of stdin."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from None


def write(path: str, data: bytes) -> None:
    """Put the bytes into the file, or on stderr."""
    try:
        if path == "-":
            sys.stderr.buffer.write(data)
        else:
            Path(path).write_bytes(data)
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}") from None
