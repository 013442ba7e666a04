"""Records as rows of a database: every query about them."""

import zlib
from typing import Any

from foldpoint.core.record import Record

from .base import By, Kept, Page, Savings, SessionSums, StoreError, Sums
from .columns import COLUMNS, cleaned, held, record_of, row_of
from .cursor import cursor_at, place_of
from .database import Database, Insert

NAMED = ", ".join(f"request.{name}" for name in COLUMNS)
BODY = ("id", "time", "messages")
TOTALS = (
    "tokens_before", "tokens_after", "tokens_saved", "tokens_would_save", "input", "cache_read", "cache_write", "output"
)  # fmt: skip
SUMS = (
    "COUNT(*), COUNT(CASE WHEN verdict = 'compacted' THEN 1 END), "
    + ", ".join(f"CAST(COALESCE(SUM({name}), 0) AS BIGINT)" for name in TOTALS)
    + ", COUNT(cost + cost_without), SUM(cost + 0 * cost_without), SUM(cost_without + 0 * cost)"
)
PURGED = 1000
"""Bodies that are forgotten at once, so that nobody who writes waits for long."""


class Records:
    """Implements RecordStore on a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._groups: dict[By | None, str] = {
            None: "'all'", "model": "model", "session": "session", "day": database.dialect.day
        }  # fmt: skip

    def add(self, batch: list[Kept]) -> None:
        """Write the batch, all of it or nothing. A record whose id is there already is left as it is."""
        requests = [row_of(cleaned(kept.record)) for kept in batch]
        bodies = [
            (held(kept.record.id), kept.record.time, zlib.compress(kept.messages, 1))
            for kept in batch
            if kept.messages is not None
        ]
        self._database.insert(Insert("request", COLUMNS, requests), Insert("body", BODY, bodies))

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
        where = "tenant = ?"
        values: list[Any] = [tenant]
        for condition, value in (("session = ?", session), ("verdict = ?", verdict), ("time >= ?", since)):
            if value is not None:
                where += f" AND {condition}"
                values.append(value)
        if cursor is not None:
            where += " AND (time, id) < (?, ?)"
            values += place_of(cursor)
        rows = self._rows(
            f"SELECT {NAMED} FROM request WHERE {where} ORDER BY time DESC, id DESC LIMIT ?", *values, limit + 1
        )
        records = [record_of(row) for row in rows[:limit]]
        more = len(rows) > limit and records
        return Page(records, cursor_at(records[-1].time, records[-1].id) if more else None)

    def request(self, tenant: str, id: str, messages: bool = False) -> Kept | None:
        """One record, with its folded body when asked for; None when the tenant has no such record."""
        body, join = ("body.messages", "LEFT JOIN body USING (id)") if messages else ("NULL", "")
        rows = self._rows(f"SELECT {NAMED}, {body} FROM request {join} WHERE id = ? AND tenant = ?", id, tenant)
        if not rows:
            return None
        *row, compressed = rows[0]
        return Kept(record_of(tuple(row)), None if compressed is None else _whole(id, compressed))

    def sessions(self, tenant: str, limit: int = 100) -> list[SessionSums]:
        """The sessions with the newest requests, newest first."""
        rows = self._rows(
            f"SELECT session, MIN(time), MAX(time), COUNT(DISTINCT transcript), {SUMS} FROM request"
            " WHERE tenant = ? GROUP BY session ORDER BY MAX(time) DESC, session LIMIT ?",
            tenant,
            limit,
        )
        return [SessionSums(name, first, last, count, Sums(*sums)) for name, first, last, count, *sums in rows]

    def session(self, tenant: str, session: str, limit: int = 1000) -> list[Record]:
        """The newest records of one session, oldest first; empty when the tenant has no such session."""
        return self.requests(tenant, session=session, limit=limit).records[::-1]

    def savings(self, tenant: str, by: By | None = None) -> list[Savings]:
        """The figures by model, session or day (UTC), the newest first; without `by` one row of all, named `all`."""
        rows = self._rows(
            f"SELECT {self._groups[by]} AS name, {SUMS} FROM request WHERE tenant = ? GROUP BY name"
            " ORDER BY MAX(time) DESC, name LIMIT 1000",
            tenant,
        )
        return [Savings(row[0], Sums(*row[1:])) for row in rows]

    def ping(self) -> None:
        """Raise StoreError when the store cannot be reached."""
        self._rows("SELECT 1 FROM request LIMIT 1")

    def purge(self, before: float) -> int:
        """Forget the folded bodies of requests before that time (the records stay); how many they were.

        Processes that do it at once take different ones.
        """
        old = f"SELECT id FROM body WHERE time < ? ORDER BY time LIMIT {PURGED} {self._database.dialect.skip_locked}"
        forgotten = 0
        while found := self._database.change(f"DELETE FROM body WHERE id IN ({old})", (before,)):
            forgotten += found
        return forgotten

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._database.rows(query, [held(value) for value in values])


def _whole(id: str, compressed: bytes) -> bytes:
    try:
        return zlib.decompress(compressed)
    except zlib.error as error:
        raise StoreError(f"the folded body of request {id!r} is damaged: {error}") from error
