"""Records reach the store off the request path, in order, once each, whatever the store does meanwhile."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from store_suite import record

from foldpoint.core.hidden import Hidden
from foldpoint.core.record import Record
from foldpoint.core.told import Told
from foldpoint.stores import Kept, Original, Recorder, Spool, SqliteDatabase, SqlStore, StoreError
from foldpoint.stores.recorder import Limits

CRASH = Path(__file__).with_name("crashing.py")


class Flaky:
    """A store that keeps what it takes, and fails or waits when it is told to."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []
        self.batches: list[int] = []
        self.purged: list[float] = []
        self.failing = False
        self.fault: Exception = StoreError("down")
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Event()

    def add(self, batch: list[Kept]) -> None:
        self.entered.set()
        self.open.wait(20)
        if self.failing:
            raise self.fault
        self.batches.append(len(batch))
        known = {one.record.id for one in self.kept}
        self.kept += [one for one in batch if one.record.id not in known]

    def ping(self) -> None:
        if self.failing:
            raise self.fault

    def purge(self, before: float) -> int:
        self.ping()
        self.purged.append(before)
        return 0

    def ids(self) -> list[str]:
        return [one.record.id for one in self.kept]


def recorder(store: object, folder: Path, **settings: object) -> Recorder:
    """A recorder that flushes every 5 ms and tries a failed store again at once."""
    return Recorder(store, Spool(folder / "spool"), **{"flush_ms": 5, "retry_ms": 0, **settings})  # type: ignore[arg-type]


async def until(true: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - another thread makes it true
            await asyncio.sleep(0.002)


def test_it_tells_what_waits_and_what_writing_takes(tmp_path: Path) -> None:
    """In memory, in the spool, and the seconds of each write that went well."""
    store, took = Flaky(), list[tuple[str, float]]()
    told: list[tuple[int, bool]] = []

    async def main() -> None:
        it = recorder(store, tmp_path, took=lambda op, seconds: took.append((op, seconds)), retry_ms=60_000)
        it.put(record("a"))
        told.append((it.waiting, it.spooled_bytes > 0))
        await it.flush()
        store.failing = True
        it.put(record("b"))
        await it.flush()
        told.append((it.waiting, it.spooled_bytes > 0))
        await it.close()

    asyncio.run(main())
    assert told == [(1, False), (0, True)]
    assert [(op, seconds >= 0) for op, seconds in took] == [("add", True)]


def test_records_are_written_by_themselves(tmp_path: Path) -> None:
    """Nobody asks for it; and the ring has them at once."""
    store = Flaky()

    async def main() -> None:
        it = recorder(store, tmp_path)
        await it.start()
        it.put(record("a"), b"body")
        assert await it.newest.records("t") == [record("a")]
        await until(lambda: bool(store.kept))
        await it.close()

    asyncio.run(main())
    assert store.kept == [Kept(record("a"), b"body")]


def test_close_writes_what_waits(tmp_path: Path) -> None:
    """In batches, in order."""
    store = Flaky()

    async def main() -> None:
        it = recorder(store, tmp_path, flush_ms=60_000)
        await it.start()
        for n in range(1200):
            it.put(record(str(n)))
        await it.close()

    asyncio.run(main())
    assert store.ids() == [str(n) for n in range(1200)]
    assert store.batches == [500, 500, 200]


def test_a_reader_who_flushes_finds_what_was_put(tmp_path: Path) -> None:
    """`flush` returns when it is written."""
    store = Flaky()

    async def main() -> list[str]:
        it = recorder(store, tmp_path, flush_ms=60_000)
        it.put(record("a"))
        await it.flush()
        return store.ids()

    assert asyncio.run(main()) == ["a"]


def test_a_reader_who_leaves_while_it_is_written_loses_nothing(tmp_path: Path) -> None:
    """Its `flush` is cancelled; what it began is ended, also when nobody took the batch."""
    store = Flaky()
    store.open.clear()
    blocked = tmp_path / "blocked"

    async def main() -> None:
        it = recorder(store, blocked, flush_ms=60_000)
        await it.start()
        await it.flush()
        blocked.touch()
        it.put(record("a"))
        reader = asyncio.create_task(it.flush())
        await until(store.entered.is_set)
        reader.cancel()
        store.failing = True
        store.open.set()
        await asyncio.wait([reader])
        await until(lambda: it.failing)
        store.failing = False
        blocked.unlink()
        await it.close()

    asyncio.run(main())
    assert store.ids() == ["a"]


def test_an_outage_loses_nothing_and_changes_no_order(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Records of the outage come behind those before it and before those after it, once each; it is said once."""
    store = Flaky()
    caplog.set_level(logging.INFO, "foldpoint.records")

    async def main() -> None:
        it = recorder(store, tmp_path, clock=lambda: 0.0)
        await it.start()
        for n in range(30):
            store.failing = 10 <= n < 20
            it.put(record(f"{n:02}"), b"x")
            await it.flush()
            assert it.failing is store.failing
        await it.close()

    asyncio.run(main())
    assert store.ids() == [f"{n:02}" for n in range(30)]
    assert all(one.messages == b"x" for one in store.kept)
    assert [entry.getMessage() for entry in caplog.records] == [
        "the store fails: records wait in the spool",
        "the store has the records of the spool",
    ]


def test_records_of_an_outage_outlive_the_process(tmp_path: Path) -> None:
    """They wait in the file and are written by the next recorder, before its own."""
    store = Flaky()

    async def session(names: str) -> None:
        it = recorder(store, tmp_path)
        await it.start()
        for name in names:
            it.put(record(name))
        await it.close()

    store.failing = True
    asyncio.run(session("abc"))
    assert store.ids() == []
    store.failing = False
    asyncio.run(session("d"))
    assert store.ids() == ["a", "b", "c", "d"]


def test_a_long_spool_is_written_in_parts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What comes in meanwhile goes behind it instead of waiting in memory, and it is all said as one."""
    store = Flaky()
    caplog.set_level(logging.INFO, "foldpoint.records")
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record(f"{n:04}")) for n in range(5000)])

    async def main() -> None:
        it = recorder(store, tmp_path)
        it.put(record("new"))
        await it.flush()
        assert (len(store.kept), spool.empty()) == (2000, False)
        await it.start()
        await until(lambda: spool.empty() and not it.failing)
        await it.close()

    asyncio.run(main())
    assert store.ids() == [*(f"{n:04}" for n in range(5000)), "new"]
    said = [(entry.getMessage(), vars(entry).get("records")) for entry in caplog.records]
    assert said == [("the store has the records of the spool", 5001)]


def test_a_recorder_that_closes_leaves_the_rest_of_a_long_spool(tmp_path: Path) -> None:
    """The next one writes it."""
    store = Flaky()
    Spool(tmp_path / "spool").append([Kept(record(f"{n:04}")) for n in range(5000)])

    async def session() -> None:
        it = recorder(store, tmp_path)
        await it.close()

    async def last() -> None:
        it = recorder(store, tmp_path)
        await it.start()
        await until(lambda: len(store.kept) == 5000)
        await it.close()

    asyncio.run(session())
    asyncio.run(last())
    assert store.ids() == [f"{n:04}" for n in range(5000)]


def test_a_crash_between_write_and_forgetting_writes_nothing_twice(tmp_path: Path) -> None:
    """The spool is replayed again; the real store knows the ids."""
    store = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record("a")), Kept(record("b"))])
    store.add([Kept(record("a"))])
    assert spool.replay(store.add) == 2
    assert [one.id for one in store.requests("t").records] == ["b", "a"]
    store.close()


def test_memory_is_bounded_while_the_store_hangs(tmp_path: Path) -> None:
    """Bodies go first, then records; `put` never waits."""
    store = Flaky()
    store.open.clear()

    async def main() -> Recorder:
        it = recorder(store, tmp_path, limits=Limits(records=4, bytes=10))
        await it.start()
        it.put(record("held"))
        await until(store.entered.is_set)
        for n in range(6):
            it.put(record(str(n)), b"xxxx")
        store.open.set()
        await it.close()
        return it

    it = asyncio.run(main())
    assert store.kept == [
        Kept(record("held")),
        Kept(record("0"), b"xxxx"),
        Kept(record("1"), b"xxxx"),
        Kept(record("2")),
        Kept(record("3")),
    ]
    assert it.dropped == 2


def test_neither_store_nor_spool_takes_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Records wait in memory and are written when one of them is back; it is said once each way."""
    caplog.set_level(logging.INFO, "foldpoint.records")
    store = Flaky()
    store.failing = True
    blocked = tmp_path / "blocked"
    blocked.touch()

    async def main() -> None:
        it = recorder(store, blocked)
        await it.start()
        it.put(record("a"))
        for _ in range(3):
            await it.flush()
        it.put(record("b"))
        store.failing = False
        blocked.unlink()
        await until(lambda: len(store.kept) == 2)
        await it.close()

    asyncio.run(main())
    assert store.ids() == ["a", "b"]
    assert [entry.getMessage() for entry in caplog.records] == [
        "the store fails: records wait in the spool",
        "records cannot be spooled",
        "the store has the records of the spool",
    ]


def test_a_store_is_back_when_it_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not when merely nothing waits in the spool, and also when nothing ever did."""
    store = Flaky()
    store.failing = True
    caplog.set_level(logging.INFO, "foldpoint.records")

    async def main() -> None:
        it = recorder(store, tmp_path)
        for _ in range(3):
            await it.flush()
        assert it.failing
        assert len(caplog.records) == 1
        store.failing = False
        await it.flush()
        assert not it.failing
        await it.close()

    asyncio.run(main())
    said = [(entry.getMessage(), vars(entry).get("records")) for entry in caplog.records]
    assert said == [
        ("the store fails: records wait in the spool", None),
        ("the store has the records of the spool", 0),
    ]


def test_kept_messages_are_forgotten_in_time(tmp_path: Path) -> None:
    """`24h` forgets what is older than a day."""
    store = Flaky()

    async def main() -> None:
        it = recorder(store, tmp_path, messages_seconds=86_400, clock=lambda: 100_000.0)
        await it.start()
        await until(lambda: bool(store.purged))
        await it.close()

    asyncio.run(main())
    assert store.purged == [13_600.0]


def test_off_keeps_no_messages(tmp_path: Path) -> None:
    """The record is kept without its body, and bodies of earlier days go."""
    store = Flaky()

    async def main() -> None:
        it = recorder(store, tmp_path, messages_seconds=None, clock=lambda: 5.0)
        await it.start()
        it.put(record("a"), b"body")
        await it.close()

    asyncio.run(main())
    assert store.kept == [Kept(record("a"))]
    assert store.purged == [5.0]


@pytest.mark.parametrize(("seconds", "kept"), [(50, [None, b"new"]), (None, [None, None])])
def test_messages_that_waited_too_long_are_not_stored(
    tmp_path: Path, seconds: int | None, kept: list[bytes | None]
) -> None:
    """A body in the spool is no older than one in the store may be; its record is kept."""
    store = Flaky()
    Spool(tmp_path / "spool").append([Kept(record("a", 49.0), b"old"), Kept(record("b", 50.0), b"new")])

    async def main() -> None:
        it = recorder(store, tmp_path, messages_seconds=seconds, clock=lambda: 100.0)
        await it.start()
        await it.close()

    asyncio.run(main())
    assert store.ids() == ["a", "b"]
    assert [one.messages for one in store.kept] == kept


def test_a_fault_nobody_foresaw_is_said_once_and_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The batch goes to the spool, the writer writes on, and the log tells where it was."""
    store = Flaky()
    store.fault = TypeError("a fault of ours")

    async def main() -> None:
        it = recorder(store, tmp_path)
        await it.start()
        await it.flush()
        store.failing = True
        for name in "abc":
            it.put(record(name))
            await it.flush()
        store.failing = False
        await until(lambda: len(store.kept) == 3)
        await it.close()

    asyncio.run(main())
    assert store.ids() == ["a", "b", "c"]
    said = [(entry.getMessage(), entry.exc_info is not None) for entry in caplog.records]
    assert said == [("the store fails: records wait in the spool", True)]
    error = vars(caplog.records[0])["error"]
    assert (error.startswith("TypeError at "), "a fault of ours" in error) == (True, False), "it may quote a record"


def test_texts_that_are_no_unicode_are_written(tmp_path: Path) -> None:
    """To the store as to the spool."""
    store = Flaky()

    async def main() -> None:
        it = recorder(store, tmp_path)
        for name, store.failing in (("a", False), ("b", True), ("c", False)):
            it.put(Record(id=name, time=0.0, session="x\udcff"))
            await it.flush()

    asyncio.run(main())
    assert [(one.record.id, one.record.session) for one in store.kept] == [("a", "x?"), ("b", "x?"), ("c", "x?")]


def test_a_killed_process_loses_no_record_older_than_a_flush(tmp_path: Path) -> None:
    """Killed without a word: everything that was put before the last flush is in the store."""
    process = subprocess.Popen([sys.executable, str(CRASH), str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    written = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait(20)
    process.stdout.close()
    store = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    found = [one.id for one in store.session("t", "s")]
    store.close()
    assert written > 0
    assert found[:written] == [f"{n:06}" for n in range(written)]


class Results:
    """Results that are kept, or fail as their store does."""

    def __init__(self, store: Flaky) -> None:
        self.kept: list[Original] = []
        self.purged: list[tuple[float, float]] = []
        self._store = store

    def keep(self, originals: Sequence[Original]) -> None:
        self._store.ping()
        self.kept += originals

    def result(self, tenant: str, session: str, id: str, turn: int | None = None) -> None: ...

    def purge_results(self, before: float, now: float) -> int:
        self.purged.append((before, now))
        return 0


def words(surface: str, item: bytes) -> list[Told]:
    """An item of `id text id text …`."""
    said = item.decode().split()
    return [Told(id, "read", (text,)) for id, text in zip(said[::2], said[1::2], strict=True)]


def test_what_was_hidden_is_kept_with_its_record(tmp_path: Path) -> None:
    """Every result of every item, and that of a request that leaves no record; an item that can't be read has none."""
    store = Flaky()
    results = Results(store)

    async def main() -> None:
        it = recorder(store, tmp_path, results=results, read=words, clock=lambda: 90_000.0)
        it.put(record("a"), b"body", (Hidden(1, b"c1 one c2 two"), Hidden(2, b"odd"), Hidden(3, b"c3 three")))
        it.keep(record("b"), (Hidden(4, b"c4 four"),))
        it.put(record("c", session=""), None, (Hidden(1, b"c5 five"),))
        await it.flush()
        await it.close()

    asyncio.run(main())
    found = [(one.id, one.turn, one.texts) for one in results.kept]
    assert found == [("c1", 1, ("one",)), ("c2", 1, ("two",)), ("c3", 3, ("three",)), ("c4", 4, ("four",))]
    assert store.ids() == ["a", "c"]
    assert results.purged == [(90_000.0 - 86_400, 90_000.0)]


def test_originals_wait_in_the_spool_with_their_records(tmp_path: Path) -> None:
    """In order, once each, from one process to the next."""
    store = Flaky()
    results = Results(store)
    store.failing = True

    async def put(failing: bool, *ids: str) -> None:
        it = recorder(store, tmp_path, results=results, read=words)
        for id in ids:
            it.put(record(id), None, (Hidden(1, f"{id} text-{id}".encode()),))
        it.keep(record("none"), (Hidden(1, f"k{ids[0]} counted".encode()),))
        store.failing = failing
        await it.flush()
        await it.flush()
        await it.close()

    asyncio.run(put(True, "a", "b"))
    assert (store.ids(), results.kept) == ([], [])
    asyncio.run(put(False, "c"))
    assert store.ids() == ["a", "b", "c"]
    assert [one.id for one in results.kept] == ["a", "b", "ka", "c", "kc"]


def test_what_is_hidden_is_bounded_in_memory(tmp_path: Path) -> None:
    """Over the limit of bytes the record is kept without it; where nothing is to be kept, so is every one."""
    store = Flaky()
    results = Results(store)

    async def main() -> None:
        it = recorder(store, tmp_path, results=results, read=words, limits=Limits(bytes=30))
        it.put(record("a"), None, (Hidden(1, b"c1 0123456789"),))
        it.put(record("b"), None, (Hidden(1, b"c2 0123456789012345678901234567890"),))
        await it.flush()
        it.put(record("c"), None, (Hidden(1, b"c3 0123456789"),))
        await it.flush()
        await it.close()
        off = recorder(store, tmp_path, results=results, read=words, messages_seconds=None)
        off.put(record("d"), None, (Hidden(1, b"c4 text"),))
        await off.flush()
        await off.close()

    asyncio.run(main())
    assert [one.id for one in results.kept] == ["c1", "c3"]
    assert store.ids() == ["a", "b", "c", "d"]
