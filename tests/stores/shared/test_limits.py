"""Limits of keys, in every home: this process, the workers of one machine, one Valkey."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sharing import sharing, started, until_it

from foldpoint.core.key import UNLIMITED, Exceeded, KeyLimits
from foldpoint.stores.shared import Limiter, Shared
from servers import Valkey

HOMES = pytest.mark.parametrize("home", ["memory", "workers", "valkey"])
SHARED_HOMES = pytest.mark.parametrize("home", ["workers", "valkey"])
ADMITTING = Path(__file__).with_name("admitting.py")


class Place:
    """One home, empty: its parts for as many processes as a test asks for."""

    def __init__(self, home: str, folder: Path, server: Valkey) -> None:
        self.folder = folder
        self.url = server.url if home == "valkey" else ""
        self.workers = 2 if home == "workers" else 1

    def open(self, lease: float = 30.0) -> Shared:
        return sharing(self.url, self.folder, self.workers, lease)

    def run(self, call: Callable[[Limiter, str], Awaitable[object]]) -> object:
        """What the call gives, with a limiter and a key that nobody else has."""

        async def main() -> object:
            shared = self.open()
            async with started(shared):
                return await call(shared.limiter, self.key)

        return asyncio.run(main())

    @property
    def key(self) -> str:
        return str(self.folder)


@pytest.fixture
def place(home: str, tmp_path: Path, valkey_server: Valkey) -> Place:
    return Place(home, tmp_path, valkey_server)


@HOMES
def test_requests_a_minute(place: Place) -> None:
    """As many as the limit; then it is said which limit, and when to ask again. Another key is not touched."""
    limits = KeyLimits(requests_per_minute=3)

    async def call(limiter: Limiter, key: str) -> object:
        answers = [await limiter.admit(key, limits, str(n)) for n in range(4)]
        return answers, await limiter.admit(f"{key}/other", limits, "0")

    answers, other = place.run(call)  # type: ignore[misc]
    *admitted, refused = answers
    assert admitted == [None, None, None]
    assert (refused.what, refused.limit) == ("requests_per_minute", 3)
    assert 0 < refused.seconds <= 61
    assert other is None


@HOMES
def test_tokens_a_minute(place: Place) -> None:
    """They are known when a request ends and keep out the next one when they are used up, also by a single bill."""
    limits = KeyLimits(tokens_per_minute=100)

    async def call(limiter: Limiter, key: str) -> object:
        answers = []
        for n, tokens in enumerate((0, 99, 10_000, 1)):
            answers.append(await limiter.admit(key, limits, str(n)))
            await limiter.release(key, limits, str(n), tokens)
        return answers

    *admitted, refused = place.run(call)  # type: ignore[misc]
    assert admitted == [None, None, None]
    assert (refused.what, refused.limit) == ("tokens_per_minute", 100)
    assert 59 < refused.seconds <= 121


@HOMES
def test_concurrent_requests(place: Place) -> None:
    """As many at once as the limit; a place is free again when its request ended."""
    limits = KeyLimits(concurrent_requests=2)

    async def call(limiter: Limiter, key: str) -> object:
        answers = [await limiter.admit(key, limits, name) for name in "abc"]
        await limiter.release(key, limits, "a", 0)
        return [*answers, *[await limiter.admit(key, limits, name) for name in "de"]]

    full = Exceeded("concurrent_requests", 2, 1.0)
    assert place.run(call) == [None, None, full, None, full]


@HOMES
def test_who_is_refused_takes_nothing(place: Place) -> None:
    """No place where the requests are used up, no request where the places or the tokens are."""
    limits = KeyLimits(requests_per_minute=2, concurrent_requests=1, tokens_per_minute=50)

    async def call(limiter: Limiter, key: str) -> object:
        said = [await limiter.admit(key, limits, "a")]
        said += [await limiter.admit(key, limits, "b") for _ in range(3)]
        await limiter.release(key, limits, "a", 10)
        said.append(await limiter.admit(key, limits, "c"))
        await limiter.release(key, limits, "c", 10)
        said += [await limiter.admit(key, limits, "d") for _ in range(2)]
        said.append(await limiter.admit(key, KeyLimits(concurrent_requests=1), "e"))
        await limiter.release(key, limits, "e", 40)
        said.append(await limiter.admit(key, limits, "f"))
        return [one and one.what for one in said]

    assert place.run(call) == [
        None,
        *["concurrent_requests"] * 3,
        None,
        *["requests_per_minute"] * 2,
        None,
        "tokens_per_minute",
    ]


@HOMES
def test_a_release_of_what_was_never_admitted(place: Place) -> None:
    """Changes no place, and its tokens count."""
    limits = KeyLimits(concurrent_requests=1, tokens_per_minute=5)

    async def call(limiter: Limiter, key: str) -> object:
        await limiter.admit(key, limits, "a")
        await limiter.release(key, limits, "unknown", 0)
        full = await limiter.admit(key, limits, "b")
        await limiter.release(key, limits, "unknown", 5)
        return [one and one.what for one in (full, await limiter.admit(key, limits, "b"))]

    assert place.run(call) == ["concurrent_requests", "tokens_per_minute"]


@HOMES
def test_nothing_is_limited(place: Place) -> None:
    """Everything is admitted."""

    async def call(limiter: Limiter, key: str) -> object:
        answers = [await limiter.admit(key, UNLIMITED, str(n)) for n in range(50)]
        await limiter.release(key, UNLIMITED, "0", 10)
        return Counter(answers)

    assert place.run(call) == {None: 50}


@HOMES
def test_a_limit_that_is_changed(place: Place) -> None:
    """What was counted stays counted."""

    async def call(limiter: Limiter, key: str) -> object:
        limits = [KeyLimits(requests_per_minute=n) for n in (2, 2, 3, 3)]
        return [one is None for one in [await limiter.admit(key, each, "a") for each in limits]]

    assert place.run(call) == [True, True, True, False]


@SHARED_HOMES
@pytest.mark.parametrize("limits", [KeyLimits(requests_per_minute=50), KeyLimits(concurrent_requests=50)])
def test_two_processes_admit_as_many_as_one(place: Place, limits: KeyLimits) -> None:
    """200 at once over both: the limit, not one more."""

    async def main() -> int:
        two = [place.open(), place.open()]
        async with started(*two):
            asked = (two[n % 2].limiter.admit(place.key, limits, str(n)) for n in range(200))
            return sum(answer is None for answer in await asyncio.gather(*asked))

    assert asyncio.run(main()) == 50


@SHARED_HOMES
def test_tokens_are_shared(place: Place) -> None:
    """Those of one process keep out a request of the other."""
    limits = KeyLimits(tokens_per_minute=10)

    async def main() -> list[bool]:
        one, other = place.open(), place.open()
        async with started(one, other):
            first = await other.limiter.admit(place.key, limits, "a")
            await one.limiter.release(place.key, limits, "b", 10)
            return [first is None, await other.limiter.admit(place.key, limits, "a") is None]

    assert asyncio.run(main()) == [True, False]


@SHARED_HOMES
def test_a_place_is_kept_for_as_long_as_its_request_is_open(place: Place) -> None:
    """Longer than its lease."""
    limits = KeyLimits(concurrent_requests=1)

    async def main() -> list[bool]:
        one, other = place.open(lease=0.3), place.open(lease=0.3)
        async with started(one, other):
            await one.limiter.admit(place.key, limits, "long")
            await asyncio.sleep(1)
            kept = await other.limiter.admit(place.key, limits, "b") is not None
            await one.limiter.release(place.key, limits, "long", 0)
            return [kept, await other.limiter.admit(place.key, limits, "b") is None]

    assert asyncio.run(main()) == [True, True]


@SHARED_HOMES
def test_the_places_of_a_killed_process_come_free(place: Place) -> None:
    """Its request has a place, then the process is killed; after the lease another has it."""
    limits = KeyLimits(concurrent_requests=1)
    given = [place.url, place.folder, place.workers, 1.0, place.key]

    async def main() -> bool:
        shared = place.open(lease=1.0)
        async with started(shared):
            process = await asyncio.create_subprocess_exec(
                sys.executable, ADMITTING, *map(str, given), stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            try:
                admitted = await process.stdout.readline()
                full = await shared.limiter.admit(place.key, limits, "a")
            finally:
                process.kill()
                await process.wait()

            async def free() -> bool:
                return await shared.limiter.admit(place.key, limits, "a") is None

            await until_it(free)
            return admitted == b"None\n" and full is not None

    assert asyncio.run(main())


def test_a_file_that_cannot_be_written(tmp_path: Path, valkey_server: Valkey) -> None:
    """Limits hold for this worker alone; nothing is raised."""
    (tmp_path / "limits.db").mkdir()
    limits = KeyLimits(requests_per_minute=1, concurrent_requests=1, tokens_per_minute=5)

    async def main() -> tuple[list[str | None], bool]:
        shared = Place("workers", tmp_path, valkey_server).open()
        async with started(shared):
            first = await shared.limiter.admit("k", limits, "a")
            second = await shared.limiter.admit("k", limits, "b")
            await shared.limiter.release("k", limits, "a", 5)
            third = await shared.limiter.admit("k", limits, "c")
            return [one and one.what for one in (first, second, third)], shared.failing

    assert asyncio.run(main()) == ([None, "concurrent_requests", "tokens_per_minute"], True)
