"""The one list of the settings outside the skills: kind, default, meaning, and what a value must be.

`foldpoint.core.parameters` is the same list for the skills; checks, `config show` and `config init` are made from both.
"""

import re
from collections.abc import Callable
from typing import Literal, get_args

import msgspec

from foldpoint.core.key import UPSTREAMS
from foldpoint.core.parameters import PARAMETERS, Parameter, Value

from .settings import Auth, LogFormat, seconds

Kind = Literal["int", "float", "bool", "choice", "text"]
SKILL = "skills.agent_trajectory_compaction"
SKILL_TABLES = tuple(f"skills.{skill}" for skill in PARAMETERS)
_SECRET = "env:NAME, file:PATH or the text itself"
_POINTER = "env:NAME or file:PATH that holds it"
_ADDRESS = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")
_DATABASE = re.compile(r"postgres(ql)?://[^\s/?#]*/[^\s/?#]+(\?\S*)?")


class Setting(msgspec.Struct, frozen=True):
    """One setting by its dotted key; `wrong` says what is wrong with a value of the right kind, or None."""

    key: str
    kind: Kind
    default: Value
    about: str
    wrong: Callable[[Value], str | None] = lambda value: None
    secret: bool = False
    optional: bool = False
    address: bool = False
    """May stand in a variable or a file, `env:NAME` or `file:PATH`, for there may be a password in it."""

    @property
    def table(self) -> str:
        """The table it stands in."""
        return self.key.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Its key inside the table."""
        return self.key.rpartition(".")[2]


def bedrock_address(region: str) -> str:
    """The address of AWS Bedrock in a region."""
    return f"https://bedrock-runtime.{region}.amazonaws.com"


def kind_problem(kind: Kind, value: object) -> str | None:
    """What is wrong with the type of a value, or None."""
    match kind:
        case "bool":
            return None if isinstance(value, bool) else "must be true or false"
        case "int":
            return None if isinstance(value, int) and not isinstance(value, bool) else "must be a whole number"
        case "float":
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            return None if number else "must be a number"
        case _:
            return None if isinstance(value, str) else "must be text in quotes"


def _at_least(floor: int, most: float = float("inf")) -> Callable[[Value], str | None]:
    """A check that a number is in its range."""

    def wrong(value: Value) -> str | None:
        if isinstance(value, (int, float)) and floor <= value <= most and value != float("inf"):
            return None
        return f"must be >= {floor}" + (f" and <= {most:.0f}" if most != float("inf") else "")

    return wrong


def _one_of(*allowed: str) -> Callable[[Value], str | None]:
    """A check that a value is one of these words."""
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}"


def _host(value: Value) -> str | None:
    return None if re.fullmatch(r"[^\s/]+", str(value)) else "must be a host name or an address, without a port"


def _store_url(value: Value) -> str | None:
    text = str(value)
    if re.match("postgres(ql)?://", text):
        return None if _DATABASE.fullmatch(text) else "must be such as postgresql://user:password@host:5432/database"
    path = text.removeprefix("sqlite:///")
    if path == text:
        return (
            "must begin with sqlite:/// (sqlite:///name lies in the data directory, sqlite:////path is absolute) or "
            "postgresql://"
        )
    return None if path.strip("/") else "names no file: sqlite:///foldpoint.db would be one"


def _shared(value: Value) -> str | None:
    fits = value == "" or re.fullmatch(r"(valkey|redis)s?://[^\s/?#]+(/\d*)?", str(value))
    return None if fits else 'must be such as valkey://:password@host:6379/0, or ""'


def _messages(value: Value) -> str | None:
    fits = value == "off" or seconds(str(value)) is not None
    return None if fits else 'must be a time such as "90s", "15m", "24h" or "7d", or "off"'


def _address(value: Value) -> str | None:
    fits = _ADDRESS.fullmatch(str(value))
    return None if fits else "must be an address such as https://api.example.com, without a query"


def _collector(value: Value) -> str | None:
    return None if value == "" else _address(value)


def _aws(value: Value) -> str | None:
    fits = value == "env" or re.fullmatch(r"profile:\S+", str(value))
    return None if fits else 'must be "env" or "profile:NAME"'


_GATEWAY = (
    Setting("gateway.host", "text", "127.0.0.1", "address to listen on", _host),
    Setting("gateway.port", "int", 4600, "port to listen on; 0 = a free one", _at_least(0, 65535)),
    Setting("gateway.workers", "int", 1, "processes that share the port", _at_least(1, 256)),
    Setting(
        "gateway.auth", "text", "pass_through",
        "pass_through: whoever reaches the port is served; keys: only who brings a key made by `foldpoint keys create`",
        _one_of(*get_args(Auth)),
    ),
    Setting(
        "gateway.admin_key", "text", None, f"opens the admin API, {_SECRET}; without it that is closed",
        secret=True, optional=True,
    ),
    Setting(
        "gateway.key_secret", "text", None,
        f"what keys are hashed with, {_SECRET}; without it one is made and kept in the store",
        secret=True, optional=True,
    ),
    Setting(
        "gateway.max_body_bytes", "int", 64 * 1024 * 1024, "longer request bodies are streamed through unfolded",
        _at_least(1),
    ),
    Setting(
        "gateway.client_timeout_seconds", "float", 60.0,
        "how long a client may take to send its headers, and stay still while it sends a body or reads an answer; "
        "0 = for ever",
        _at_least(0),
    ),
    Setting("gateway.drain_seconds", "float", 30.0, "how long open answers may take to end at a stop", _at_least(0)),
    Setting(
        "gateway.upstream_timeout_seconds", "float", 600.0,
        "how long a provider may stay silent, before its answer and between two pieces of it; 0 = for ever",
        _at_least(0),
    ),
)  # fmt: skip
_STORE = (
    Setting(
        "store.url", "text", "sqlite:///foldpoint.db",
        "where records and keys are kept; relative to the data directory, sqlite:////path is absolute; or "
        f"postgresql://…, which several machines can share; or {_POINTER}",
        _store_url, address=True,
    ),
    Setting(
        "store.shared", "text", "",
        "valkey://… : newest records, limits and news of keys, shared by replicas; without it those of this machine; "
        f"or {_POINTER}",
        _shared, address=True,
    ),
    Setting("store.messages", "text", "24h", 'how long folded conversations are kept; "off" keeps none', _messages),
    Setting(
        "store.flush_ms", "int", 250, "milliseconds of records that a crash may lose at most", _at_least(1, 60_000)
    ),
)  # fmt: skip


_TELEMETRY = (
    Setting("telemetry.metrics", "bool", True, "figures for Prometheus at /metrics"),
    Setting(
        "telemetry.metrics_key", "text", None, f"what a scraper sends as bearer, {_SECRET}; without it none is asked",
        secret=True, optional=True,
    ),
    Setting(
        "telemetry.otlp_endpoint", "text", "",
        "collector of OpenTelemetry traces and metrics over HTTP, such as http://127.0.0.1:4318", _collector,
    ),
    Setting("telemetry.log_requests", "bool", False, "a log line for each request"),
    Setting(
        "telemetry.log_format", "text", "auto", "auto: text on a terminal, else JSON lines; json; text",
        _one_of(*get_args(LogFormat)),
    ),
)  # fmt: skip


def _upstream(name: str) -> tuple[Setting, ...]:
    """The settings of one provider."""
    address = {
        "openai": "https://api.openai.com",
        "anthropic": "https://api.anthropic.com",
        "gemini": "https://generativelanguage.googleapis.com",
        "bedrock": bedrock_address("us-east-1"),
    }[name]
    table = f"upstreams.{name}"
    return (
        Setting(f"{table}.base_url", "text", address, "address of the provider", _address),
        Setting(
            f"{table}.api_key", "text", None,
            "our key for it: env:NAME, file:PATH or the key; without it the client's own key passes through",
            secret=True, optional=True,
        ),
        Setting(f"{table}.keep_session_id", "bool", False, "leave a session_id in the body, the provider knows it"),
    )  # fmt: skip


def _of_skill(skill: str, parameter: Parameter) -> Setting:
    key = f"skills.{skill}.{parameter.name}"
    return Setting(key, parameter.kind, parameter.default, parameter.about, optional=parameter.optional)


_AWS = Setting(
    "upstreams.bedrock.aws_credentials", "text", None,
    "env or profile:NAME: AWS credentials that sign for every program; without it those in the environment sign anew "
    "what was signed with them",
    _aws, optional=True,
)  # fmt: skip
_SKILLS = tuple(_of_skill(skill, parameter) for skill, listed in PARAMETERS.items() for parameter in listed)
_UPSTREAMS = (*(setting for name in UPSTREAMS for setting in _upstream(name)), _AWS)
SETTINGS = (*_GATEWAY, *_STORE, *_TELEMETRY, *_UPSTREAMS, *_SKILLS)
"""Every setting, in the order of the file."""
KNOWN = {tuple(setting.key.split(".")): setting for setting in SETTINGS}
SECRETS = tuple(setting.key for setting in SETTINGS if setting.secret)
ADDRESSES = tuple(setting for setting in SETTINGS if setting.address)


def is_pointer(value: Value) -> bool:
    """Whether the value says where the real one stands."""
    return isinstance(value, str) and value.startswith(("env:", "file:"))
