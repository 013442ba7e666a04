"""Originals of hidden tool results as rows of a database: every query about them."""

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from .base import Original, Result, StoreError, whole_of
from .columns import held
from .database import Database, Insert

TEXT = ("tenant", "hash", "time", "texts")
SEEN = ("id", "place", "tenant", "session", "transcript", "call", "turn", "name", "hash", "characters", "time")
LONGEST = 256
"""Characters of a name and a transcript that are kept."""
ASKED = 400
"""Hashes that are looked up with one query."""
PURGED = 1000
"""Originals that are forgotten at once, so that nobody who writes waits for long."""
OLD = "gone IS NULL AND time < ?"
USED = (
    "FROM result_seen JOIN request ON request.tenant = result_seen.tenant AND request.session = result_seen.session"
    " WHERE result_seen.tenant = result_text.tenant AND result_seen.hash = result_text.hash AND request.time >= ?"
)
"""The requests, from a time on, of sessions in which an original was seen."""
IN_SESSION = (
    "(session = ? OR transcript <> '' AND transcript IN"
    " (SELECT transcript FROM request WHERE request.tenant = ? AND request.session = ?))"
)
"""Seen there, or in a transcript that the session goes on with: a client that resumes one names a new session."""
_PACKED = msgspec.msgpack.Decoder(list[bytes])


class Results:
    """Implements ResultStore on a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        one_by_one = database.dialect.skip_locked
        which = f"(tenant, hash) IN (SELECT tenant, hash FROM result_text WHERE {OLD}{{}} ORDER BY time LIMIT {PURGED}"
        self._renew = (
            f"UPDATE result_text SET time = (SELECT MAX(request.time) {USED})"
            f" WHERE {which.format(f' AND EXISTS (SELECT 1 {USED})')} {one_by_one})"
        )
        self._forget = f"UPDATE result_text SET texts = ?, gone = ? WHERE {which.format('')} {one_by_one})"

    def keep(self, originals: Sequence[Original]) -> None:
        """Write what is not there yet; what is there lives from its newest time on."""
        texts: dict[tuple[str, bytes], tuple[float, bytes]] = {}
        seen: dict[bytes, tuple[Any, ...]] = {}
        for original in originals:
            packed = _packed(original.texts)
            tenant, hash = held(original.tenant), sha256(packed).digest()
            time, _ = texts.get((tenant, hash), (original.time, b""))
            texts[tenant, hash] = max(time, original.time), packed
            row = _seen(original, tenant, hash)
            seen.setdefault(row[0], row)
        new = [(*key, time, zlib.compress(packed, 1)) for key, (time, packed) in self._missing(texts)]
        # In one order everywhere: replicas that write the same rows never wait for each other in a ring.
        self._database.insert(
            Insert("result_text", TEXT, sorted(new)), Insert("result_seen", SEEN, sorted(seen.values()))
        )

    def result(self, tenant: str, session: str, id: str, turn: int | None = None) -> Result | None:
        """The newest result of that call, or the one of that turn; None when the tenant's session has none."""
        tenant, place = held(tenant), _place(tenant, id)
        session_held = held(session)
        which, values = ("", ()) if turn is None else (" AND turn = ?", (held(turn),))
        rows = self._database.rows(
            "SELECT transcript, turn, name, characters, result_seen.time, gone, texts FROM result_seen"
            f" JOIN result_text USING (tenant, hash) WHERE place = ? AND tenant = ?{which} AND {IN_SESSION}"
            " ORDER BY CASE WHEN session = ? THEN 0 ELSE 1 END, result_seen.time DESC, turn DESC, id LIMIT 1",
            (place, tenant, *values, session_held, tenant, session_held, session_held),
        )
        if not rows:
            return None
        transcript, found_turn, name, characters, time, gone, compressed = rows[0]
        texts = None if gone is not None else _unpacked(id, compressed)
        return Result(id, session, transcript, found_turn, name, time, characters, texts, gone)

    def purge_results(self, before: float, now: float) -> int:
        """Forget the originals of sessions that were last heard of before that time; how many they were.

        Processes that do it at once take different ones.
        """
        while self._database.change(self._renew, (before, before, before)):
            pass
        forgotten = 0
        while found := self._database.change(self._forget, (b"", now, before)):
            forgotten += found
        return forgotten

    def _missing(
        self, texts: dict[tuple[str, bytes], tuple[float, bytes]]
    ) -> Iterable[tuple[tuple[str, bytes], tuple[float, bytes]]]:
        """Those that have no row; the others are renewed."""
        known = self._known(texts)
        for key, (time, packed) in texts.items():
            if key not in known:
                yield key, (time, packed)
            elif (at := known[key]) is None or at < time:
                self._live(key, time, packed)

    def _known(self, keys: Iterable[tuple[str, bytes]]) -> dict[tuple[str, bytes], float | None]:
        """The time of each that has a row, None where it is forgotten."""
        hashes: dict[str, list[bytes]] = {}
        for tenant, hash in keys:
            hashes.setdefault(tenant, []).append(hash)
        known: dict[tuple[str, bytes], float | None] = {}
        for tenant, all_of_it in hashes.items():
            for begin in range(0, len(all_of_it), ASKED):
                some = all_of_it[begin : begin + ASKED]
                marks = ", ".join("?" * len(some))
                rows = self._database.rows(
                    f"SELECT hash, time, gone FROM result_text WHERE tenant = ? AND hash IN ({marks})", (tenant, *some)
                )
                known.update({(tenant, bytes(hash)): time if gone is None else None for hash, time, gone in rows})
        return known

    def _live(self, key: tuple[str, bytes], time: float, packed: bytes) -> None:
        """Let a row that is there live from that time on, with its texts again where they were forgotten."""
        which = "WHERE tenant = ? AND hash = ?"
        if not self._database.change(f"UPDATE result_text SET time = ? {which} AND gone IS NULL", (time, *key)):
            again = f"UPDATE result_text SET time = ?, gone = NULL, texts = ? {which}"
            self._database.change(again, (time, zlib.compress(packed, 1), *key))


def _seen(original: Original, tenant: str, hash: bytes) -> tuple[Any, ...]:
    """The row of where an original was seen."""
    place = _place(original.tenant, original.id)
    transcript, name = held(original.transcript[:LONGEST]), held(original.name[:LONGEST])
    session, call = held(original.session), held(original.id)
    told_apart = sha256(msgspec.json.encode([place, hash, original.turn, session, transcript])).digest()
    characters = len(whole_of(original.texts))
    return told_apart, place, tenant, session, transcript, call, original.turn, name, hash, characters, original.time


def _place(tenant: str, id: str) -> bytes:
    """What rows of one call are found by: an id may be longer than an index takes."""
    return sha256(msgspec.json.encode([held(tenant), held(id)])).digest()


def _packed(texts: Sequence[str]) -> bytes:
    return msgspec.msgpack.encode([text.encode("utf-8", "surrogatepass") for text in texts])


def _unpacked(id: str, compressed: bytes) -> tuple[str, ...]:
    try:
        packed = _PACKED.decode(zlib.decompress(compressed))
        return tuple(text.decode("utf-8", "surrogatepass") for text in packed)
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"the original of result {id!r} is damaged: {error}") from error
