"""The shared parts in a Valkey."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, cast

from foldpoint.stores.base import StoreError

from .address import Address, address_of
from .base import Forget, ForgetAll
from .line import Line, Pace
from .locks import MachineLocks
from .names import PREFIX
from .shared import Parts

if TYPE_CHECKING:
    from limits.aio.storage import RedisStorage
    from valkey.asyncio import ConnectionPool, Valkey

SOCKET_SECONDS = 1.0
"""For what goes on in the background. What requests wait for has less, and a time limit of its own (see `batched`)."""
ALIVE = "return redis.call('SET', KEYS[1], '1', 'PX', '60000')"
"""A write by a script: what the parts need a Valkey to do."""


def valkey_parts(url: str, locks: MachineLocks, lease: float, pace: Pace) -> Parts:
    """The parts, of which nothing is connected before they start. Raises StoreError."""
    address = address_of(url)
    try:
        from valkey.asyncio import Valkey

        from .batched import Batched
    except ModuleNotFoundError:
        raise StoreError(
            "store.shared: the package that speaks with Valkey is missing: pip install 'foldpoint[valkey]'"
        ) from None
    from .counters import Counters
    from .limiter import SharedLimiter
    from .valkey_locks import ValkeyLocks
    from .valkey_news import ValkeyNews
    from .valkey_places import ValkeyPlaces
    from .valkey_ring import ValkeyRing

    pool, quick_pool = _pool(address, SOCKET_SECONDS), _pool(address, None)
    client, quick = Valkey(connection_pool=pool), Batched(quick_pool)
    looking = Valkey(connection_pool=quick_pool)  # leaves the connection that it made to the requests
    line = Line(
        address.shown,
        lambda: cast("Awaitable[str]", looking.eval(ALIVE, 1, f"{PREFIX}:alive")),
        lost="Valkey cannot be reached: limits and the ring are each process's own, changed keys are seen later",
        back="Valkey is back",
        told=address.told,
        pace=pace,
    )
    limiter = SharedLimiter(line, Counters(_windows(quick), ValkeyPlaces(quick, lease), distant=True), lease)
    ring = ValkeyRing(client, line)

    def listen(forget: Forget, forget_all: ForgetAll) -> tuple[ValkeyNews, ValkeyNews]:
        news = ValkeyNews(quick, client, line, address.database, forget, forget_all)
        return news, news

    async def close() -> None:
        await quick.end()
        for each in (quick_pool, pool):
            await each.disconnect()

    return Parts(
        name="valkey",
        limiter=limiter,
        newest=ring,
        locks=locks,
        work=[line, limiter, ring],
        line=line,
        far=ValkeyLocks(quick, line),
        listen=listen,
        close=close,
    )


def _pool(address: Address, seconds: float | None) -> "ConnectionPool":
    """Connections, nothing of which is sent yet; who asks over one waits so long, or has a time limit of its own."""
    from valkey.asyncio import ConnectionPool

    options: dict[str, Any] = {"ssl_check_hostname": True} if address.tls else {}
    try:
        pool = ConnectionPool.from_url(
            address.url,
            socket_timeout=seconds,
            socket_connect_timeout=SOCKET_SECONDS,
            client_name=PREFIX,
            **options,
        )
        pool.connection_class(**pool.connection_kwargs)  # what it cannot take is known now
    except Exception as error:  # noqa: BLE001  whatever it is, the address has it
        raise StoreError(
            f"store.shared: {address.shown}: an option of the address cannot be used: {address.told(error)}"
        ) from None
    return pool


def _windows(quick: "Valkey") -> "RedisStorage":
    """The windows of `limits`, over our client."""
    from limits.aio.storage import RedisStorage

    windows = RedisStorage("async+valkey://", connection_pool=quick.connection_pool, key_prefix=f"{PREFIX}:limits")  # type: ignore[arg-type]
    bridge: Any = windows.bridge
    bridge.connection_getter = lambda readonly: quick
    bridge.register_scripts()
    return windows
