"""Locks in Valkey: a key with the holder's token, which ends by itself."""

from valkey.asyncio import Valkey

from .line import Gone, Line
from .names import named

RENEW = """local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1"""
"""A lock that Valkey forgot (it was started again) is taken again, unless another was faster."""
FREE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class ValkeyLocks:
    """Takes locks that all processes see."""

    def __init__(self, client: Valkey, line: Line) -> None:
        self._client = client
        self._line = line
        self._renew = client.register_script(RENEW)
        self._free = client.register_script(FREE)

    async def take(self, name: str, token: str, seconds: float) -> bool | None:
        """Take the lock, unless another has it; None: Valkey is gone."""
        try:
            return await self._line.ask(lambda: self._set(name, token, seconds))
        except Gone:
            return None

    async def renew(self, name: str, token: str, seconds: float) -> bool | None:
        """Keep it; False: another has it by now."""
        try:
            return bool(await self._line.ask(lambda: self._renew([named("lock", name)], [token, _ms(seconds)])))
        except Gone:
            return None

    async def free(self, name: str, token: str) -> None:
        """Give it back, if it is still ours; one that cannot be given back ends by itself."""
        try:
            await self._line.ask(lambda: self._free([named("lock", name)], [token]))
        except Gone:
            return

    async def _set(self, name: str, token: str, seconds: float) -> bool:
        return bool(await self._client.set(named("lock", name), token, nx=True, px=_ms(seconds)))


def _ms(seconds: float) -> int:
    return max(int(seconds * 1000), 1)
