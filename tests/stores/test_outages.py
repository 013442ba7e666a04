"""The recorder on a real server that goes and comes back: nothing is lost or written twice, and it is said once."""

import asyncio
import contextlib
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_suite import record

from foldpoint.stores import Recorder, Store, open_store, spool_of
from servers import Postgres, postgres

FULL_SPOOL = Path(__file__).with_name("full_spool.py")
FAILS = "the store fails: records wait in the spool"
BACK = "the store has the records of the spool"


@pytest.fixture
def server() -> Iterator[Postgres]:
    """One that a test may stop."""
    with postgres() as server:
        yield server


async def until(true: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - another thread makes it true
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def opened(url: str) -> Iterator[Store]:
    store = open_store(url, Path("/nowhere"))
    yield store
    store.close()


def recorder(store: Store, url: str, folder: Path) -> Recorder:
    return Recorder(store, spool_of(url, folder), flush_ms=10, retry_ms=50, messages_seconds=None)


def written(server: Postgres, url: str) -> list[str]:
    """The ids in the order of the transactions that wrote them."""
    query = "SELECT id FROM foldpoint.request ORDER BY xmin::text::bigint, id"
    return [row[0] for row in server.run(query, url.rpartition("/")[2])]


def test_a_server_that_is_gone_for_a_while(server: Postgres, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Twice: the records of before, meanwhile and afterwards are there in their order, once each."""
    caplog.set_level(logging.INFO, "foldpoint.records")
    url = server.database()

    async def main(store: Store) -> None:
        it = recorder(store, url, tmp_path)
        await it.start()
        for part in range(5):
            for number in range(part * 300, part * 300 + 300):
                it.put(record(f"{number:04}", float(number)))
                await asyncio.sleep(0.001)
            await until(lambda gone=part % 2 == 1: it.failing is gone)
            if part < 4:
                await asyncio.to_thread(server.start if part % 2 else server.stop)
        await it.close()

    with opened(url) as store:
        asyncio.run(main(store))
    assert written(server, url) == [f"{number:04}" for number in range(1500)]
    assert [entry.getMessage() for entry in caplog.records] == [FAILS, BACK, FAILS, BACK]


def test_workers_that_share_a_spool(server: Postgres, tmp_path: Path) -> None:
    """The records of each are there in their order, once each."""
    url = server.database()

    async def main(stores: list[Store]) -> None:
        workers = {name: recorder(store, url, tmp_path) for name, store in zip("abc", stores, strict=True)}
        for worker in workers.values():
            await worker.start()

        async def put(begin: int) -> None:
            for number in range(begin, begin + 300):
                for name, worker in workers.items():
                    worker.put(record(f"{name}{number:04}", float(number)))
                await asyncio.sleep(0.001)

        await put(0)
        await asyncio.to_thread(server.stop)
        await put(300)
        await until(lambda: all(worker.failing for worker in workers.values()))
        await asyncio.to_thread(server.start)
        await put(600)
        await until(lambda: not any(worker.failing for worker in workers.values()))
        for worker in workers.values():
            await worker.close()

    with contextlib.ExitStack() as stack:
        asyncio.run(main([stack.enter_context(opened(url)) for _ in range(3)]))
    ids = written(server, url)
    for name in "abc":
        assert [id for id in ids if id[0] == name] == [f"{name}{number:04}" for number in range(900)]


def test_a_server_that_is_gone_and_a_disk_that_is_full(server: Postgres, tmp_path: Path) -> None:
    """What the spool does not take waits in memory; all of it is written, and each fault is said once."""
    url = server.database()
    process = subprocess.Popen(
        [sys.executable, str(FULL_SPOOL), url, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    server.stop()
    process.stdin.write("gone\n")
    process.stdin.flush()
    assert process.stdout.readline() == "full\n"
    server.start()
    said, _ = process.communicate("back\n", timeout=60)
    assert said.splitlines() == [FAILS, "records cannot be spooled", BACK]
    assert written(server, url) == [f"{number:04}" for number in range(2000)]
