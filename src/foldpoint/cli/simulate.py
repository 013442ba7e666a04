"""`foldpoint simulate`: the simulated provider as a server."""

import asyncio
import signal
from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec
import typer

from foldpoint.core.errors import FoldpointError, nearest
from foldpoint.lab.cache import Rules, rules_of
from foldpoint.lab.provider import Answers, Echo, Provider, fault, script

RATES: Mapping[str, type] = {"read": float, "write": float, "write_1h": float, "minimum": int}
"""What `--model-rates` may set."""

Override = tuple[str, dict[str, float]]
"""(model or `*`, the figures to set)"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(simulate)


def simulate(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 = any free one.")] = 4700,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    answers: Annotated[str, typer.Option(help="`echo`, or a JSON file with the steps of a script.")] = "echo",
    model_rates: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL:KEY=VALUE,…", help="Cache figures of a model (* = all): read, write, minimum …"),
    ] = None,
    faults: Annotated[
        list[str] | None,
        typer.Option("--fault", metavar="KIND=VALUE[:every=N]", help="KIND: status, delay, gap, cut or stall."),
    ] = None,
    merge_roles: Annotated[
        bool, typer.Option(help="Accept Anthropic messages of one role in a row, as the real API does.")
    ] = False,
) -> None:
    """Run a simulated provider of every format (Anthropic, OpenAI, Bedrock, Gemini), billed by byte-exact prefix.

    Request headers x-simulate-status, -delay, -gap, -cut, -stall make faults. GET /simulate/log says what was billed.
    """
    try:
        provider = Provider(
            answers=chosen(answers),
            rules=overridden([override(text) for text in model_rates or ()]),
            faults=[fault(text) for text in faults or ()],
            merge_roles=merge_roles,
            host=host,
            port=port,
        )
    except (FoldpointError, OSError) as error:
        raise typer.BadParameter(str(error)) from None
    asyncio.run(serve(provider))


async def serve(provider: Provider) -> None:
    """Run until the process is told to stop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        await provider.__aenter__()
    except OSError as error:
        where = f"{provider.host}:{provider.port}"
        typer.echo(f"foldpoint: cannot listen on {where}: {error.strerror or error}; choose another --port", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"simulated provider on {provider.url}")
    typer.echo(f"  ANTHROPIC_BASE_URL={provider.url}  OPENAI_BASE_URL={provider.url}/v1")
    typer.echo(f"  GOOGLE_GEMINI_BASE_URL={provider.url}")
    typer.echo(f"  AWS_ENDPOINT_URL_BEDROCK_RUNTIME={provider.url}")
    await stop.wait()
    await provider.__aexit__()


def chosen(answers: str) -> Answers:
    """The answers that `--answers` names. Raises FoldpointError or OSError."""
    return Echo() if answers == "echo" else script(answers)


def override(text: str) -> Override:
    """Read `MODEL:KEY=VALUE,…`. Raises FoldpointError."""
    model, _, figures = text.rpartition(":")
    if not model:
        raise FoldpointError(f"--model-rates {text!r}: MODEL:KEY=VALUE,… is wanted, such as '*:read=0.05,write=1.25'")
    found: dict[str, float] = {}
    for pair in figures.split(","):
        key, _, value = pair.partition("=")
        if key not in RATES:
            raise FoldpointError(f"--model-rates {text!r}: no figure is called {key!r}{nearest(key, RATES)}")
        try:
            found[key] = RATES[key](value)
        except ValueError:
            raise FoldpointError(f"--model-rates {text!r}: {key} must be a number") from None
    return model, found


def overridden(overrides: list[Override]) -> Callable[[str, str], Rules]:
    """The rules of a model with what `--model-rates` sets for it."""

    def rules(surface: str, model: str) -> Rules:
        found = rules_of(surface, model)
        for name, figures in overrides:
            if name in (model, "*"):
                found = changed(found, figures)
        return found

    return rules


def changed(rules: Rules, figures: dict[str, float]) -> Rules:
    """The rules with some figures set."""
    return msgspec.structs.replace(rules, **figures)
