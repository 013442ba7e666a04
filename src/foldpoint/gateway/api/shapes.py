"""What the API answers with. The OpenAPI document is made from these."""

from typing import Any

import msgspec

from foldpoint.core.key import Key, KeyLimits
from foldpoint.core.policy import Mode
from foldpoint.core.record import Record
from foldpoint.stores.base import By, Sums


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wrong, and the field at fault where there is one."""

    message: str
    field: str = ""


class Faults(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first fault, and all of them where there are several."""

    error: Fault
    errors: list[Fault] = []


class Stage(msgspec.Struct, frozen=True):
    """What one skill did with a request."""

    skill: str
    action: str
    sealed: int
    total: int
    checkpoint: str


class Request(Record, frozen=True, kw_only=True):
    """A record as it is said: every column, and the stage of each skill that was consulted."""

    stages: list[Stage]
    messages_compacted: list[Any] | msgspec.UnsetType | None = msgspec.UNSET


class Requests(msgspec.Struct, frozen=True):
    """A page of records, newest first; `cursor` gives the next one (null: this is the last)."""

    requests: list[Request]
    cursor: str | None = None


class NewestRequests(msgspec.Struct, frozen=True):
    """The newest records, newest first, from memory."""

    requests: list[Request]


class Figures(Sums, frozen=True):
    """Figures of several requests with the saving in USD, null where no request is priced."""

    cost_saved: float | None = None


class Session(Sums, frozen=True, kw_only=True):
    """One session: its first and newest request (seconds since the epoch), its transcripts counted, its figures."""

    session: str
    first: float
    last: float
    transcripts: int
    cost_saved: float | None = None


class Sessions(msgspec.Struct, frozen=True):
    """The sessions with the newest requests, newest first."""

    sessions: list[Session]


class Transcript(msgspec.Struct, frozen=True):
    """One transcript of a session with its requests, oldest first."""

    transcript: str
    requests: list[Request]


class SessionDetail(msgspec.Struct, frozen=True):
    """A session's transcripts in the order they began; `truncated`: it has older requests than those."""

    session: str
    transcripts: list[Transcript]
    truncated: bool


class Saved(Figures, frozen=True, kw_only=True):
    """The figures of one model, session or day."""

    name: str


class Savings(msgspec.Struct, frozen=True):
    """What the fold saved, in all and by what was asked for."""

    by: By | None
    rows: list[Saved]
    total: Figures


class Next(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """Where to go on: the line, and the characters of it to skip."""

    from_: int
    skip: int


class Result(msgspec.Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A hidden result, or a part of it: of `lines` lines and `characters` characters the lines `from` to `to`; with a
    pattern the lines that match, each behind its number. `next` and `more` say how to go on where it was cut."""

    id: str
    session: str
    transcript: str
    turn: int
    name: str
    time: float
    characters: int
    lines: int
    from_: int
    to: int
    matches: int | None
    text: str
    next: Next | None
    more: str


class Skills(msgspec.Struct, frozen=True):
    """What a key folds by: the skills that are on, the mode of each, the parameters that a key may set."""

    skills: list[str]
    skill_modes: dict[str, Mode]
    skill_params: dict[str, dict[str, Any]]


class KeyView(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret; `shown` is how that begins. Times are seconds since the epoch."""

    id: str
    name: str
    tenant: str
    plan: str
    shown: str
    skills: Skills
    upstreams: dict[str, str]
    limits: KeyLimits
    created: float
    revoked: float | None


class NewKey(msgspec.Struct, frozen=True):
    """A key that was made, and its secret: it is shown here and never again."""

    key: KeyView
    secret: str


class Keys(msgspec.Struct, frozen=True):
    """Keys, the newest first."""

    keys: list[KeyView]


def key_view(key: Key, skills: dict[str, Any]) -> KeyView:
    """A key as it is said, with what it folds by."""
    return KeyView(
        id=key.id,
        name=key.name,
        tenant=key.tenant,
        plan=key.plan,
        shown=key.shown,
        skills=Skills(**skills),
        upstreams=key.upstreams,
        limits=key.limits,
        created=key.created,
        revoked=key.revoked,
    )
