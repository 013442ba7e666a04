"""`foldpoint keys`: keys are made, listed and revoked in the store that the gateway reads."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foldpoint.core.key import Plan

from .paths import ConfigOption, config_path

if TYPE_CHECKING:
    from foldpoint.config import Settings
    from foldpoint.core.key import Key
    from foldpoint.stores import Store

AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
Pairs = list[str]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="Make, list and revoke the keys of this gateway.", no_args_is_help=True)
    for command in (create, listed, show, revoke):
        group.command("list" if command is listed else command.__name__)(command)
    app.add_typer(group, name="keys")


def create(
    config: ConfigOption = None,
    name: Annotated[str, typer.Option(help="What people call it.")] = "",
    tenant: Annotated[str, typer.Option(help="Whose requests it brings.")] = "local",
    plan: Annotated[Plan, typer.Option(help="What it may set.")] = "developer",
    upstream: Annotated[
        Pairs | None, typer.Option(metavar="PROVIDER=env:NAME|file:PATH", help="Where our credential lies.")
    ] = None,
    mode: Annotated[Pairs | None, typer.Option(metavar="SKILL=off|shadow|prod", help="Mode of a skill.")] = None,
    param: Annotated[
        Pairs | None,
        typer.Option(metavar="[SKILL.]NAME=VALUE", help="Of a skill, or of agent_trajectory_compaction."),
    ] = None,
    requests_per_minute: Annotated[int | None, typer.Option(help="Requests it may send a minute.")] = None,
    tokens_per_minute: Annotated[int | None, typer.Option(help="Tokens it may use a minute.")] = None,
    concurrent_requests: Annotated[int | None, typer.Option(help="Requests it may have open at once.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show its secret, once."""
    from foldpoint.core.new_key import asked
    from foldpoint.gateway.minting import minted

    limits = {
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        "concurrent_requests": concurrent_requests,
    }
    wanted: dict[str, Any] = {"name": name, "tenant": tenant, "plan": plan, "limits": limits}
    wanted["upstreams"] = pairs("--upstream", upstream)
    wanted["skill_modes"] = pairs("--mode", mode)
    if param:
        wanted["skill_params"] = parameters(pairs("--param", param))
    key, secret = minted(asked(wanted))
    with opened(config) as (settings, store):
        store.add_key(key, digest(settings, store, secret))
    if as_json:
        said({**view(key), "secret": secret})
    else:
        typer.echo(f"{secret}\n{key.id}: this is the only time that the key is shown")


def listed(
    config: ConfigOption = None,
    tenant: Annotated[str | None, typer.Option(help="Of this tenant alone.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the keys, the newest first."""
    with opened(config) as (_, store):
        found = store.keys(tenant)
    if as_json:
        said([view(key) for key in found])
        return
    rows = [("id", "begins", "tenant", "plan", "name", "made", "state"), *map(row, found)]
    widths = [max(len(each[at]) for each in rows) for at in range(len(rows[0]))]
    for each in rows:
        typer.echo("  ".join(f"{text:<{width}}" for text, width in zip(each, widths, strict=True)).rstrip())


def show(id: Annotated[str, typer.Argument(help="The key's id.")], config: ConfigOption = None) -> None:
    """Show all that is known of a key, as JSON."""
    with opened(config) as (_, store):
        key = next((key for key in store.keys(None) if key.id == id), None)
    said(view(key or missing(id)))


def revoke(id: Annotated[str, typer.Argument(help="The key's id.")], config: ConfigOption = None) -> None:
    """Revoke a key: from then on (at most 5 s later) nobody is served for it."""
    with opened(config) as (_, store):
        key = store.revoke_key(id, time.time())
    typer.echo(f"{(key or missing(id)).id} is revoked")


@contextmanager
def opened(config: Path | None) -> "Iterator[tuple[Settings, Store]]":
    """The settings and their store. Raises ConfigError, StoreError."""
    from foldpoint.config import load
    from foldpoint.stores import open_store

    settings = load(config_path(config)).settings
    store = open_store(settings.store.url, settings.data_dir)
    try:
        yield settings, store
    finally:
        store.close()


def digest(settings: "Settings", store: "Store", secret: str) -> bytes:
    """What the store knows a secret by."""
    from foldpoint.gateway.keyring import digest_of

    given = settings.gateway.key_secret
    return digest_of(store.secret() if given is None else given.encode(), secret.encode())


def pairs(option: str, given: Pairs | None) -> dict[str, str]:
    """The values by name."""
    found = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise typer.BadParameter(f"{each!r} must be NAME=VALUE", param_hint=option)
        found[name] = value
    return found


def parameters(given: dict[str, str]) -> dict[str, dict[str, Any]]:
    """By skill, each value as its parameter is: a text becomes a number or a truth value; a name that is none stays for
    the check."""
    from foldpoint.config.sources import converted
    from foldpoint.core.key_skills import SETTABLE
    from foldpoint.core.policy import SKILLS

    found: dict[str, dict[str, Any]] = {}
    for named, text in given.items():
        skill, _, name = named.rpartition(".")
        known = SETTABLE.get(skill or SKILLS[0], {})
        found.setdefault(skill or SKILLS[0], {})[name] = converted(text, known[name].kind) if name in known else text
    return found


def view(key: "Key") -> dict[str, Any]:
    """A key for programs."""
    import msgspec

    listed: dict[str, Any] = msgspec.to_builtins(key)
    return listed


def row(key: "Key") -> tuple[str, ...]:
    """A key for people."""
    made = time.strftime("%Y-%m-%d", time.gmtime(key.created))
    state = "good" if key.revoked is None else "revoked"
    return (key.id, f"{key.shown}…", key.tenant, key.plan, key.name or "-", made, state)


def said(value: object) -> None:
    """Print JSON."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


def missing(id: str) -> "Key":
    """Say that there is no such key. Raises StoreError."""
    from foldpoint.stores import StoreError

    raise StoreError(f"no key has the id {id!r}; foldpoint keys list shows those there are")
