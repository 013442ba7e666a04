"""A lock has one holder: in this process, among the workers of one machine, among all that share a Valkey."""

import asyncio
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import valkey as client
from sharing import logged, sharing, started, until, until_it

from foldpoint.stores.shared import Shared
from foldpoint.stores.shared.names import named
from servers import Valkey

HOMES = pytest.mark.parametrize("home", ["memory", "workers", "valkey"])
ADMITTING = Path(__file__).with_name("admitting.py")


def home_of(home: str, folder: Path, server: Valkey, lease: float = 30.0) -> Shared:
    return sharing(server.url if home == "valkey" else "", folder, 2 if home == "workers" else 1, lease)


@HOMES
def test_one_at_a_time(home: str, tmp_path: Path, valkey_server: Valkey) -> None:
    """Of 20 that want it at once each gets it, and never two; another name is free meanwhile."""
    name = uuid.uuid4().hex
    inside: list[int] = []

    async def main() -> list[bool]:
        shared = home_of(home, tmp_path, valkey_server)

        async def want() -> bool:
            async with shared.lock(name, 5, wait=20) as lock, shared.lock(uuid.uuid4().hex, 5) as other:
                inside.append(+1)
                most.append(sum(inside))
                await asyncio.sleep(0.002)
                inside.append(-1)
                return lock.held and other.held

        async with started(shared):
            return await asyncio.gather(*(want() for _ in range(20)))

    most: list[int] = []
    assert asyncio.run(main()) == [True] * 20
    assert max(most) == 1


@HOMES
def test_one_that_is_taken(home: str, tmp_path: Path, valkey_server: Valkey) -> None:
    """Is not held by who does not wait or waits in vain, and stays with its holder when these leave."""
    name = uuid.uuid4().hex

    async def main() -> list[bool]:
        shared = home_of(home, tmp_path, valkey_server)
        async with started(shared), shared.lock(name, 5) as first:
            async with shared.lock(name, 5) as second, shared.lock(name, 5, wait=0.06) as third:
                held = [second.held, third.held]
            async with shared.lock(name, 5) as fourth:
                return [first.held, *held, fourth.held]

    assert asyncio.run(main()) == [True, False, False, False]


@HOMES
def test_it_is_given_back_when_the_block_fails(home: str, tmp_path: Path, valkey_server: Valkey) -> None:
    """By an exception, and by a cancellation."""
    name = uuid.uuid4().hex

    async def main() -> list[bool]:
        shared = home_of(home, tmp_path, valkey_server)
        async with started(shared):
            with pytest.raises(ValueError, match="in the block"):
                async with shared.lock(name, 5):
                    raise ValueError("in the block")

            async def keep() -> None:
                async with shared.lock(name, 5):
                    await asyncio.Event().wait()

            keeping = asyncio.create_task(keep())
            await asyncio.sleep(0.05)
            async with shared.lock(name, 5) as taken:
                held = [taken.held]
            keeping.cancel()
            await asyncio.wait({keeping})
            async with shared.lock(name, 5) as after:
                return [*held, after.held]

    assert asyncio.run(main()) == [False, True]


@pytest.mark.parametrize("home", ["workers", "valkey"])
def test_a_holder_that_was_killed(home: str, tmp_path: Path, valkey_server: Valkey) -> None:
    """Another process has it; when that is killed it comes free by itself."""
    shared = home_of(home, tmp_path, valkey_server)
    given = [valkey_server.url if home == "valkey" else "", tmp_path, 2 if home == "workers" else 1, 0.5, tmp_path]

    async def main() -> tuple[bytes, bool]:
        name = f"lock of {tmp_path}"
        async with started(shared):
            process = await asyncio.create_subprocess_exec(
                sys.executable, ADMITTING, *map(str, given), stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            try:
                said = [await process.stdout.readline() for _ in range(2)][1]
                await asyncio.sleep(0.6)  # longer than it lasts unless it is renewed
                async with shared.lock(name, 1) as lock:
                    taken = lock.held
            finally:
                process.kill()
                await process.wait()

            async def free() -> bool:
                async with shared.lock(name, 1) as lock:
                    return lock.held

            await until_it(free)
            return said, taken

    assert asyncio.run(main()) == (b"True\n", False)


def test_two_processes_with_one_valkey(tmp_path: Path, valkey_server: Valkey) -> None:
    """20 wants over two: never two inside."""
    name = uuid.uuid4().hex
    inside: list[int] = []
    most: list[int] = []

    async def want(shared: Shared) -> bool:
        async with shared.lock(name, 5, wait=20) as lock:
            inside.append(+1)
            most.append(sum(inside))
            await asyncio.sleep(0.002)
            inside.append(-1)
            return lock.held

    async def main() -> list[bool]:
        two = [sharing(valkey_server.url, tmp_path) for _ in range(2)]
        async with started(*two):
            return await asyncio.gather(*(want(two[n % 2]) for n in range(20)))

    assert asyncio.run(main()) == [True] * 20
    assert max(most) == 1


def test_it_is_kept_for_as_long_as_the_block_lasts(tmp_path: Path, valkey_server: Valkey) -> None:
    """Longer than its seconds; then another has it."""
    name = uuid.uuid4().hex

    async def main() -> list[bool]:
        one, other = (sharing(valkey_server.url, tmp_path) for _ in range(2))
        async with started(one, other):
            async with one.lock(name, 0.2) as mine:
                await asyncio.sleep(0.5)
                async with other.lock(name, 0.2) as theirs:
                    held = [mine.held, theirs.held]
            async with other.lock(name, 0.2) as after:
                return [*held, after.held]

    assert asyncio.run(main()) == [True, False, True]


def test_one_that_was_lost(tmp_path: Path, valkey_server: Valkey) -> None:
    """Another has it by now: it is not held any more, and what the other has is not given back."""
    name = uuid.uuid4().hex

    async def main() -> tuple[bytes, bool]:
        shared = sharing(valkey_server.url, tmp_path)
        async with started(shared):
            with client.Valkey.from_url(valkey_server.url) as asked:
                async with shared.lock(name, 0.3) as lock:
                    asked.set(named("lock", name), "another")
                    await until(lambda: not lock.held)
                    lost = not lock.held
                return asked.get(named("lock", name)), lost

    assert asyncio.run(main()) == (b"another", True)


def test_one_that_valkey_forgot(tmp_path: Path, valkey_server: Valkey) -> None:
    """Is taken again with the next renewal."""
    name = uuid.uuid4().hex

    async def main() -> bool:
        shared = sharing(valkey_server.url, tmp_path)
        async with started(shared):
            with client.Valkey.from_url(valkey_server.url) as asked:
                async with shared.lock(name, 0.3) as lock:
                    asked.delete(named("lock", name))
                    await until(lambda: asked.exists(named("lock", name)))
                    return lock.held

    assert asyncio.run(main())


def test_a_file_that_cannot_be_locked(tmp_path: Path, valkey_server: Valkey) -> None:
    """The lock holds in this process alone, and it is said."""
    (tmp_path / "locks").mkdir()

    async def main() -> list[bool]:
        shared = home_of("workers", tmp_path, valkey_server)
        async with started(shared), shared.lock("a", 1) as first, shared.lock("a", 1) as second:
            return [first.held, second.held]

    with logged() as lines:
        assert asyncio.run(main()) == [True, False]
    assert [line.levelname for line in lines] == ["WARNING"]


def test_locks_leave_nothing_behind(tmp_path: Path, valkey_server: Valkey) -> None:
    """One empty file, however many names; in Valkey nothing."""

    async def main() -> None:
        for home in ("workers", "valkey"):
            shared = home_of(home, tmp_path, valkey_server)
            async with started(shared):
                for n in range(20):
                    async with shared.lock(f"{tmp_path}/{n}", 5) as lock:
                        assert lock.held

    asyncio.run(main())
    assert (tmp_path / "locks").stat().st_size == 0
    with client.Valkey.from_url(valkey_server.url) as asked:
        assert asked.keys("foldpoint:lock:*%2F1?") == []
