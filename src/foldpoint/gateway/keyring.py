"""Keys by their secrets, as the store has them and remembered for a moment, so that no request waits for the store."""

import asyncio
import hmac
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from foldpoint.core.key import Key
from foldpoint.stores.base import KeyStore, StoreError

FORM = re.compile(rb"fp-[A-Za-z0-9_-]{43}")
FRESH_SECONDS = 5.0
RETRY_SECONDS = 1.0
MOST = 10_000


class Held(NamedTuple):
    """A key, and when it was read from the store."""

    key: Key
    read: float


class Keyring:
    """Finds keys. One that was found is read again after `FRESH_SECONDS`; while the store fails it goes on as it was.

    Args:
        store: where the keys are; asked in a thread.
        secret: what digests are keyed with; None: the store's own.
        clock: seconds.
    """

    def __init__(self, store: KeyStore, secret: str | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._secret = None if secret is None else secret.encode()
        self._clock = clock
        self._held: OrderedDict[bytes, Held] = OrderedDict()
        self._asked: dict[bytes, asyncio.Task[Key | None]] = {}
        self._retry_at, self._failing = 0.0, False

    async def key(self, secret: bytes) -> Key | None:
        """The key with that secret, a revoked one too; None where there is none.

        Raises:
            StoreError: when the key is not remembered and the store cannot be asked.
        """
        if not FORM.fullmatch(secret):
            return None
        digest = digest_of(await self._keyed(), secret)
        held, now = self._held.get(digest), self._clock()
        if held and (now - held.read < FRESH_SECONDS or now < self._retry_at):
            return held.key
        if now < self._retry_at:
            raise StoreError("keys cannot be read at the moment")
        reading = self._reading(digest)
        if held and self._failing:
            return held.key  # nobody who is known waits for a store that failed a moment ago
        try:
            return await asyncio.shield(reading)
        except StoreError:
            if held:
                return held.key
            raise

    def forget(self, id: str) -> None:
        """Read the key with that id anew when it is wanted again; what is read just now may be of before."""
        self._asked.clear()
        for digest in [digest for digest, held in self._held.items() if held.key.id == id]:
            del self._held[digest]

    def forget_all(self) -> None:
        """Read every key anew."""
        self._asked.clear()
        self._held.clear()

    async def digest(self, secret: bytes) -> bytes:
        """What the store knows a secret by. Raises StoreError."""
        return digest_of(await self._keyed(), secret)

    async def _keyed(self) -> bytes:
        if self._secret is None:
            self._secret = await asyncio.to_thread(self._store.secret)
        return self._secret

    def _reading(self, digest: bytes) -> asyncio.Task[Key | None]:
        """The store's answer; who asks meanwhile for the same key waits for the same answer."""
        asked = self._asked.get(digest)
        if asked is None:
            asked = asyncio.create_task(self._fetch(digest))
            asked.add_done_callback(_heard)
            self._asked[digest] = asked
        return asked

    async def _fetch(self, digest: bytes) -> Key | None:
        began, task = self._clock(), asyncio.current_task()
        try:
            key = await asyncio.to_thread(self._store.key_by, digest)
            self._failing = False
        except StoreError:
            self._retry_at, self._failing = self._clock() + RETRY_SECONDS, True
            raise
        finally:
            current = self._asked.get(digest) is task
            if current:
                del self._asked[digest]
        if current:
            self._hold(digest, key, began)
        return key

    def _hold(self, digest: bytes, key: Key | None, began: float) -> None:
        self._held.pop(digest, None)
        if key is not None:
            self._held[digest] = Held(key, began)
            if len(self._held) > MOST:
                self._held.popitem(last=False)


def _heard(reading: asyncio.Task[Key | None]) -> None:
    """Nobody may have waited for it."""
    if not reading.cancelled():
        reading.exception()


def digest_of(keyed: bytes, secret: bytes) -> bytes:
    """HMAC-SHA256: what is looked up says nothing of the secret, however long the look-up takes."""
    return hmac.digest(keyed, secret, "sha256")
