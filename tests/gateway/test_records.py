"""Records are read back over HTTP, by the tenant they belong to and by no one else."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec
from aiohttp import web
from loopback import Alone, Canned, KeysInMemory, chat, settings_for

from foldpoint import assemble
from foldpoint.config import load
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.gateway.api.paths import add_routes
from foldpoint.gateway.callers import CALLERS, Callers
from foldpoint.gateway.keyring import Keyring
from foldpoint.gateway.serving import listening
from foldpoint.gateway.state import NEWEST, RECORDER, SHARED, STORE
from foldpoint.lab.provider import Provider
from foldpoint.stores import Recorder, Spool, SqliteDatabase, SqlStore

BODY = b'{"messages": [{"role": "user", "content": "hi"}]}'
SECRETS = {"u": "fp-" + "u" * 43}
"""The key of a tenant."""


class Reader:
    """The running paths, the recorder behind them, and a client."""

    def __init__(self, url: str, recorder: Recorder, store: SqlStore, client: aiohttp.ClientSession) -> None:
        self.url, self.recorder, self.store, self.client = url, recorder, store, client

    def put(self, id: str, time: float = 0.0, messages: bytes | None = None, **fields: Any) -> None:
        self.recorder.put(Record(id=id, time=time, **fields), messages)

    async def get(self, path: str, tenant: str = "", **headers: str) -> tuple[int, Any]:
        if tenant:
            headers["x-api-key"] = SECRETS[tenant]
        async with self.client.get(f"{self.url}/api/v1/tenant/{path}", headers=headers) as answer:
            return answer.status, msgspec.json.decode(await answer.read())

    async def ids(self, path: str, **headers: str) -> list[str]:
        return [one["id"] for one in (await self.get(path, **headers))[1]["requests"]]


@contextlib.asynccontextmanager
async def reading(folder: Path) -> AsyncIterator[Reader]:
    """The read-back paths on a real store and a real port."""
    store = SqlStore(SqliteDatabase(folder / "r.db"))
    recorder = Recorder(store, Spool(folder / "spool"), flush_ms=60_000)
    keys, shared = KeysInMemory(), Alone()
    for tenant, secret in SECRETS.items():
        keys.add(secret, tenant=tenant)
    app = web.Application()
    app[STORE], app[RECORDER], app[NEWEST], app[SHARED] = store, recorder, recorder.newest, shared  # type: ignore[assignment]
    app[CALLERS] = Callers(settings_for("http://unused"), lambda policy: Canned(), Keyring(keys))  # type: ignore[arg-type]
    add_routes(app)
    await recorder.start()
    async with listening(app, "127.0.0.1", 0) as url, aiohttp.ClientSession() as client:
        yield Reader(url, recorder, store, client)
    await recorder.close()
    store.close()


def test_a_request_is_read_back_at_once(tmp_path: Path) -> None:
    """Every column, the stage of the skill, and the messages only when asked for."""

    async def main() -> tuple[Any, Any, Any]:
        async with reading(tmp_path) as it:
            it.put(
                "a", 5.0, BODY, surface="anthropic", mode="prod", verdict="compacted", sealed=4, total=6,
                checkpoint="0123456789ab", usage=Usage(1, 2, 3, 4), messages_compacted_count=1,
            )  # fmt: skip
            return await it.get("request/a"), await it.get("request/a?messages=true"), await it.get("requests")

    (status, plain), (_, whole), (_, listed) = asyncio.run(main())
    assert status == 200
    assert plain["usage"] == {"input": 1, "cache_read": 2, "cache_write": 3, "output": 4}
    assert plain["messages_compacted_count"] == 1
    assert plain["stages"] == [
        {
            "skill": "agent_trajectory_compaction",
            "action": "compacted",
            "sealed": 4,
            "total": 6,
            "checkpoint": "0123456789ab",
        }
    ]
    assert set(plain) == {*Record.__struct_fields__, "stages"}
    assert whole == {
        **plain,
        "messages_compacted": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
    }
    assert listed == {"requests": [plain], "cursor": None}


def test_messages_that_were_not_kept_are_null(tmp_path: Path) -> None:
    """Off or forgotten: the record is there, the messages are not. A skill that is off has no stage."""

    async def main() -> Any:
        async with reading(tmp_path) as it:
            it.put("a", surface="anthropic", mode="off")
            return await it.get("request/a?messages=true")

    status, said = asyncio.run(main())
    assert (status, said["messages_compacted"], said["stages"]) == (200, None, [])


def test_another_tenants_record_is_not_there(tmp_path: Path) -> None:
    """Its id is a 404 like any id that never was; its lists are empty."""

    async def main() -> list[Any]:
        async with reading(tmp_path) as it:
            it.put("theirs", messages=BODY, session="s", tenant="u", surface="anthropic")
            found = [await it.get(f"request/{id}?messages=true") for id in ("theirs", "never")]
            found += [await it.get("session/s"), await it.get("request/theirs", tenant="u")]
            lists = [await it.ids("requests"), await it.ids("ring"), (await it.get("sessions"))[1]["sessions"]]
            return [*found, lists]

    theirs, never, session, own, lists = asyncio.run(main())
    assert theirs == (404, {"error": {"message": "no request has the id 'theirs'"}})
    assert never == (404, {"error": {"message": "no request has the id 'never'"}})
    assert session[0] == 404
    assert own[0] == 200
    assert lists == [[], [], []]


def test_pages_of_requests(tmp_path: Path) -> None:
    """Newest first, chosen by session, verdict and time; a cursor goes on where the page ended."""

    async def main() -> dict[str, Any]:
        async with reading(tmp_path) as it:
            for n in range(5):
                it.put(f"r{n}", float(n), session="a b" if n % 2 else "c", verdict="no_op" if n == 3 else "compacted")
            first = (await it.get("requests?limit=2"))[1]
            it.put("late", 9.0)
            second = (await it.get(f"requests?limit=2&cursor={quote(first['cursor'])}"))[1]
            return {
                "first": [one["id"] for one in first["requests"]],
                "second": [one["id"] for one in second["requests"]],
                "session": await it.ids("requests?session=a%20b"),
                "verdict": await it.ids("requests?verdict=no_op"),
                "since": await it.ids("requests?since=3"),
                "since iso": await it.ids("requests?since=1970-01-01T00:00:04Z"),
            }

    assert asyncio.run(main()) == {
        "first": ["r4", "r3"],
        "second": ["r2", "r1"],
        "session": ["r3", "r1"],
        "verdict": ["r3"],
        "since": ["late", "r4", "r3"],
        "since iso": ["late", "r4"],
    }


def test_sessions_and_their_transcripts(tmp_path: Path) -> None:
    """A session's sub-agents stand under it, each with its requests, oldest first; any name is a name."""

    async def main() -> tuple[Any, Any]:
        async with reading(tmp_path) as it:
            for n, transcript in enumerate(["main", "sub", "main"]):
                it.put(f"r{n}", float(n), session="ü/x", transcript=transcript, tokens_before=10, tokens_saved=n)
            return await it.get("sessions"), await it.get(f"session/{quote('ü/x', safe='')}")

    (_, listed), (status, one) = asyncio.run(main())
    row = listed["sessions"][0]
    heads = ("session", "first", "last", "transcripts", "requests", "tokens_before", "tokens_saved", "cost_saved")
    assert [row[name] for name in heads] == ["ü/x", 0.0, 2.0, 2, 3, 30, 3, None]
    assert status == 200
    assert (one["session"], one["truncated"]) == ("ü/x", False)
    assert [(each["transcript"], [request["id"] for request in each["requests"]]) for each in one["transcripts"]] == [
        ("main", ["r0", "r2"]),
        ("sub", ["r1"]),
    ]


def test_savings(tmp_path: Path) -> None:
    """In all, and by model; costs are null where no request is priced."""

    async def main() -> tuple[Any, Any, Any]:
        async with reading(tmp_path) as it:
            empty = (await it.get("savings"))[1]
            it.put("a", 1.0, model="m", cost=1.0, cost_without=3.0, tokens_saved=5)
            it.put("b", 2.0, model="n", cost=1.0)
            return empty, (await it.get("savings?by=model"))[1], (await it.get("savings"))[1]

    empty, by_model, whole = asyncio.run(main())
    assert (empty["rows"], empty["total"]["requests"], empty["total"]["cost"]) == ([], 0, None)
    assert (by_model["by"], [row["name"] for row in by_model["rows"]]) == ("model", ["n", "m"])
    saved = [(row["requests"], row["priced"], row["cost_saved"]) for row in (*by_model["rows"], by_model["total"])]
    assert saved == [(1, 0, None), (1, 1, 2.0), (2, 1, 2.0)]
    assert whole == {"by": None, "rows": [], "total": by_model["total"]}


def test_wrong_parameters_are_named(tmp_path: Path) -> None:
    """400, the field, and what it must be."""

    async def main() -> dict[str, Any]:
        async with reading(tmp_path) as it:
            paths = (
                "requests?sesion=x", "requests?limit=0", "requests?limit=many", "requests?since=yesterday",
                "requests?since=nan", "requests?cursor=x", "request/a?messages=yes", "savings?by=week",
            )  # fmt: skip
            return {path: await it.get(path) for path in paths}

    said = asyncio.run(main())
    assert {status for status, _ in said.values()} == {400}
    assert {path: answer["error"]["field"] for path, (_, answer) in said.items()} == {
        "requests?sesion=x": "sesion",
        "requests?limit=0": "limit",
        "requests?limit=many": "limit",
        "requests?since=yesterday": "since",
        "requests?since=nan": "since",
        "requests?cursor=x": "cursor",
        "request/a?messages=yes": "messages",
        "savings?by=week": "by",
    }
    assert said["requests?sesion=x"][1]["error"]["message"] == "unknown parameter 'sesion' (did you mean 'session'?)"


def test_a_store_that_fails_is_said(tmp_path: Path) -> None:
    """503; the ring still answers."""

    async def main() -> tuple[Any, list[str]]:
        async with reading(tmp_path) as it:
            it.put("a")
            it.store.close()
            return await it.get("requests"), await it.ids("ring")

    (status, said), ring = asyncio.run(main())
    assert status == 503
    assert said["error"]["message"] == "the store is away: try again; the log says why"
    assert ring == ["a"]


def test_a_page_of_another_name_may_not_read(tmp_path: Path) -> None:
    """A web page that points its own name at this machine is refused; this machine's names are not."""

    async def main() -> dict[str, int]:
        async with reading(tmp_path) as it:
            port = it.url.rpartition(":")[2]
            hosts = ("evil.example", "127.0.0.1.evil.example", "localhost", "127.0.0.1", "[::1]")
            return {host: (await it.get("ring", host=f"{host}:{port}"))[0] for host in hosts}

    said = asyncio.run(main())
    assert said == {
        "evil.example": 403,
        "127.0.0.1.evil.example": 403,
        "localhost": 200,
        "127.0.0.1": 200,
        "[::1]": 200,
    }


@contextlib.asynccontextmanager
async def folding(folder: Path) -> AsyncIterator[str]:
    """The gateway's address, in front of the simulated provider."""
    config = folder / "foldpoint.toml"
    async with Provider() as provider:
        config.write_text(
            f'[store]\nurl = "sqlite:///{folder}/r.db"\n[upstreams.openai]\nbase_url = "{provider.url}"\n'
            "[skills.agent_trajectory_compaction]\npayback_turns = 1000\n"
        )
        with assemble.gateway(load(config, environ={"HOME": str(folder)}).settings) as app:
            async with listening(app, "127.0.0.1", 0) as url:
                yield url


def test_a_folded_request_has_its_costs(tmp_path: Path) -> None:
    """A request served from an earlier fold cost less than it would have; the saving is told in the sums."""

    async def main() -> tuple[list[Any], Any]:
        async with folding(tmp_path) as url, aiohttp.ClientSession() as client:
            for turns in range(1, 21):
                head = {"content-type": "application/json", "authorization": "Bearer any"}
                async with client.post(f"{url}/v1/chat/completions", data=chat(turns), headers=head) as answer:
                    assert answer.status == 200, await answer.text()
            listed: list[Any] = []
            while len(listed) < 20:  # the last one is recorded after its answer ended
                async with client.get(f"{url}/api/v1/tenant/requests") as answer:
                    listed = (await answer.json())["requests"]
            async with client.get(f"{url}/api/v1/tenant/savings") as answer:
                return listed, (await answer.json())["total"]

    listed, total = asyncio.run(main())
    served = [one for one in listed if one["reason"] == "checkpoint"]
    assert served
    assert [one["id"] for one in served if not 0 < one["cost"] < one["cost_without"]] == []
    assert [one["id"] for one in listed if one["verdict"] == "no_op" and one["cost"] != one["cost_without"]] == []
    assert total["priced"] == 20
    assert total["cost_saved"] > 0
