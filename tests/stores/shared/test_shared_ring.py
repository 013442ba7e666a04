"""The newest records of all processes: in Valkey, or read from the store."""

import asyncio
from pathlib import Path

import pytest
import valkey as client
from hypothesis import given
from hypothesis import strategies as st
from sharing import PACE, record, sharing, started

from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.stores import Kept, StoreError, open_store
from foldpoint.stores.shared import open_shared
from foldpoint.stores.shared.names import named
from servers import Valkey


@pytest.fixture
def server(valkey_server: Valkey) -> Valkey:
    """An empty Valkey."""
    with client.Valkey.from_url(valkey_server.url) as asked:
        asked.flushdb()
    return valkey_server


def test_records_of_two_processes(server: Valkey, tmp_path: Path) -> None:
    """Each sees both, newest first, whole, tenants apart; its own at once."""
    whole = Record(id="b", time=2.0, tenant="t", usage=Usage(input=5), cost=0.5, model="mödel", sealed=4)

    async def main() -> object:
        one, other = sharing(server.url, tmp_path), sharing(server.url, tmp_path)
        async with started(one, other):
            other.newest.put(whole, b"a body that is not kept")
            other.newest.put(record("c", time=1.0))
            other.newest.put(record("x", tenant="u"))
            mine = await other.newest.records("t")
            one.newest.put(record("a", time=3.0))
            return (
                mine,
                await one.newest.records("t"),
                await one.newest.records("u"),
                await one.newest.records("nobody"),
            )

    c = record("c", time=1.0)
    assert asyncio.run(main()) == ([whole, c], [record("a", time=3.0), whole, c], [record("x", tenant="u")], [])


def test_they_are_written_unasked(server: Valkey, tmp_path: Path) -> None:
    """And when a process ends. A list ends a day after its last record."""

    async def main() -> tuple[int, int, int]:
        with client.Valkey.from_url(server.url) as asked:
            shared = sharing(server.url, tmp_path)
            async with started(shared):
                shared.newest.put(record("a"))
                async with asyncio.timeout(20):
                    while not (written := asked.llen(named("ring", "t"))):  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                shared.newest.put(record("b"))
            return written, asked.llen(named("ring", "t")), asked.ttl(named("ring", "t"))

    written, at_the_end, ttl = asyncio.run(main())
    assert (written, at_the_end) == (1, 2)
    assert 86_000 < ttl <= 86_400


def test_the_newest_thousand(server: Valkey, tmp_path: Path) -> None:
    """The rest is gone, from Valkey too."""

    async def main() -> tuple[list[str], int]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            for n in range(1700):
                shared.newest.put(record(f"{n:04}", time=float(n)))
            ids = [one.id for one in await shared.newest.records("t")]
        with client.Valkey.from_url(server.url) as asked:
            return ids, asked.llen(named("ring", "t"))

    assert asyncio.run(main()) == ([f"{n:04}" for n in range(1699, 699, -1)], 1000)


def test_what_cannot_be_read_or_is_not_the_tenants(server: Valkey, tmp_path: Path) -> None:
    """Is passed over; what was written twice is there once."""

    async def main() -> list[str]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            shared.newest.put(record("a"))
            shared.newest.put(record("other", tenant="u"))
            await shared.newest.records("t")
            with client.Valkey.from_url(server.url) as asked:
                mine, others = (asked.lrange(named("ring", name), 0, 0)[0] for name in "tu")
                asked.lpush(named("ring", "t"), b"\xff", mine, others)
            return [one.id for one in await shared.newest.records("t")]

    assert asyncio.run(main()) == ["a"]


def test_a_text_that_is_no_unicode(server: Valkey, tmp_path: Path) -> None:
    """Is written as one that is."""

    async def main() -> list[str]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            shared.newest.put(Record(id="a", time=0.0, tenant="t", session="\udcff"))
            return [one.session for one in await shared.newest.records("t")]

    assert asyncio.run(main()) == ["?"]


names = st.text(st.characters(codec=None) | st.sampled_from(":/%*{}"), max_size=8)


@given(names, names, st.sampled_from(["ring", "lock"]))
def test_no_name_reaches_another(one: str, other: str, kind: str) -> None:
    """Two names share a key when they are the same; and no key is one of another kind."""
    assert (named("ring", one) == named("ring", other)) is (one == other)
    assert named(kind, one).startswith(f"foldpoint:{kind}:")
    assert named(kind, one).count(":") == 2


def test_workers_read_the_store(tmp_path: Path) -> None:
    """What another worker wrote is there; a put alone is not."""
    store = open_store("sqlite:///records.db", tmp_path)
    store.add([Kept(record("a", time=1.0)), Kept(record("b", time=2.0)), Kept(record("x", tenant="u"))])

    async def main() -> list[str]:
        shared = open_shared("", tmp_path, 2, store, pace=PACE)
        async with started(shared):
            shared.newest.put(record("unwritten"))
            return [one.id for one in await shared.newest.records("t")]

    assert asyncio.run(main()) == ["b", "a"]
    store.close()


def test_workers_whose_store_fails(tmp_path: Path) -> None:
    """It is the store's fault, and said as one."""
    store = open_store("sqlite:///records.db", tmp_path)
    store.close()
    shared = open_shared("", tmp_path, 2, store)
    with pytest.raises(StoreError):
        asyncio.run(shared.newest.records("t"))  # type: ignore[arg-type]
