"""A key of ours: whose requests it brings, what it may do, and what its skills are set to."""

from typing import Literal, get_args

import msgspec

from .parameters import Value
from .policy import Mode

Plan = Literal["developer", "team", "enterprise"]
PLANS: tuple[Plan, ...] = get_args(Plan)
UPSTREAMS = ("openai", "anthropic", "gemini", "bedrock")
"""The providers."""


class KeyLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a key may use up; None = no limit. Tokens are those of prompts and answers as the provider bills them."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrent_requests: int | None = None

    @property
    def any(self) -> bool:
        """Is anything limited?"""
        return self != UNLIMITED


UNLIMITED = KeyLimits()


class Exceeded(msgspec.Struct, frozen=True):
    """A limit that is used up: which, how much it allows, and in how many seconds it is worth to ask again."""

    what: Literal["requests_per_minute", "tokens_per_minute", "concurrent_requests"]
    limit: int
    seconds: float


class KeySkills(msgspec.Struct, frozen=True):
    """What a key sets otherwise than the gateway's configuration.

    skills: the skills that are on, all others are off (None: as configured). modes and params: by skill.
    """

    skills: tuple[str, ...] | None = None
    modes: dict[str, Mode] = {}
    params: dict[str, dict[str, Value]] = {}


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret.

    `shown` is how the secret begins, for people; `upstreams` says where our credential for a provider lies
    (`env:NAME`, `file:PATH`); `created` and `revoked` are seconds since the epoch (None: it is good).
    """

    id: str
    name: str = ""
    tenant: str = "local"
    plan: Plan = "developer"
    shown: str = ""
    skills: KeySkills = KeySkills()
    upstreams: dict[str, str] = {}
    limits: KeyLimits = UNLIMITED
    created: float = 0.0
    revoked: float | None = None
