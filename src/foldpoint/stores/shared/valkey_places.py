"""Places in Valkey: a sorted set for each key, of requests by the time at which their lease ends."""

from valkey.asyncio import Valkey

from .names import named
from .places import Open

NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)"
"""The server's clock: those of the replicas may differ."""
TAKE = f"""{NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1"""
RENEW = f"""{NOW}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])"""
MOST = 1000
"""Requests renewed by one script, which nobody else is served beside."""


class ValkeyPlaces:
    """Counts places over all processes. Each is taken for `lease` seconds unless it is renewed."""

    def __init__(self, client: Valkey, lease: float = 30.0) -> None:
        self._client = client
        self._lease = int(lease * 1000)
        self._take = client.register_script(TAKE)
        self._renew = client.register_script(RENEW)

    async def take(self, key: str, request: str, most: int) -> bool:
        """Take a place of the key, unless so many are taken."""
        return bool(await self._take([named("places", key)], [self._lease, most, request]))

    async def free(self, key: str, request: str) -> None:
        """Give it back."""
        await self._client.zrem(named("places", key), request)

    async def renew(self, open: Open) -> None:
        """Say that these requests are still open."""
        for key, requests in open.items():
            every = list(requests)
            for begin in range(0, len(every), MOST):
                await self._renew([named("places", key)], [self._lease, *every[begin : begin + MOST]])
