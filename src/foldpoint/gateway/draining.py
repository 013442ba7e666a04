"""How a gateway stops without failing a request of anyone who can't know that it does: docs/design/replicas.md."""

import asyncio

from .door import Door
from .state import Traffic

LINGER_SECONDS = 5.0
"""How long newcomers are still let in: a balancer that asks /readyz sends nobody by then."""
LINGER_SHARE = 1 / 3
"""The same as a share of the whole time, which may be short."""
QUIET_SECONDS = 3.0
"""For how long nothing may have come before it is over, while anybody is connected: who keeps a connection may send on
it at any moment, and a balancer that gives up idle ones sooner never meets one that we close."""
LOOK_SECONDS = 0.1


async def drained(traffic: Traffic, seconds: float, at_once: asyncio.Event, door: Door) -> None:
    """Say that no more requests are welcome and wait until none comes and none is open, at most so many seconds."""
    traffic.draining = True
    linger = min(LINGER_SECONDS, seconds * LINGER_SHARE)
    waits = [asyncio.ensure_future(each) for each in (ended(traffic, door), at_once.wait())]
    turning = asyncio.ensure_future(turned_away(traffic, linger, door))
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for each in (*waits, turning):
        each.cancel()


async def turned_away(traffic: Traffic, linger: float, door: Door) -> None:
    """Shut the door at the first request that comes after a while: its sender asks nobody whether we are ready, but
    goes elsewhere when refused. While none comes, probes and scrapers are still answered."""
    await asyncio.sleep(linger)
    traffic.knocked.clear()
    await traffic.knocked.wait()
    door.turn_away()


async def ended(traffic: Traffic, door: Door) -> None:
    """Wait until all is quiet, where anybody is connected; who came in last included."""
    if door.inside or traffic.open:
        await quiet(traffic, door)
    while door.turn_away():
        await quiet(traffic, door)


async def quiet(traffic: Traffic, door: Door) -> None:
    """Wait until no request is open, and nobody is connected or none came for a while."""
    clock = asyncio.get_running_loop().time
    came, since = traffic.came, clock()
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        await asyncio.sleep(0)  # uvloop looks at its timers before it reads what came meanwhile
        if traffic.open or came != traffic.came:
            came, since = traffic.came, clock()
        elif not door.inside or clock() - since >= QUIET_SECONDS:
            return
