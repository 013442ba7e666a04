"""Three gateways behind nginx, on one Postgres and one Valkey: one is killed, one is told to stop, nobody notices."""

import asyncio
import hashlib
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from balancer import balanced
from fleet import Fleet, Process, standing
from played import Player, Script, Session, Try, from_corpus, made, sessions

from foldpoint.core.policy import Policy
from foldpoint.engine import Engine

TENANTS = ("north", "south")
LOST_SECONDS = 1.0
"""Before a kill: a record is written after `flush_ms` (250) and what the write takes on a busy machine."""
VALKEY_GONE = "Valkey cannot be reached: limits and the ring are each process's own, changed keys are seen later"


@dataclass
class Run:
    """What was played, and when one of the gateways was killed and was gone."""

    policies: dict[str, Policy]
    sessions: list[Session]
    replicas: list[Process]
    tries: list[Try]
    seen: dict[str, list[str]]
    own: dict[str, set[str]]
    codes: tuple[int, ...]
    killed: float
    gone: float
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def victim(self) -> str:
        """The one that was killed."""
        return self.replicas[0].address.removeprefix("http://")

    @property
    def failed(self) -> list[Try]:
        """The requests that had no whole answer."""
        return [each for each in self.tries if each.status != 200]


async def played(fleet: Fleet, scripts: Sequence[Script], count: int, folder: Path) -> Run:
    """Play so many sessions at once; after a fifth of it one gateway is killed, after two another has to stop.

    Before that one is gone no session ends.
    """
    replicas = [await asyncio.to_thread(fleet.gateway, workers=workers) for workers in (1, 2, 1)]
    going = sessions(scripts, count, TENANTS)
    total = sum(len(session.bodies) for session in going)
    connector = aiohttp.TCPConnector(limit=0)
    with balanced(folder / "nginx", [replica.address for replica in replicas]) as url:
        async with aiohttp.ClientSession(connector=connector) as client:
            player = Player(client, lambda _: url, fleet.keys)
            playing = asyncio.gather(*(player.play(session) for session in going))
            await player.until(total // 5)
            killed = time.monotonic()
            code = await asyncio.to_thread(replicas[0].end, signal.SIGKILL)
            gone = time.monotonic()
            await player.until(total * 2 // 5)
            stopped = await asyncio.to_thread(replicas[1].end)
            player.may_end.set()
            await playing
            own = {tenant: await listed(client, url, key) for tenant, key in fleet.keys.items()}
            async with client.get(fleet.provider + "/seen") as answer:
                seen = await answer.json()
    codes = (code, stopped, await asyncio.to_thread(replicas[2].end))
    return Run(fleet.policies, going, replicas, player.tries, seen, own, codes, killed, gone)


async def listed(client: aiohttp.ClientSession, url: str, key: str) -> set[str]:
    """The ids of the newest records that a key may see."""
    headers = {"authorization": f"Bearer {key}"}
    async with client.get(url + "/api/v1/tenant/requests?limit=1000", headers=headers) as answer:
        return {row["id"] for row in (await answer.json())["requests"]}


SOURCES = [
    pytest.param(("corpus", 200, 30, 15), marks=pytest.mark.shared, id="200 sessions of the corpus"),
    pytest.param(("made", 100, 20, 9), id="100 sessions of the demo"),
]


@pytest.fixture(scope="module", params=SOURCES)
def run(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """It is played once for all that is asked of it."""
    source, count, length, drain = request.param
    scripts = list(from_corpus(shared, length) if source == "corpus" else made(length))
    folder = tmp_path_factory.mktemp("replicas")
    with standing(folder, drain) as fleet:
        ran = asyncio.run(played(fleet, scripts, count, folder))
        ran.records = fleet.records()
    return ran


def test_every_step_has_its_answer(run: Run) -> None:
    """What fails was open on the one that was killed, and was there before it was gone; sent again it is answered."""
    assert [(each.replica, each.began < run.gone, each.ended > run.killed) for each in run.failed] == [
        (run.victim, True, True)
    ] * len(run.failed)
    assert run.failed
    steps = [(session.name, step) for session in run.sessions for step in range(len(session.bodies))]
    assert Counter((each.session, each.step) for each in run.tries if each.status == 200) == Counter(steps)


def test_the_sessions_have_no_home(run: Run) -> None:
    """Their steps were served by whichever gateway was there, the last ones by the last of them."""
    served = defaultdict[str, set[str]](set)
    for each in run.tries:
        served[each.session].add(each.replica)
    homes = Counter(len(replicas) for replicas in served.values())
    assert homes[3] > len(run.sessions) / 2
    assert homes[1] == 0
    last = {session.tries[-1].replica for session in run.sessions}
    assert last == {run.replicas[2].address.removeprefix("http://")}


def test_the_folded_bytes_are_those_of_one_engine(run: Run) -> None:
    """The provider got what one engine in one process makes of the step, once for each time that it was asked."""
    engines = {tenant: Engine(policy) for tenant, policy in run.policies.items()}
    tries = Counter(f"{each.session}/{each.step}" for each in run.tries)
    answered = tries - Counter(f"{each.session}/{each.step}" for each in run.failed)
    folded = 0
    for session in run.sessions:
        for step in range(len(session.bodies)):
            name, body = f"{session.name}/{step}", session.body(step)
            sent = engines[session.tenant].fold(body, session.surface).body
            folded += sent != body
            assert set(run.seen[name]) == {hashlib.sha256(sent).hexdigest()}, name
            assert answered[name] <= len(run.seen[name]) <= tries[name], name
    assert folded > sum(len(session.bodies) for session in run.sessions) / 4


def test_every_finished_request_has_one_record(run: Run) -> None:
    """All of them, but of the gateway that was killed those of its last moment; and there is no other record."""
    finished = {each.id: each for each in run.tries if each.status == 200}
    assert len(finished) == sum(len(session.bodies) for session in run.sessions)
    rows = Counter(row["id"] for row in run.records if row["id"] in finished)
    lost = [finished[id] for id in finished.keys() - rows.keys()]
    assert [each for each in lost if each.replica != run.victim or each.ended < run.killed - LOST_SECONDS] == []
    assert set(rows.values()) == {1}
    assert {row["id"] for row in run.records} - finished.keys() <= {each.id for each in run.failed}


def test_records_are_their_tenants(run: Run) -> None:
    """Each is of the tenant whose key the session used, as billed; a tenant reads its own alone."""
    tenants = {session.name: session.tenant for session in run.sessions}
    assert {row["tenant"] for row in run.records} == set(TENANTS)
    assert [row for row in run.records if (row["tenant"], row["input"]) != (tenants[row["session"]], 100)] == []
    by_tenant = {tenant: {row["id"] for row in run.records if row["tenant"] == tenant} for tenant in TENANTS}
    assert [tenant for tenant in TENANTS if not run.own[tenant] or run.own[tenant] - by_tenant[tenant]] == []


def test_they_end_as_they_should(run: Run) -> None:
    """One was killed, one was told to while it was busy, one afterwards; none had anything to complain of. On a machine
    that is too busy to read Valkey's answers in time a gateway may say so; it has to have been back at the end."""
    assert run.codes == (-signal.SIGKILL, 0, 0)
    said = [replica.events("error") + replica.events("warning") for replica in run.replicas]
    assert [set(events) - {VALKEY_GONE} for events in said] == [set()] * 3
    back = [replica.events("info").count("Valkey is back") for replica in run.replicas]
    assert [events.count(VALKEY_GONE) for events in said[1:]] == back[1:]
