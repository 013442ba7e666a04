"""Values that labels may have. Sets are closed or bounded, so that no client makes series without end."""

from collections.abc import Callable, Collection
from functools import lru_cache

from foldpoint.core.receipt import REASONS
from foldpoint.core.record import CLIENT_LEFT

from .names import OTHER, UNKNOWN, Outcome

SURFACES = frozenset(("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"))
MOST_CHECKS = 32
CHECK = "check:"
LONGEST = 100
REMEMBERED = 1_000


def closed(value: str, known: Collection[str]) -> str:
    """The value where it is one of the known ones, else `other`; `unknown` where there is none."""
    return value if value in known else OTHER if value else UNKNOWN


def outcome_of(status: int) -> Outcome:
    """How a request ended for the client. Status 0: it left before an answer."""
    if status in (0, CLIENT_LEFT):
        return "client_left"
    if status < 400:
        return "ok"
    if status == 429:
        return "rate_limited"
    return "client_error" if status < 500 else "server_error"


class Bounded:
    """The first so many values that are seen stand for themselves, all others are `other`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: set[str] = set()

    def of(self, value: str) -> str:
        """The value's label."""
        value = value[:LONGEST]
        if value in self._seen:
            return value
        if len(self._seen) >= self._most:
            return OTHER
        self._seen.add(value)
        return value


class Reasons:
    """Reasons of receipts: the closed list, and the names of checks."""

    def __init__(self) -> None:
        self._checks = Bounded(MOST_CHECKS)

    def of(self, reason: str) -> str:
        """The reason's label."""
        return self._checks.of(reason) if reason.startswith(CHECK) else closed(reason, REASONS)


def models_of(row: Callable[[str], str | None]) -> Callable[[str], str]:
    """What says a model's label. `row` names the row of the price table that it falls under, None: there is none."""
    remembered = lru_cache(REMEMBERED)(row)

    def label(model: str) -> str:
        if not model:
            return UNKNOWN
        return (remembered(model) if len(model) <= LONGEST else row(model)) or OTHER

    return label
