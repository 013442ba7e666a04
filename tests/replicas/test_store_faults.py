"""Gateways under load whose store, disk or Valkey goes and comes back: no request fails, no record is lost."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from fleet import Fleet, Process, standing
from played import Player, Session, Try, made, sessions
from small_disk import small_disk

from foldpoint.gateway.keyring import FRESH_SECONDS

LANES, LENGTH = 12, 12
PAUSE_SECONDS = 0.25
BEFORE = 40
"""Requests before a fault, and after its end."""
AWAY_SECONDS = 20
STORE_FAILS = "the store fails: records wait in the spool"
STORE_BACK = "the store has the records of the spool"
NOT_SPOOLED = "records cannot be spooled"
VALKEY_FAILS = "Valkey cannot be reached: limits and the ring are each process's own, changed keys are seen later"
VALKEY_BACK = "Valkey is back"
OK, NO_STORE, NO_VALKEY = ("ready", "ok", "ok"), ("ready", "degraded", "ok"), ("ready", "ok", "degraded")
POSTED = "/v1/messages"


@pytest.fixture
def fleet(tmp_path: Path) -> "contextlib.AbstractContextManager[Fleet]":
    """Stores of its own for each test, for it stops them."""
    return standing(tmp_path)


@dataclass
class Load:
    """Sessions that are played without an end, each at one of the gateways; and one who asks besides."""

    fleet: Fleet
    gateways: list[Process]
    client: aiohttp.ClientSession
    player: Player
    going: list[Session]

    async def states(self, wanted: tuple[str, str, str]) -> None:
        """Wait until each gateway says so of itself, ready all the time."""
        for gateway in self.gateways:
            await until(lambda at=gateway: self._is(at, wanted))

    async def _is(self, gateway: Process, wanted: tuple[str, str, str]) -> bool:
        async with self.client.get(gateway.address + "/readyz") as answer:
            said = await answer.json()
            assert answer.status == 200
            return (said["status"], said["store"], said["shared"]) == wanted

    async def status(self, gateway: Process, key: str) -> int:
        """What one request with a key is answered."""
        headers = {"authorization": f"Bearer {key}"}
        async with self.client.post(gateway.address + POSTED, data=b"{}", headers=headers) as answer:
            await answer.read()
            return answer.status

    async def newest(self, gateway: Process, key: str) -> set[str]:
        """The newest records that a key sees there."""
        headers = {"authorization": f"Bearer {key}"}
        async with self.client.get(gateway.address + "/api/v1/tenant/ring", headers=headers) as answer:
            assert answer.status == 200
            return {row["id"] for row in (await answer.json())["requests"]}

    async def goes_on(self) -> None:
        """Wait for some more requests."""
        await self.player.until(len(self.player.tries) + BEFORE)


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(60):
        while not await true():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.05)


async def logged(gateway: Process, event: str) -> None:
    """Wait until that is logged."""

    async def there() -> bool:
        return event in gateway.events()

    await until(there)


@contextlib.asynccontextmanager
async def loaded(fleet: Fleet, gateways: list[Process]) -> AsyncIterator[Load]:
    """Some dozen requests a second before, meanwhile and afterwards; then the gateways are stopped."""
    going = sessions(list(made(LENGTH)), LANES, list(fleet.keys))
    at = {session.name: gateways[number % len(gateways)].address for number, session in enumerate(going)}
    over = asyncio.Event()

    async def play(session: Session) -> None:
        step = 0
        while not over.is_set():
            await player.step(session, step % LENGTH)
            await asyncio.sleep(PAUSE_SECONDS)
            step += 1

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        player = Player(client, lambda session: at[session.name], fleet.keys)
        playing = asyncio.gather(*(play(session) for session in going))
        load = Load(fleet, gateways, client, player, going)
        await load.goes_on()
        yield load
        await load.goes_on()
        over.set()
        await playing
    assert [await asyncio.to_thread(gateway.end) for gateway in gateways] == [0] * len(gateways)


def check(load: Load) -> None:
    """No request failed; each has its record, those of a session in the order in which they were served."""
    assert [each for each in load.player.tries if each.status != 200] == []
    written = load.fleet.records()
    for session in load.going:
        assert [row["id"] for row in written if row["session"] == session.name] == ids(session.tries)
    assert sum(row["tenant"] in load.fleet.keys for row in written) == len(load.player.tries)


def ids(tries: list[Try]) -> list[str]:
    return [each.id for each in tries]


def told(gateway: Process) -> list[str]:
    """What it said of its stores, and whatever it complained of."""
    of_stores = (STORE_BACK, VALKEY_BACK)
    logged = [json.loads(line) for line in gateway.lines if line.startswith("{")]
    return [line["event"] for line in logged if line["level"] in ("warning", "error") or line["event"] in of_stores]


def test_postgres_is_gone_for_twenty_seconds(fleet: "contextlib.AbstractContextManager[Fleet]") -> None:
    """Known keys go on, an unknown one is told to try again; records wait in each gateway's spool."""

    async def main(fleet: Fleet) -> tuple[Load, list[int], list[bool]]:
        gateways = [await asyncio.to_thread(fleet.gateway) for _ in range(2)]
        stranger = await asyncio.to_thread(fleet.key, "--tenant", "east")
        async with loaded(fleet, gateways) as load:
            await load.states(OK)
            await asyncio.to_thread(fleet.postgres.stop)
            back = asyncio.get_running_loop().time() + AWAY_SECONDS
            await load.states(NO_STORE)
            status = [await load.status(gateways[0], stranger)]
            await asyncio.sleep(back - asyncio.get_running_loop().time())
            spooled = [gateway.spool.stat().st_size > 0 for gateway in gateways]
            await asyncio.to_thread(fleet.postgres.start)
            await load.states(OK)
            status.append(await load.status(gateways[0], stranger))
        return load, status, spooled

    with fleet as standing:
        load, status, spooled = asyncio.run(main(standing))
        check(load)
        assert (status, spooled) == ([503, 200], [True, True])
        assert [told(gateway) for gateway in load.gateways] == [[STORE_FAILS, STORE_BACK]] * 2
        assert [gateway.spool.stat().st_size for gateway in load.gateways] == [0, 0]


def test_postgres_hangs(fleet: "contextlib.AbstractContextManager[Fleet]") -> None:
    """It keeps its connections and answers nobody: known keys do not wait for it, nor does a record."""

    async def main(fleet: Fleet) -> Load:
        gateway = await asyncio.to_thread(fleet.gateway)
        async with loaded(fleet, [gateway]) as load:
            fleet.postgres.hang()
            await load.states(NO_STORE)
            fresh = asyncio.get_running_loop().time() + FRESH_SECONDS
            while asyncio.get_running_loop().time() < fresh:
                await load.goes_on()
            fleet.postgres.wake()
            await load.states(OK)
        return load

    with fleet as standing:
        load = asyncio.run(main(standing))
        check(load)
        assert told(load.gateways[0]) == [STORE_FAILS, STORE_BACK]


def test_postgres_is_gone_and_the_disk_is_full(
    fleet: "contextlib.AbstractContextManager[Fleet]", tmp_path: Path
) -> None:
    """Records wait in memory; where there is room again they go to the spool, and from there to the store."""

    async def main(fleet: Fleet, data: Path) -> Load:
        gateway = await asyncio.to_thread(fleet.gateway, data)
        async with loaded(fleet, [gateway]) as load:
            disk.fill(gateway.popen.pid)
            await asyncio.to_thread(fleet.postgres.stop)
            await logged(gateway, NOT_SPOOLED)
            await load.states(NO_STORE)
            await load.goes_on()
            assert gateway.spool.stat().st_size == 0
            disk.room(gateway.popen.pid)

            async def spooled() -> bool:
                return gateway.spool.stat().st_size > 0

            await until(spooled)
            await load.goes_on()
            await asyncio.to_thread(fleet.postgres.start)
            await load.states(OK)
        return load

    with fleet as standing, small_disk(tmp_path / "disk") as disk:
        load = asyncio.run(main(standing, disk.folder))
        check(load)
        assert told(load.gateways[0]) == [STORE_FAILS, NOT_SPOOLED, STORE_BACK]


def test_valkey_is_killed_and_comes_back(fleet: "contextlib.AbstractContextManager[Fleet]") -> None:
    """Limits and the newest records are each gateway's own meanwhile, a key that was revoked is seen all the same."""

    async def main(fleet: Fleet) -> tuple[Load, list[int]]:
        gateways = [await asyncio.to_thread(fleet.gateway) for _ in range(2)]
        few = await asyncio.to_thread(fleet.key, "--tenant", "east", "--requests-per-minute", "2")
        gone = json.loads(fleet.command("keys", "create", "--tenant", "east", "--json"))
        async with loaded(fleet, gateways) as load:
            await load.states(OK)
            assert [await load.status(gateway, gone["secret"]) for gateway in gateways] == [200, 200]
            fleet.valkey.kill()
            await load.states(NO_VALKEY)
            statuses = [await load.status(gateways[0], few) for _ in range(3)]
            await load.goes_on()
            by_gateway = [await load.newest(gateway, fleet.keys["north"]) for gateway in gateways]
            assert all(by_gateway)
            assert by_gateway[0].isdisjoint(by_gateway[1])
            await asyncio.to_thread(fleet.command, "keys", "revoke", gone["id"])
            for gateway in gateways:

                async def refused(at: Process = gateway) -> bool:
                    return await load.status(at, gone["secret"]) == 401

                await until(refused)
            fleet.valkey.start()
            await load.states(OK)
            await load.goes_on()

            async def the_same() -> bool:
                one, other = [await load.newest(gateway, fleet.keys["north"]) for gateway in gateways]
                return len(one & other) > BEFORE / 2

            await until(the_same)
            statuses += [await load.status(gateways[at], few) for at in (0, 1, 0)]
        return load, statuses

    with fleet as standing:
        load, statuses = asyncio.run(main(standing))
        check(load)
        assert statuses == [200, 200, 429] * 2
        assert [told(gateway) for gateway in load.gateways] == [[VALKEY_FAILS, VALKEY_BACK]] * 2


def test_a_gateway_does_not_start_without_its_store(fleet: "contextlib.AbstractContextManager[Fleet]") -> None:
    """Exit 1 and what to look at: whoever starts it tries again, and the others go on."""
    with fleet as standing:
        standing.postgres.stop()
        ran = standing.run("serve", "--port", "0")
    assert (ran.returncode, "look whether the server runs" in ran.stderr, "Traceback" in ran.stderr) == (1, True, False)


def test_a_gateway_starts_without_valkey(fleet: "contextlib.AbstractContextManager[Fleet]") -> None:
    """It is ready, says what is degraded, and shares when there is something to share."""

    async def main(fleet: Fleet) -> Load:
        fleet.valkey.kill()
        gateway = await asyncio.to_thread(fleet.gateway)
        async with loaded(fleet, [gateway]) as load:
            await load.states(NO_VALKEY)
            fleet.valkey.start()
            await load.states(OK)
        return load

    with fleet as standing:
        load = asyncio.run(main(standing))
        check(load)
        assert told(load.gateways[0]) == [VALKEY_FAILS, VALKEY_BACK]
