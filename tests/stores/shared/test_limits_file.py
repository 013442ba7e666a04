"""Counters in SQLite: windows that slide, places that end, a file that several processes write to."""

import asyncio
import sqlite3
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.stores.shared.ledger import Ledger

T = TypeVar("T")


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 6000.0

    def __call__(self) -> float:
        return self.now


def run(ledger: Ledger, call: Callable[[Ledger], Awaitable[T]]) -> T:
    """What the call gives; the ledger is closed."""

    async def main() -> T:
        try:
            return await call(ledger)
        finally:
            ledger.close()

    return asyncio.run(main())


def test_as_much_as_the_limit() -> None:
    """Two and three of five go in, one more does not, and is not counted."""

    async def main(ledger: Ledger) -> Any:
        hits = [await ledger.acquire_sliding_window_entry("a", 5, 60, n) for n in (2, 3, 1)]
        return hits, await ledger.get_sliding_window("a", 60), await ledger.get_sliding_window("b", 60)

    hits, a, b = run(Ledger(clock=Clock()), main)
    assert hits == [True, True, False]
    assert a == (0, 60.0, 5, 120.0)
    assert b == (0, 60.0, 0, 120.0)


def test_more_than_the_limit_at_once() -> None:
    """Never goes in, not as the first either."""
    assert run(Ledger(clock=Clock()), lambda ledger: ledger.acquire_sliding_window_entry("a", 5, 60, 6)) is False


def test_a_window_that_is_cleared() -> None:
    """Nothing is used."""

    async def main(ledger: Ledger) -> Any:
        await ledger.acquire_sliding_window_entry("a", 5, 60, 5)
        await ledger.clear_sliding_window("a", 60)
        return await ledger.get_sliding_window("a", 60)

    assert run(Ledger(clock=Clock()), main) == (0, 60.0, 0, 120.0)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 6)), max_size=30))
def test_it_counts_as_the_plain_count_does(steps: list[tuple[int, int]]) -> None:
    """Everything that went in, by the minute; the former minute by its share, rounded down."""
    clock = Clock()
    limit = 8

    async def main(ledger: Ledger) -> None:
        entries: list[tuple[int, int]] = []
        for seconds, amount in steps:
            clock.now += seconds
            minute, second = divmod(int(clock.now), 60)
            current = sum(n for at, n in entries if at == minute)
            previous = sum(n for at, n in entries if at == minute - 1)
            room = previous * (60 - second) // 60 + current + amount <= limit
            assert await ledger.acquire_sliding_window_entry("a", limit, 60, amount) is room
            if room:
                entries.append((minute, amount))
            found = await ledger.get_sliding_window("a", 60)
            assert found == (previous, 60 - second, current + amount * room, 120 - second)

    run(Ledger(clock=clock), main)


def test_places_end() -> None:
    """One that is not renewed is free after its lease; one that is renewed is not."""
    clock = Clock()

    async def main(ledger: Ledger) -> list[bool]:
        taken = [await ledger.take("k", name, 2) for name in "abc"]
        clock.now += 20
        await ledger.renew({"k": ["b"]})
        clock.now += 20
        return [*taken, await ledger.take("k", "c", 2), await ledger.take("k", "d", 2)]

    assert run(Ledger(lease=30, clock=clock), main) == [True, True, False, True, False]


def test_places_that_are_given_back() -> None:
    """Are free; what has none is given back without a word."""

    async def main(ledger: Ledger) -> bool:
        await ledger.take("k", "a", 1)
        await ledger.free("k", "nobody")
        await ledger.free("k", "a")
        return await ledger.take("k", "b", 1)

    assert run(Ledger(), main)


def test_what_is_over_is_forgotten(tmp_path: Path) -> None:
    """A renewal sweeps: no window older than two minutes, no place past its lease."""
    clock = Clock()

    async def main(ledger: Ledger) -> None:
        await ledger.acquire_sliding_window_entry("old", 5, 60)
        await ledger.take("k", "old", 1)
        clock.now += 121
        await ledger.acquire_sliding_window_entry("new", 5, 60)
        await ledger.renew({"k": ["new"]})

    run(Ledger(tmp_path / "limits.db", clock=clock), main)
    with sqlite3.connect(tmp_path / "limits.db") as file:
        assert file.execute("SELECT name FROM used").fetchall() == [("new",)]
        assert file.execute("SELECT request FROM place").fetchall() == [("new",)]


def test_two_share_a_file(tmp_path: Path) -> None:
    """What one counts the other sees; and nobody else may read it."""
    path = tmp_path / "deep" / "limits.db"

    async def main(one: Ledger) -> Any:
        other = Ledger(path)
        try:
            hits = [await ledger.acquire_sliding_window_entry("a", 3, 60) for ledger in (one, other) * 2]
            places = [await ledger.take("k", name, 1) for ledger, name in ((one, "a"), (other, "b"))]
            return hits, places
        finally:
            other.close()

    assert run(Ledger(path), main) == ([True, True, True, False], [True, False])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_another_writes_to(tmp_path: Path) -> None:
    """Is tried again while the loop goes on; when the other is done it goes in."""
    path = tmp_path / "limits.db"

    async def main(ledger: Ledger) -> Any:
        await ledger.ping()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        hits = [asyncio.create_task(ledger.acquire_sliding_window_entry("a", 3, 60)) for _ in range(4)]
        await asyncio.sleep(0.01)
        waited = not any(hit.done() for hit in hits)
        other.execute("COMMIT")
        other.close()
        return waited, sorted(await asyncio.gather(*hits))

    assert run(Ledger(path), main) == (True, [False, True, True, True])


def test_a_file_that_stays_locked(tmp_path: Path) -> None:
    """Is a fault after a while, for all who wait; and none any more when it is free."""
    path = tmp_path / "limits.db"

    async def main(ledger: Ledger) -> Any:
        await ledger.ping()
        other = sqlite3.connect(path, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            waiting = (ledger.renew({}), ledger.ping(), ledger.take("k", "a", 1))
            faults = await asyncio.gather(*waiting, return_exceptions=True)
        finally:
            other.close()
        return [str(fault) for fault in faults], await ledger.take("k", "a", 1)

    assert run(Ledger(path), main) == (["database is locked"] * 3, True)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """Is a fault, and left as it is."""
    path = tmp_path / "limits.db"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        run(Ledger(path), lambda ledger: ledger.ping())
    assert path.read_bytes() == b"not a database" * 100
