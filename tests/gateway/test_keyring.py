"""Keys are remembered for a moment, and for longer where the store is away."""

import asyncio
import gc
import threading
from typing import Any

import pytest
from loopback import KeysInMemory

from foldpoint.core.key import Key
from foldpoint.gateway.keyring import FRESH_SECONDS, RETRY_SECONDS, Keyring, digest_of
from foldpoint.gateway.minting import minted
from foldpoint.gateway.serving import run
from foldpoint.stores import StoreError

SECRET = b"fp-" + b"s" * 43


class Slow(KeysInMemory):
    """Keys of a store that answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.read = threading.Semaphore(0)

    def key_by(self, digest: bytes) -> Key | None:
        found = super().key_by(digest)
        self.read.release()
        self.go.wait(20)
        return found


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Hanging(KeysInMemory):
    """Keys that are found when they are let."""

    answers: threading.Event | None = None

    def key_by(self, digest: bytes) -> Key | None:
        """The key, after a while."""
        if self.answers is not None:
            self.answers.wait(20)
        return super().key_by(digest)


def test_a_key_is_read_once_while_it_is_fresh() -> None:
    """And again afterwards, so that what was changed elsewhere is seen."""

    async def main() -> None:
        keys, clock = KeysInMemory(), Clock()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        assert [await ring.key(SECRET), await ring.key(SECRET)] == [key, key]
        assert keys.asked == 1
        changed = keys.add(SECRET.decode(), id=key.id, revoked=5.0)
        assert await ring.key(SECRET) == key
        clock.now += FRESH_SECONDS
        assert await ring.key(SECRET) == changed

    run(main())


def test_news_of_a_key_are_heard_at_once() -> None:
    """Of that one, or of all."""

    async def main() -> None:
        keys = KeysInMemory()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys)  # type: ignore[arg-type]
        await ring.key(SECRET)
        ring.forget("another")
        await ring.key(SECRET)
        assert keys.asked == 1
        ring.forget(key.id)
        await ring.key(SECRET)
        ring.forget_all()
        await ring.key(SECRET)
        assert keys.asked == 3

    run(main())


def test_while_the_store_is_away_a_known_key_goes_on() -> None:
    """It is asked now and then; a key that is not known cannot be told; one that is none is none."""

    async def main() -> None:
        keys, clock = KeysInMemory(), Clock()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        await ring.key(SECRET)
        keys.away = True
        clock.now += 3600.0
        assert [await ring.key(SECRET), await ring.key(SECRET)] == [key, key]
        assert keys.asked == 2
        with pytest.raises(StoreError):
            await ring.key(b"fp-" + b"x" * 43)
        assert keys.asked == 2
        assert await ring.key(b"fp-short") is None
        keys.away = False
        clock.now += RETRY_SECONDS
        assert await ring.key(b"fp-" + b"x" * 43) is None
        assert await ring.key(SECRET) == key
        assert keys.asked == 4

    run(main())


def test_who_asks_at_the_same_time_waits_for_one_answer() -> None:
    """A burst after a start asks the store once; one that leaves does not take the answer from the others."""

    async def main() -> None:
        keys = Slow()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys)  # type: ignore[arg-type]
        asked = [asyncio.create_task(ring.key(SECRET)) for _ in range(20)]
        await asyncio.sleep(0.05)
        asked[0].cancel()
        keys.go.set()
        assert await asyncio.gather(*asked[1:]) == [key] * 19
        assert keys.asked == 1

    run(main())


def test_what_was_read_before_a_change_is_not_remembered_after_it() -> None:
    """Whoever asks after the news reads anew, even while an older answer is on its way, which is kept for nobody."""

    async def main() -> None:
        keys = Slow()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys)  # type: ignore[arg-type]
        early = asyncio.create_task(ring.key(SECRET))
        await asyncio.to_thread(keys.read.acquire)
        changed = keys.add(SECRET.decode(), id=key.id, revoked=5.0)
        ring.forget(key.id)
        late = asyncio.create_task(ring.key(SECRET))
        await asyncio.to_thread(keys.read.acquire)
        keys.go.set()
        assert [await early, await late, await ring.key(SECRET)] == [key, changed, changed]
        assert keys.asked == 2

    run(main())


def test_nobody_who_is_known_waits_for_a_store_that_failed() -> None:
    """It may take seconds to fail again; one answer later the key is as the store has it."""

    async def main() -> None:
        keys, clock = Slow(), Clock()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        keys.go.set()
        await ring.key(SECRET)
        clock.now += FRESH_SECONDS
        keys.away = True
        assert await ring.key(SECRET) == key
        keys.go.clear()
        keys.away = False
        changed = keys.add(SECRET.decode(), id=key.id, revoked=5.0)
        clock.now += RETRY_SECONDS
        assert [await ring.key(SECRET), await ring.key(SECRET)] == [key, key]
        keys.go.set()
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        assert (await ring.key(SECRET), keys.asked) == (changed, 3)

    run(main())


def test_a_secret_of_the_configuration_is_what_digests_are_keyed_with() -> None:
    """Then the store's own is not asked for."""

    async def main() -> None:
        assert await Keyring(None, "pepper").digest(SECRET) == digest_of(b"pepper", SECRET)  # type: ignore[arg-type]

    run(main())


def test_minted_keys() -> None:
    """256 bits each, the id is none of them, and what is shown afterwards gives nothing away."""
    pairs = [minted(Key(id="", tenant="t")) for _ in range(50)]
    assert len({secret for _, secret in pairs} | {key.id for key, _ in pairs}) == 100
    for key, secret in pairs:
        assert (len(secret), secret[:3], key.shown, key.tenant) == (46, "fp-", secret[:9], "t")
        assert key.created > 0
        assert key.id.startswith("key_")


def test_while_the_store_hangs_a_known_key_goes_on() -> None:
    """Nobody waits for an answer that does not come; once it comes it counts."""

    async def main() -> None:
        keys, clock, answers = Hanging(), Clock(), threading.Event()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        await ring.key(SECRET)
        changed = keys.add(SECRET.decode(), id=key.id, revoked=5.0)
        keys.answers = answers
        clock.now += FRESH_SECONDS
        assert await ring.key(SECRET) == key
        answers.set()
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        clock.now += RETRY_SECONDS
        assert await ring.key(SECRET) == changed

    run(main())


def test_a_fault_that_comes_too_late_is_nobodys() -> None:
    """It is not told as a fault of ours."""

    async def main() -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        keys, clock, answers = Hanging(), Clock(), threading.Event()
        keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        await ring.key(SECRET)
        keys.answers, keys.away = answers, True
        clock.now += FRESH_SECONDS
        await ring.key(SECRET)
        late = next(iter(ring._asked.values()))
        answers.set()
        await asyncio.wait((late,))
        del late
        gc.collect()
        await asyncio.sleep(0)
        return told

    assert run(main()) == []


def test_keys_of_which_news_may_be_missing_go_on_without_the_store() -> None:
    """One that was changed for certain does not: as it was it may be good no more."""

    async def main() -> None:
        keys, clock = KeysInMemory(), Clock()
        key = keys.add(SECRET.decode())
        ring = Keyring(keys, clock=clock)  # type: ignore[arg-type]
        await ring.key(SECRET)
        keys.away = True
        ring.forget_all()
        assert await ring.key(SECRET) == key
        ring.forget(key.id)
        with pytest.raises(StoreError):
            await ring.key(SECRET)

    run(main())
