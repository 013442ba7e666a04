"""The settings a process runs with, checked and complete."""

import re
from pathlib import Path
from typing import Literal

import msgspec

from foldpoint.core.policy import Policy

MASK = "********"
_DURATION = re.compile(r"([1-9]\d{0,8})([smhd])")
_PASSWORD = re.compile(r"(?<=://)([^/@]*?):[^/@]*@")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


Auth = Literal["pass_through", "keys"]
LogFormat = Literal["auto", "json", "text"]


class GatewaySettings(msgspec.Struct, frozen=True):
    """Where the gateway listens, who may use it, and its limits.

    auth: `pass_through` serves everyone, `keys` those alone that bring a key of ours. `admin_key` opens the admin API
    (None: nobody may), `key_secret` is what keys are hashed with (None: one is made and kept in the store).
    """

    host: str = "127.0.0.1"
    port: int = 4600
    workers: int = 1
    auth: Auth = "pass_through"
    admin_key: str | None = None
    key_secret: str | None = None
    max_body_bytes: int = 64 * 1024 * 1024
    client_timeout_seconds: float = 60.0
    drain_seconds: float = 30.0
    upstream_timeout_seconds: float = 600.0

    def __repr__(self) -> str:
        return f"GatewaySettings(host={self.host!r}, port={self.port!r}, workers={self.workers!r}, auth={self.auth!r})"


class StoreSettings(msgspec.Struct, frozen=True):
    """Where records are kept and for how long the folded conversations are."""

    url: str = "sqlite:///foldpoint.db"
    shared: str = ""
    messages: str = "24h"
    flush_ms: int = 250

    def __repr__(self) -> str:
        return f"StoreSettings(url={unsigned(self.url)!r}, shared={unsigned(self.shared)!r})"

    def messages_seconds(self) -> int | None:
        """How long folded conversations are kept; None = not at all."""
        return None if self.messages == "off" else seconds(self.messages)


class TelemetrySettings(msgspec.Struct, frozen=True):
    """What is told of the gateway's work: figures for Prometheus, traces and figures over OTLP, a log line a request.

    metrics_key: what a scraper has to send as bearer (None: nothing). otlp_endpoint: the collector ("": none).
    """

    metrics: bool = True
    metrics_key: str | None = None
    otlp_endpoint: str = ""
    log_requests: bool = False
    log_format: LogFormat = "auto"

    def __repr__(self) -> str:
        return f"TelemetrySettings(metrics={self.metrics!r}, log_requests={self.log_requests!r})"


class Aws(msgspec.Struct, frozen=True):
    """AWS credentials of ours: keys, or the profile of botocore's that has them; empty: none.

    `lends`: they were set for the gateway and serve every program that asks it; else they merely lie in its environment
    and serve requests that were signed with the same ones.
    """

    access_key_id: str = ""
    secret_access_key: str = ""
    session_token: str = ""
    profile: str = ""
    lends: bool = False

    def __repr__(self) -> str:
        return f"Aws(access_key_id={self.access_key_id!r}, profile={self.profile!r}, lends={self.lends!r})"


class Upstream(msgspec.Struct, frozen=True):
    """A provider: its address without a slash at the end, and our key for it (None: the client's passes through).

    aws: what signs requests to it anew; Bedrock's alone.
    """

    base_url: str
    api_key: str | None = None
    keep_session_id: bool = False
    aws: Aws = Aws()

    def __repr__(self) -> str:
        key = None if self.api_key is None else MASK
        return f"Upstream(base_url={self.base_url!r}, api_key={key!r}, keep_session_id={self.keep_session_id!r})"


class Settings(msgspec.Struct, frozen=True):
    """All of it. `upstreams` has `openai`, `anthropic`, `gemini`, `bedrock`; a relative store lies in `data_dir`."""

    gateway: GatewaySettings
    store: StoreSettings
    upstreams: dict[str, Upstream]
    skills: Policy
    data_dir: Path
    telemetry: TelemetrySettings = TelemetrySettings()

    def policy(self) -> Policy:
        """What the engine folds by."""
        return self.skills


def seconds(duration: str) -> int | None:
    """The seconds of `90s`, `15m`, `24h` or `7d`; None for anything else."""
    match = _DURATION.fullmatch(duration)
    return int(match[1]) * _SECONDS[match[2]] if match else None


def unsigned(url: str) -> str:
    """The address without the password in it."""
    return _PASSWORD.sub(rf"\1:{MASK}@", url)
