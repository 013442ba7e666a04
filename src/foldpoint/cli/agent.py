"""`foldpoint agent`: run an agent that lives on its log, and look at what it did."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from foldpoint.agent.runtime import Runtime
    from foldpoint.agent.settings import AgentSettings
    from foldpoint.core.conversation import Row
    from foldpoint.stores import Conversations

AgentFile = Annotated[Path, typer.Option("--config", help="The agent's file.")]
Chosen = Annotated[str | None, typer.Option("--conversation", help="An earlier conversation by its id.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, a line for each.")]
FILE = Path("agent.toml")
SHOWN = 200
"""Characters of a message in a listing."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Run an agent that lives on its log, and look at what it did.", no_args_is_help=True)
    for command in (run, show, log, reset):
        group.command()(command)
    app.add_typer(group, name="agent")


def run(
    config: AgentFile = FILE,
    trigger: Annotated[str | None, typer.Option(help="What it is told; - reads standard input.")] = None,
    id: Annotated[str, typer.Option(help="Of the trigger: one that is in the log already is not taken again.")] = "",
    watch: Annotated[bool, typer.Option(help="Go on with the queue of [triggers], and its door over HTTP.")] = False,
    as_json: AsJson = False,
) -> None:
    """Work on what is unfinished, then on the trigger; the answer is written as it comes."""
    import asyncio

    from foldpoint.agent.settings import load_agent

    text = sys.stdin.buffer.read().decode(errors="replace") if trigger == "-" else trigger or ""
    try:
        asyncio.run(_run(load_agent(config), text, id, watch, as_json))
    except KeyboardInterrupt:
        typer.echo("stopped; the next run goes on from the log", err=True)
        raise typer.Exit(1) from None


async def _run(settings: "AgentSettings", text: str, id: str, watch: bool, as_json: bool) -> None:
    """Run once, or for as long as it is watched; SIGTERM ends both as Ctrl-C does."""
    import asyncio
    import signal

    from foldpoint.agent.opening import open_agent

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        async with open_agent(settings, _said(as_json)) as agent:
            ended = await agent.run(text, id)
            _end(as_json, ended.text, ended.stop)
            if watch:
                await _watched(settings, agent, as_json)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _watched(settings: "AgentSettings", agent: "Runtime", as_json: bool) -> None:
    """Work on triggers one after another."""
    from contextlib import AsyncExitStack

    from foldpoint.agent.opening import log_of
    from foldpoint.agent.triggers.files import FileQueue
    from foldpoint.agent.triggers.http import DoorSettings, open_door
    from foldpoint.core.errors import FoldpointError
    from foldpoint.stores import StoreError

    wanted = settings.triggers
    queue = FileQueue(settings.folder / wanted.queue)
    async with AsyncExitStack() as stack:
        if wanted.port is not None:
            log = log_of(settings)
            conversation = log.current(settings.name)
            log.close()
            door = DoorSettings(wanted.host, wanted.port, wanted.key)
            address = await stack.enter_async_context(open_door(queue, door, conversation))
            typer.echo(f"triggers are taken at {address}/trigger", err=True)
        async for each in queue:
            try:
                ended = await agent.run(each.text, each.id)
            except StoreError:
                raise  # the trigger stays in the queue, and comes again
            except FoldpointError as error:
                typer.echo(str(error), err=True)
                await each.failed(str(error))
            else:
                _end(as_json, ended.text, ended.stop)
                await each.done()


def _said(as_json: bool) -> Any:
    """What is told while the agent works: its text on standard output, what it does beside it."""

    def say(kind: str, text: str) -> None:
        if as_json:
            _line({"event": kind, "text": text})
        elif kind == "text":
            typer.echo(text, nl=False)
        else:
            typer.echo(f"\n[{kind}] {_short(text)}", err=True)

    return say


def _end(as_json: bool, text: str, stop: str) -> None:
    if as_json:
        _line({"event": "end", "text": text, "stop": stop})
    else:
        typer.echo("" if stop == "end" else f"\n[stopped: {stop}]")


def show(
    config: AgentFile = FILE,
    conversation: Chosen = None,
    verify: Annotated[bool, typer.Option(help="See whether every message is as it was written.")] = False,
    prompt: Annotated[bool, typer.Option(help="Print the request that would be sent, without its tools.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say where a conversation stands."""
    from foldpoint.agent.opening import log_of, prompt_of
    from foldpoint.agent.settings import load_agent

    settings = load_agent(config)
    log = log_of(settings)
    try:
        chosen = _chosen(log, settings.name, conversation)
        rows = log.rows(chosen)
        built, receipt = prompt_of(settings).body(rows, [])
        if prompt:
            typer.echo(built.decode())
            return
        last = rows[-1] if rows else None
        said: dict[str, Any] = {
            "agent": settings.name,
            "conversation": chosen,
            "conversations": len(log.conversations(settings.name)),
            "messages": len(rows),
            "unfinished": bool(last and (last.role != "assistant" or last.calls)),
            "prompt_bytes": len(built),
            "tokens_saved": receipt.tokens_saved,
        }
        if verify:
            said["verified"] = log.verify(chosen)
    finally:
        log.close()
    if as_json:
        _line(said)
    else:
        typer.echo("\n".join(f"{key}: {value}" for key, value in said.items()))


def log(config: AgentFile = FILE, conversation: Chosen = None, as_json: AsJson = False) -> None:
    """Print a conversation, message by message."""
    import msgspec

    from foldpoint.agent.opening import log_of
    from foldpoint.agent.settings import load_agent

    settings = load_agent(config)
    kept = log_of(settings)
    try:
        rows = kept.rows(_chosen(kept, settings.name, conversation))
    finally:
        kept.close()
    for row in rows:
        if as_json:
            _line(msgspec.to_builtins(row))
        else:
            typer.echo(f"{row.seq:>5}  {row.role:<9}  {_short(_shown(row))}")


def reset(config: AgentFile = FILE) -> None:
    """Begin a new conversation; the ones before stay in the log."""
    from foldpoint.agent.opening import log_of
    from foldpoint.agent.settings import load_agent

    settings = load_agent(config)
    kept = log_of(settings)
    try:
        with kept.hold(kept.current(settings.name)):
            typer.echo(kept.reset(settings.name))
    finally:
        kept.close()


def _chosen(log: "Conversations", agent: str, conversation: str | None) -> str:
    """The conversation that was asked for, else the present one. Raises StoreError where the agent has no such one."""
    from foldpoint.stores import StoreError

    if conversation and conversation not in (known := log.conversations(agent)):
        raise StoreError(f"{agent} has no conversation {conversation!r}; it has {', '.join(known) or 'none'}")
    return conversation or log.current(agent)


def _shown(row: "Row") -> str:
    calls = " ".join(f"{call.name}({call.arguments})" for call in row.calls)
    named = f"{row.name}: {row.content}" if row.role == "tool" else row.content
    return " ".join(part for part in (named, calls) if part)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def _line(value: Any) -> None:
    import msgspec

    typer.echo(msgspec.json.encode(value).decode())
