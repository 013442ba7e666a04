"""What an agent's file says: `agent.toml`, read strictly, every problem with its line."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foldpoint.config import ConfigError
from foldpoint.config.check import Problem
from foldpoint.config.load import resolved
from foldpoint.config.sources import line_numbers, read_text
from foldpoint.core.errors import PolicyError
from foldpoint.core.policy import Policy, unknown_keys

from .dialects import SURFACES
from .prompt import POLICY, WINDOW
from .tools import ToolSettings
from .tools.settings import read_table

ADDRESSES = {"anthropic": "http://127.0.0.1:4600/anthropic"}
"""The gateway of this machine, by surface; the others have one path."""
DEFAULT_ADDRESS = "http://127.0.0.1:4600/v1"
PLAIN = (
    "name", "surface", "model", "base_url", "api_key", "system", "system_file", "max_tokens", "max_turns",
    "window_messages", "disable_native_tools", "timeout_seconds",
)  # fmt: skip
TABLES = ("extra", "store", "tools", "skills", "triggers")
Count = Annotated[int, Meta(ge=1, le=10**9)]


class TriggerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[triggers]`: the directory that is a queue (relative to the file), and the door over HTTP, if `port` is set."""

    queue: str = "triggers"
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    key: str = ""


class AgentSettings(msgspec.Struct, frozen=True):
    """All of it, checked and complete. `api_key` is the key itself; a relative store lies beside the file."""

    name: str
    surface: str
    model: str
    base_url: str
    folder: Path
    api_key: str = ""
    system: str = ""
    max_tokens: int = 8_192
    max_turns: int = 100
    window_messages: int = WINDOW
    disable_native_tools: bool = False
    timeout_seconds: float = 300.0
    extra: dict[str, Any] = {}
    store: str = "sqlite:///conversations.db"
    tools: ToolSettings = ToolSettings()
    policy: Policy = POLICY
    triggers: TriggerSettings = TriggerSettings()

    def __repr__(self) -> str:
        return f"AgentSettings(name={self.name!r}, surface={self.surface!r}, model={self.model!r})"


class _Plain(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=200)]
    model: Annotated[str, Meta(min_length=1)]
    surface: str = "anthropic"
    base_url: str = ""
    api_key: str = ""
    system: str = ""
    system_file: str = ""
    max_tokens: Count = 8_192
    max_turns: Count = 100
    window_messages: Annotated[int, Meta(ge=0, le=10**9)] = WINDOW
    disable_native_tools: bool = False
    timeout_seconds: Annotated[float, Meta(gt=0)] = 300.0


class _Store(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = "sqlite:///conversations.db"


def load_agent(path: Path, environ: Mapping[str, str] = os.environ) -> AgentSettings:
    """Read an agent's file. Raises ConfigError, naming every unknown key and bad value with its line."""
    try:
        text = read_text(path)
        given = tomllib.loads(text)
    except OSError as error:
        raise ConfigError([Problem("", f"cannot be read: {error.strerror or error}", str(path))]) from None
    except ValueError as error:
        raise ConfigError([Problem("", f"is not TOML: {error}", str(path))]) from None
    read = _Reading(given, path, environ)
    settings = read.settings()
    if read.problems or settings is None:
        lines = line_numbers(text)
        raise ConfigError([_placed(key, message, path, lines) for key, message in read.problems])
    return settings


class _Reading:
    """One file while it is read; what is wrong is gathered."""

    def __init__(self, given: dict[str, Any], path: Path, environ: Mapping[str, str]) -> None:
        self.given, self.path, self.environ = given, path, environ
        self.problems: list[tuple[str, str]] = unknown_keys(given, (*PLAIN, *TABLES), "")

    def settings(self) -> AgentSettings | None:
        plain = self._plain()
        store = read_table(self.given.get("store", {}), _Store, "store", self.problems)
        triggers = read_table(self.given.get("triggers", {}), TriggerSettings, "triggers", self.problems)
        tools, policy = self._tools(), self._policy()
        extra = self.given.get("extra", {})
        if not isinstance(extra, dict):
            self.problems.append(("extra", "extra must be a table of further members of a request"))
        if plain is None:
            return None
        if plain.surface not in SURFACES:
            self.problems.append(("surface", f"surface must be one of {', '.join(SURFACES)}"))
        return AgentSettings(
            name=plain.name,
            surface=plain.surface,
            model=plain.model,
            base_url=plain.base_url or ADDRESSES.get(plain.surface, DEFAULT_ADDRESS),
            folder=self.path.parent.resolve(),
            api_key=self._secret("api_key", plain.api_key),
            system=self._system(plain),
            max_tokens=plain.max_tokens,
            max_turns=plain.max_turns,
            window_messages=plain.window_messages,
            disable_native_tools=plain.disable_native_tools,
            timeout_seconds=plain.timeout_seconds,
            extra=extra,
            store=store.url,
            tools=tools,
            policy=policy,
            triggers=msgspec.structs.replace(triggers, key=self._secret("triggers.key", triggers.key)),
        )

    def _plain(self) -> _Plain | None:
        """The keys outside of tables, each looked at by itself."""
        fields = {field.name: field for field in msgspec.structs.fields(_Plain)}
        taken: dict[str, Any] = {}
        for name, field in fields.items():
            if name not in self.given:
                if field.required:
                    self.problems.append((name, f"{name} must be set"))
                continue
            try:
                taken[name] = msgspec.convert(self.given[name], field.type)
            except msgspec.ValidationError as error:
                self.problems.append((name, f"{name}: {_said(error)}"))
        return _Plain(**taken) if "name" in taken and "model" in taken else None

    def _tools(self) -> ToolSettings:
        try:
            return ToolSettings.from_dict(self.given.get("tools", {}), self.environ)
        except PolicyError as error:
            self.problems += error.problems
            return ToolSettings()

    def _policy(self) -> Policy:
        """The skills: what the file says over what an agent has without it."""
        skills = self.given.get("skills", {})
        try:
            Policy.from_dict({"skills": skills})
        except PolicyError as error:
            self.problems += error.problems
            return POLICY
        merged = {
            skill: {**msgspec.structs.asdict(getattr(POLICY, skill)), **skills.get(skill, {})}
            for skill in Policy.__struct_fields__
        }
        return Policy.from_dict({"skills": merged})

    def _secret(self, key: str, written: str) -> str:
        if not written:
            return ""
        secret, wrong = resolved(written, self.environ)
        if wrong:
            self.problems.append((key, f"{key} {wrong}"))
        return secret

    def _system(self, plain: _Plain) -> str:
        if not plain.system_file:
            return plain.system
        file = self.path.parent / plain.system_file
        if plain.system:
            self.problems.append(("system_file", "system and system_file are both set: leave one out"))
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            self.problems.append(("system_file", f"system_file names {file}, which cannot be read: {error}"))
            return ""


def _placed(key: str, message: str, path: Path, lines: Mapping[tuple[str, ...], int]) -> Problem:
    parts = tuple(key.split("."))
    while parts and parts not in lines:
        parts = parts[:-1]
    return Problem(key, message, f"{path}:{lines.get(parts, 1)}")


def _said(error: msgspec.ValidationError) -> str:
    """msgspec's words, beginning small."""
    text = str(error)
    return text[:1].lower() + text[1:]
