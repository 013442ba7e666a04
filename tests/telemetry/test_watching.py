"""Observers see requests off the request path, and none of them can hold up a request or another observer."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from seen import seen

from foldpoint.telemetry.observed import Observed
from foldpoint.telemetry.watching import BATCH, Limits, Watching


@dataclass
class Kept:
    """Keeps what it sees, and the thread it saw it in."""

    seen: list[Observed] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def observe(self, batch: Sequence[Observed]) -> None:
        self.seen.extend(batch)
        self.threads.add(threading.get_ident())


class Broken:
    """Sees nothing."""

    def observe(self, batch: Sequence[Observed]) -> None:
        raise ValueError("sk-secret")


@dataclass
class Held:
    """Sees nothing until it is let go."""

    free: threading.Event = field(default_factory=threading.Event)
    entered: threading.Event = field(default_factory=threading.Event)

    def observe(self, batch: Sequence[Observed]) -> None:
        self.entered.set()
        self.free.wait(20)


async def until(true: Callable[[], bool]) -> None:
    """Wait for it; the suite's own limit ends what never comes."""
    while not true():  # noqa: ASYNC110  it comes true in a thread, which can't set an event of this loop
        await asyncio.sleep(0.001)


def test_what_is_put_is_seen_in_order_and_in_a_thread() -> None:
    """Every request once, off the loop."""
    kept = Kept()

    async def main() -> int:
        watching = Watching([kept])
        await watching.start()
        for number in range(3 * BATCH):
            watching.put(seen(id=str(number)))
        await watching.flush()
        await watching.close()
        return threading.get_ident()

    loop = asyncio.run(main())
    assert [one.record.id for one in kept.seen] == [str(number) for number in range(3 * BATCH)]
    assert len(kept.threads) == 1
    assert loop not in kept.threads


def test_it_is_handed_over_without_being_asked_for() -> None:
    """After a while, or when many wait."""

    async def main(count: int, interval_ms: int) -> int:
        kept = Kept()
        watching = Watching([kept], interval_ms=interval_ms)
        await watching.start()
        for _ in range(count):
            watching.put(seen())
        await until(lambda: len(kept.seen) == count)
        await watching.close()
        return len(kept.seen)

    assert asyncio.run(main(1, 5)) == 1
    assert asyncio.run(main(BATCH, 60_000)) == BATCH


def test_too_many_are_dropped_and_counted() -> None:
    """A slow observer costs memory up to the limit and no more."""
    held, kept = Held(), Kept()

    async def main() -> int:
        watching = Watching([held, kept], limits=Limits(requests=2), interval_ms=1)
        await watching.start()
        watching.put(seen(id="0"))
        await asyncio.to_thread(held.entered.wait, 20)
        for number in range(1, 6):
            watching.put(seen(id=str(number)))
        held.free.set()
        await watching.close()
        return watching.dropped

    assert asyncio.run(main()) == 3
    assert [one.record.id for one in kept.seen] == ["0", "1", "2"]


def test_bodies_over_the_limit_are_not_seen() -> None:
    """The request is, and there is room again once the bodies were seen."""
    kept = Kept()

    async def main() -> None:
        watching = Watching([kept], limits=Limits(bytes=10), content=True)
        for body in (b"x" * 6, b"y" * 6, b"z" * 4):
            watching.put(seen(sent=body))
        await watching.flush()
        watching.put(seen(sent=b"w" * 10))
        await watching.close()

    asyncio.run(main())
    assert [one.sent for one in kept.seen] == [b"x" * 6, None, b"z" * 4, b"w" * 10]


def test_an_observer_that_fails_is_said_once_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    """By kind and place; its message could hold what nobody may read."""
    kept, broken = Kept(), Broken()

    async def main() -> None:
        watching = Watching([broken, kept])
        for _ in range(3):
            watching.put(seen())
            await watching.flush()
        await watching.close()

    asyncio.run(main())
    assert len(kept.seen) == 3
    assert len(caplog.records) == 1
    assert caplog.records[0].__dict__["fault"].startswith(f"ValueError at {__name__}:")
    assert "sk-secret" not in caplog.text


def test_ticks_are_called_and_may_fail() -> None:
    """On the loop, as often as requests are handed over."""
    ticks: list[int] = []

    def tick() -> None:
        ticks.append(threading.get_ident())
        raise KeyError

    async def main() -> int:
        watching = Watching([], ticks=[tick], interval_ms=1)
        await watching.start()
        await until(lambda: len(ticks) > 2)
        await watching.close()
        return threading.get_ident()

    loop = asyncio.run(main())
    assert set(ticks) == {loop}


def test_nobody_watches() -> None:
    """Then nothing is kept either."""

    async def main() -> int:
        watching = Watching([], limits=Limits(requests=0))
        watching.put(seen())
        await watching.close()
        return watching.dropped

    assert asyncio.run(main()) == 0
