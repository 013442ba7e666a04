"""The seam of the stores: what each can do for records and for keys, and the values it answers with."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import msgspec

from foldpoint.core.errors import FoldpointError
from foldpoint.core.key import Key, KeySkills
from foldpoint.core.record import Record

By = Literal["model", "session", "day"]


class StoreError(FoldpointError):
    """The store could not do what it was asked."""


class BadCursor(FoldpointError, ValueError):
    """The cursor is not one that a page of ours handed out."""


class Original(msgspec.Struct, frozen=True):
    """A tool result that a request hid: its texts as the caller sent them, and where and when it was seen."""

    tenant: str
    session: str
    transcript: str
    id: str
    turn: int
    name: str
    time: float
    texts: tuple[str, ...]


class Result(msgspec.Struct, frozen=True):
    """A kept result of a call. `texts` is None where they are forgotten, which was at `gone`."""

    id: str
    session: str
    transcript: str
    turn: int
    name: str
    time: float
    characters: int
    texts: tuple[str, ...] | None
    gone: float | None = None


def whole_of(texts: Sequence[str]) -> str:
    """A result's texts as one: each begins on a line of its own."""
    return "\n".join(texts)


class Kept(msgspec.Struct, frozen=True):
    """A record, the folded body that was sent, where it is kept, and the originals of what it hid.

    `listed` is False where the originals alone are to be kept: the request is none that is recorded.
    """

    record: Record
    messages: bytes | None = None
    originals: tuple[Original, ...] = ()
    listed: bool = True


class Page(msgspec.Struct, frozen=True):
    """Records, newest first, and the cursor of the next page (None: this is the last)."""

    records: list[Record]
    cursor: str | None = None


class Sums(msgspec.Struct, frozen=True):
    """Figures of several requests. Costs (USD) are of the `priced` ones, whose price is known; None where none is."""

    requests: int = 0
    folded: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    tokens_saved: int = 0
    tokens_would_save: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    priced: int = 0
    cost: float | None = None
    cost_without: float | None = None


class SessionSums(msgspec.Struct, frozen=True):
    """One session: its first and newest request (seconds since the epoch), its transcripts counted, its figures."""

    session: str
    first: float
    last: float
    transcripts: int
    sums: Sums


class Savings(msgspec.Struct, frozen=True):
    """The figures of one model, session or day (`name`)."""

    name: str
    sums: Sums


class RecordStore(Protocol):
    """Keeps records for each tenant. Every method blocks (call it in a thread), may be called from several threads at
    once, and raises StoreError when the store fails. No tenant ever sees a record of another."""

    def add(self, batch: list[Kept]) -> None:
        """Write the batch, all of it or nothing. A record whose id is there already is left as it is."""

    def requests(
        self,
        tenant: str,
        *,
        session: str | None = None,
        verdict: str | None = None,
        since: float | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page:
        """Records, newest first. Raises BadCursor for a cursor that is none of ours."""

    def request(self, tenant: str, id: str, messages: bool = False) -> Kept | None:
        """One record, with its folded body when asked for; None when the tenant has no such record."""

    def sessions(self, tenant: str, limit: int = 100) -> list[SessionSums]:
        """The sessions with the newest requests, newest first."""

    def session(self, tenant: str, session: str, limit: int = 1000) -> list[Record]:
        """The newest records of one session, oldest first; empty when the tenant has no such session."""

    def savings(self, tenant: str, by: By | None = None) -> list[Savings]:
        """The figures by model, session or day (UTC); without `by` one row of all, named `all`."""

    def ping(self) -> None:
        """Raise StoreError when the store cannot be reached."""

    def purge(self, before: float) -> int:
        """Forget the folded bodies of requests before that time (the records stay); how many they were."""

    def close(self) -> None:
        """Let go of the store."""


class Newest(Protocol):
    """The newest records of each tenant, to be looked at without asking the store."""

    def put(self, record: Record, messages: bytes | None = None) -> None:
        """Remember it. Never blocks and never raises."""

    async def records(self, tenant: str) -> Sequence[Record]:
        """The tenant's, newest first. Raises StoreError where they are the store's and it fails."""


class KeyStore(Protocol):
    """Keeps keys, each under the digest of its secret. Blocks and fails as a RecordStore does."""

    def secret(self) -> bytes:
        """What digests are keyed with: 32 bytes, made at the first call and the same for every process from then on."""

    def add_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key. Raises StoreError when its id or digest is there already."""

    def key_by(self, digest: bytes) -> Key | None:
        """The key with that digest, a revoked one too; None when there is none."""

    def keys(self, tenant: str | None = None) -> list[Key]:
        """All keys, or those of one tenant, the newest first."""

    def set_skills(self, id: str, change: Callable[[Key], KeySkills]) -> Key | None:
        """Set a key's skills to what `change` makes of the key as it is, and give it back; None when there is none.
        No change of another is lost, and a revoked key is left as it is."""

    def revoke_key(self, id: str, time: float) -> Key | None:
        """Mark the key as revoked, unless it is already, and give it back; None when there is none."""


class ResultStore(Protocol):
    """Keeps originals of hidden tool results, equal ones of a tenant once. Blocks and fails as a RecordStore does."""

    def keep(self, originals: Sequence[Original]) -> None:
        """Write what is not there yet; what is there lives from its newest time on. Twice the same changes nothing."""

    def result(self, tenant: str, session: str, id: str, turn: int | None = None) -> Result | None:
        """The newest result of that call, or the one of that turn; None when the tenant's session has none."""

    def purge_results(self, before: float, now: float) -> int:
        """Forget the originals of sessions that were last heard of before that time; how many they were. Where each
        was seen stays known."""


class Store(RecordStore, KeyStore, ResultStore, Protocol):
    """All in one place."""
