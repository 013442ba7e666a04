"""Merges the sources, checks every value, and makes the settings of them."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from foldpoint.core.key import UPSTREAMS
from foldpoint.core.parameters import Value
from foldpoint.core.policy import TABLES, Policy

from .check import ConfigError, Problem, checked
from .keys import ADDRESSES, KNOWN, SECRETS, SKILL_TABLES, is_pointer
from .settings import Aws, GatewaySettings, Settings, StoreSettings, TelemetrySettings, Upstream
from .sources import Said, from_deployment, from_environment, from_flags, from_text, read_text

AWS = "upstreams.bedrock.aws_credentials"


class Loaded(msgspec.Struct, frozen=True):
    """The settings, and by dotted key each value as it was written and the source that gave it."""

    settings: Settings
    values: dict[str, Value]
    sources: dict[str, str]
    path: Path | None


def load(
    path: Path | None = None, *, flags: Mapping[str, Value] | None = None, environ: Mapping[str, str] | None = None
) -> Loaded:
    """Read defaults, the file at `path`, the environment and flags (by dotted key), the later over the former.

    Raises:
        ConfigError: naming every unknown key and bad value.
    """
    environ = os.environ if environ is None else environ
    said, problems = _sources(path, flags or {}, environ)
    values, sources, wrong = checked(said, KNOWN)
    secrets, unresolved = _secrets(values, sources, environ)
    addresses, unreachable = _addresses(values, sources, environ)
    aws, missing = _aws(values, sources, environ)
    problems += wrong + unresolved + unreachable + missing
    if problems:
        raise ConfigError(problems)
    return Loaded(_made({**values, **secrets, **addresses}, aws, _data_dir(environ)), values, sources, path)


def load_policy(path: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Policy:
    """The policy alone: settings of the gateway may stand beside it and are not looked into.

    Raises:
        ConfigError: naming every unknown key and bad value of the skills.
    """
    environ = os.environ if environ is None else environ
    said, problems = _sources(path, {}, environ)
    values, _, wrong = checked([one for one in said if one.path[0] not in TABLES or one.path[0] == "skills"], KNOWN)
    if problems + wrong:
        raise ConfigError(problems + wrong)
    return _policy(values)


def _sources(
    path: Path | None, flags: Mapping[str, Value], environ: Mapping[str, str]
) -> tuple[list[Said], list[Problem]]:
    """What every source says, lowest first, and what is wrong with the file as a whole."""
    written: list[Said] = []
    problems = []
    try:
        written = from_text(read_text(path), str(path)) if path else []
    except OSError as error:
        problems.append(Problem("", f"cannot be read: {error.strerror or error}", str(path)))
    except ValueError as error:
        problems.append(Problem("", f"is not TOML: {error}", str(path)))
    return [*from_deployment(environ), *written, *from_environment(environ, KNOWN), *from_flags(flags)], problems


def _secrets(
    values: Mapping[str, Value], sources: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[dict[str, str], list[Problem]]:
    """Each secret that is set, by dotted key, read from where its setting points."""
    found: dict[str, str] = {}
    problems = []
    for key in SECRETS:
        written = values[key]
        if not isinstance(written, str):
            continue
        secret, wrong = resolved(written, environ)
        if wrong:
            problems.append(Problem(key, f"{key} {wrong}", sources[key]))
        found[key] = secret
    return found, problems


def _addresses(
    values: Mapping[str, Value], sources: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[dict[str, str], list[Problem]]:
    """Each address that stands in a variable or a file, by dotted key; what stands there is checked, and never said."""
    found: dict[str, str] = {}
    problems = []
    for setting in ADDRESSES:
        written = values[setting.key]
        if not isinstance(written, str) or not is_pointer(written):
            continue
        found[setting.key], wrong = resolved(written, environ)
        if not wrong and (reason := setting.wrong(found[setting.key])):
            wrong = f"points to {written}, and what stands there {reason}"
        if wrong:
            problems.append(Problem(setting.key, f"{setting.key} {wrong}", sources[setting.key]))
    return found, problems


def resolved(written: str, environ: Mapping[str, str]) -> tuple[str, str | None]:
    """The secret that `env:NAME`, `file:PATH` or plain text stands for, and what is wrong with it."""
    where, colon, rest = written.partition(":")
    if colon and where == "env":
        secret, wrong = environ.get(rest, "").strip(), f"names the variable {rest}, which is not set"
    elif colon and where == "file":
        try:
            secret, wrong = Path(rest).read_text(encoding="utf-8").strip(), f"names the file {rest}, which is empty"
        except (OSError, ValueError) as error:
            secret, wrong = "", f"names the file {rest}, which cannot be read: {error}"
    else:
        secret, wrong = written.strip(), "must not be empty: leave it out where there is none"
    if secret and not re.fullmatch(r"[\x21-\x7e]+", secret):
        return "", "must be printable ASCII without spaces, as a header can carry"
    return secret, None if secret else wrong


def _aws(
    values: Mapping[str, Value], sources: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[Aws, list[Problem]]:
    """The AWS credentials: those that the setting points to, else those that lie in the environment."""
    written = values[AWS]
    where, _, profile = str(written or "").partition(":")
    if where == "profile":
        return Aws(profile=profile, lends=True), []
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    key_id, secret, token = (environ.get(name, "").strip() for name in names)
    if where == "env" and not (key_id and secret):
        return Aws(), [Problem(AWS, f"{AWS} is env, but {names[0]} and {names[1]} are not both set", sources[AWS])]
    return (Aws(key_id, secret, token, lends=where == "env") if key_id and secret else Aws()), []


def _made(values: Mapping[str, Any], aws: Aws, data_dir: Path) -> Settings:
    """The settings, from values that were checked, secrets read."""
    upstreams = {
        name: Upstream(
            base_url=values[f"upstreams.{name}.base_url"].rstrip("/"),
            api_key=values[f"upstreams.{name}.api_key"],
            keep_session_id=values[f"upstreams.{name}.keep_session_id"],
            aws=aws if name == "bedrock" else Aws(),
        )
        for name in UPSTREAMS
    }
    gateway = msgspec.convert(_table(values, "gateway"), GatewaySettings)
    store = msgspec.convert(_table(values, "store"), StoreSettings)
    telemetry = msgspec.convert(_table(values, "telemetry"), TelemetrySettings)
    return Settings(gateway, store, upstreams, _policy(values), data_dir, telemetry)


def _policy(values: Mapping[str, Any]) -> Policy:
    return Policy.from_dict({"skills": {table.partition(".")[2]: _table(values, table) for table in SKILL_TABLES}})


def _table(values: Mapping[str, Any], table: str) -> dict[str, Any]:
    """The values of one table by their names in it."""
    return {key[len(table) + 1 :]: value for key, value in values.items() if key.rpartition(".")[0] == table}


def _data_dir(environ: Mapping[str, str]) -> Path:
    """The user's data directory."""
    base = environ.get("XDG_DATA_HOME", "")
    if base.startswith("/"):
        return Path(base, "foldpoint")
    return Path(environ.get("HOME") or "~", ".local/share/foldpoint").expanduser()
