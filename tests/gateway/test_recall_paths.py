"""What a request hid is read back over HTTP: byte for byte, by its tenant alone, until it expires."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec
import pytest
from loopback import Canned, KeysInMemory, Provider, app_of, settings_for
from yarl import URL

from foldpoint.assemble import results
from foldpoint.core.hidden import Hidden
from foldpoint.core.record import Record
from foldpoint.core.told import Told
from foldpoint.engine import Engine
from foldpoint.gateway.serving import listening
from foldpoint.stores import Original, Recorder, Spool, SqliteDatabase, SqlStore, StoreError
from transcripts import compact, policy

DAY = 24 * 3600
SECRETS = {tenant: "fp-" + tenant * 43 for tenant in "tu"}


class Away:
    """A store whose results can't be written as long as it is away."""

    def __init__(self, store: SqlStore) -> None:
        self.away = True
        self._store = store
        self.purge_results, self.result = store.purge_results, store.result

    def keep(self, originals: list[Original]) -> None:
        if self.away:
            raise StoreError("down")
        self._store.keep(originals)


class Running:
    """The gateway with a store in a folder, and a client."""

    def __init__(self, url: str, client: aiohttp.ClientSession, recorder: Recorder) -> None:
        self.url, self.client, self.recorder = url, client, recorder

    async def send(self, path: str, body: bytes, session: str = "s", tenant: str = "") -> int:
        headers = {"content-type": "application/json", "x-ace-session": session}
        if tenant:
            headers["x-api-key"] = SECRETS[tenant]
        async with self.client.post(self.url + path, data=body, headers=headers) as answer:
            await answer.read()
            return answer.status

    async def get(self, id: str, query: str = "", session: str = "s", tenant: str = "", **headers: str) -> Any:
        """The status and the answer."""
        if tenant:
            headers["x-api-key"] = SECRETS[tenant]
        path = f"/api/v1/session/{quote(session, safe='')}/result/{quote(id, safe='')}{query}"
        async with self.client.get(URL(self.url + path, encoded=True), headers=headers) as answer:
            said = await answer.read()
            text = answer.content_type == "text/plain"
            return answer.status, said.decode() if text else msgspec.json.decode(said)

    def keep(self, id: str, text: str, session: str = "s", turn: int = 1, tenant: str = "local") -> None:
        """Have a result kept, as a request of that session does."""
        body = compact({"id": id, "text": text})
        record = Record(id=f"{tenant}{session[:9]}{id[:9]}{turn}", time=self.now(), tenant=tenant, session=session)
        self.recorder.put(record, None, (Hidden(turn, body),))

    now: Callable[[], float] = staticmethod(lambda: 1_700_000_000.0)


def canned(surface: str, item: bytes) -> list[Told]:
    """The result in an item of `Running.keep`."""
    said = msgspec.json.decode(item)
    return [Told(said["id"], "read", (said["text"],))]


@contextlib.asynccontextmanager
async def running(
    folder: Path,
    *,
    read: Any = canned,
    engines: Any = None,
    clock: Callable[[], float] = lambda: 1_700_000_000.0,
    lasts: int | None = DAY,
    away: bool = False,
) -> AsyncIterator[tuple[Running, Any]]:
    """The gateway in front of a provider, on the store in a folder."""
    store, keys = SqlStore(SqliteDatabase(folder / "r.db")), KeysInMemory()
    for tenant, secret in SECRETS.items():
        keys.add(secret, tenant=tenant)
    writes: Any = Away(store) if away else store
    recorder = Recorder(
        store, Spool(folder / "spool"), flush_ms=20, retry_ms=0, results=writes, read=read, clock=clock,
        messages_seconds=lasts,
    )  # fmt: skip
    store.secret, store.key_by = keys.secret, keys.key_by  # type: ignore[method-assign]
    async with Provider().running() as provider:
        app = app_of(
            settings_for(provider.url, api_key="ours"), recorder, store=store, engines=engines or (lambda p: Canned())
        )
        async with listening(app, "127.0.0.1", 0) as url, aiohttp.ClientSession() as client:
            yield Running(url, client, recorder), writes
    store.close()


def chat(n: int, text: str) -> list[Any]:
    call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": text},
    ]


def responses(n: int, text: str) -> list[Any]:
    return [
        {"type": "function_call", "call_id": f"c{n}", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": f"c{n}", "output": text},
    ]


def anthropic(n: int, text: str) -> list[Any]:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"c{n}", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{n}", "content": text}]},
    ]


def bedrock(n: int, text: str) -> list[Any]:
    result = {"toolUseId": f"c{n}", "content": [{"text": text}]}
    return [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": f"c{n}", "name": "read", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]


def gemini(n: int, text: str) -> list[Any]:
    response = {"id": f"c{n}", "name": "read", "response": {"output": text}}
    return [
        {"role": "model", "parts": [{"functionCall": {"id": f"c{n}", "name": "read", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": response}]},
    ]


TASK = "Read all parts."
SPOKEN: dict[str, tuple[str, str, Any, Any, dict[str, Any]]] = {
    "openai-chat": ("/v1/chat/completions", "messages", {"role": "user", "content": TASK}, chat, {"model": "m"}),
    "openai-responses": ("/v1/responses", "input", {"role": "user", "content": TASK}, responses, {"model": "m"}),
    "anthropic": ("/anthropic/v1/messages", "messages", {"role": "user", "content": TASK}, anthropic,
                  {"model": "m", "max_tokens": 9}),
    "bedrock": ("/bedrock/model/m/converse", "messages", {"role": "user", "content": [{"text": TASK}]}, bedrock, {}),
    "gemini": ("/gemini/v1beta/models/m:generateContent", "contents", {"role": "user", "parts": [{"text": TASK}]},
               gemini, {}),
}  # fmt: skip


@pytest.mark.parametrize("surface", SPOKEN)
def test_every_result_that_was_hidden_is_read_back_byte_for_byte(tmp_path: Path, surface: str) -> None:
    """A session of 12 turns on every surface; after a restart as well."""
    path, key, opening, turn, members = SPOKEN[surface]
    said = {f"c{n}": f"part {n}:\r\n\t" + f"a quick “fox” \\ {n}\n" * 200 for n in range(12)}
    engine = Engine(policy())

    async def main() -> tuple[set[int], list[str], list[Any]]:
        items, statuses, lost = [opening], set(), []
        async with running(tmp_path, read=results, engines=lambda wanted: engine) as (it, _):
            for n in range(12):
                items += turn(n, said[f"c{n}"])
                statuses.add(await it.send(path, compact({**members, key: items})))
            there = [id for id in said if (await it.get(id))[0] == 200]
            lost += [id for id in there if (await it.get(id, accept="text/plain"))[1] != said[id]]
        async with running(tmp_path) as (it, _):
            lost += [id for id in there if (await it.get(id, accept="text/plain"))[1] != said[id]]
        return statuses, there, lost

    statuses, there, lost = asyncio.run(main())
    assert (statuses, lost) == ({200}, [])
    assert there == [f"c{n}" for n in range(9)]  # the opening and these are two epochs of five turns


def test_json_says_what_the_part_is(tmp_path: Path) -> None:
    """The whole, lines, lines that match, and how to go on where it is too long."""

    async def main() -> list[Any]:
        async with running(tmp_path) as (it, _):
            it.keep("c1", "one\ntwo\nthree")
            asked = ("", "?from=2&to=-1", "?pattern=^t", "?most=5", "?from=2&skip=1")
            return [await it.get("c1", query) for query in asked]

    whole = {
        "id": "c1", "session": "s", "transcript": "", "turn": 1, "name": "read", "time": 1_700_000_000.0,
        "characters": 13, "lines": 3, "from": 1, "to": 3, "matches": None, "text": "one\ntwo\nthree", "next": None,
        "more": "",
    }  # fmt: skip
    assert asyncio.run(main()) == [
        (200, whole),
        (200, {**whole, "from": 2, "text": "two\nthree"}),
        (200, {**whole, "text": "2: two\n3: three\n", "matches": 2}),
        (200, {**whole, "to": 1, "text": "one\n", "next": {"from": 2, "skip": 0},
               "more": "cut after 5 characters of an answer: go on with from=2 (3 lines in all)"}),
        (200, {**whole, "from": 2, "text": "wo\nthree"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=0", "from"), ("from=x", "from"), ("from=9", "from"), ("from=2&to=1", "to"), ("to=1.5", "to"),
        ("turn=x", "turn"), ("pattern=(", "pattern"), ("pattern=(?=a)", "pattern"), ("most=0", "most"),
        ("most=1000001", "most"), ("skip=-1", "skip"), ("skip=99", "skip"), ("form=1", "form"),
    ],
)  # fmt: skip
def test_a_part_that_there_is_not_names_its_field(tmp_path: Path, query: str, field: str) -> None:
    """A 400, with the mend."""

    async def main() -> Any:
        async with running(tmp_path) as (it, _):
            it.keep("c1", "one\ntwo")
            return await it.get("c1", f"?{query}")

    status, said = asyncio.run(main())
    assert (status, said["error"]["field"]) == (400, field)


def test_a_pattern_that_explodes_elsewhere_is_answered(tmp_path: Path) -> None:
    """Other requests go on meanwhile."""

    async def main() -> Any:
        async with running(tmp_path) as (it, _):
            it.keep("c1", "a" * 200_000 + "b")
            return await it.get("c1", "?pattern=" + quote("(a+)+$"))

    status, said = asyncio.run(main())
    assert (status, said["matches"], said["text"]) == (200, 0, "")


def test_odd_names(tmp_path: Path) -> None:
    """Slashes, percent signs, blanks, braces and other scripts, in sessions and ids."""
    odd = ["a/b", "a%2Fb", "{c}", "ü é", "x/result/y", "?#&=", "a+b", "..x"]

    async def main() -> list[Any]:
        async with running(tmp_path) as (it, _):
            for n, name in enumerate(odd):
                it.keep(name, f"text {n}", session=name)
            return [(await it.get(name, session=name, accept="text/plain"))[1] for name in odd]

    assert asyncio.run(main()) == [f"text {n}" for n in range(len(odd))]


def test_slashes_as_they_are(tmp_path: Path) -> None:
    """A client that does not spell them otherwise is understood."""

    async def main() -> str:
        async with running(tmp_path) as (it, _):
            it.keep("c/1", "text", session="a/b")
            async with it.client.get(f"{it.url}/api/v1/session/a/b/result/c/1") as answer:
                return str((await answer.json())["text"])

    assert asyncio.run(main()) == "text"


def test_of_a_repeated_id_the_newest_or_that_of_a_turn(tmp_path: Path) -> None:
    """Clients number calls anew now and then."""

    async def main() -> list[Any]:
        async with running(tmp_path) as (it, _):
            it.keep("c1", "first", turn=1)
            it.keep("c1", "second", turn=5)
            return [(await it.get("c1", query))[1] for query in ("", "?turn=1", "?turn=2")]

    newest, first, none = asyncio.run(main())
    assert (newest["text"], first["text"]) == ("second", "first")
    assert none == {"error": {"message": "no hidden result of turn 2 has the id 'c1' in session 's'"}}


def test_another_tenants_is_like_one_that_never_was(tmp_path: Path) -> None:
    """The same answer, word for word."""

    async def main() -> list[Any]:
        async with running(tmp_path) as (it, _):
            it.keep("c1", "mine", tenant="t")
            return [await it.get("c1", tenant=tenant) for tenant in "tu"] + [await it.get("c1")]

    mine, theirs, nobodys = asyncio.run(main())
    assert mine[1]["text"] == "mine"
    assert theirs == nobodys == (404, {"error": {"message": "no hidden result has the id 'c1' in session 's'"}})


def test_an_expired_one_says_so(tmp_path: Path) -> None:
    """When it went, how long originals are kept, and what to do."""
    times = [1_700_000_000.0]

    async def main() -> Any:
        async with running(tmp_path, clock=lambda: times[-1]) as (it, _):
            it.keep("c1", "text")
            assert (await it.get("c1"))[0] == 200
        times.append(times[0] + DAY + 1)
        async with running(tmp_path, clock=lambda: times[-1]) as (it, _):
            return await it.get("c1")

    message = (
        "the result 'c1' (4 characters) expired at 2023-11-15 22:13:21 UTC: originals are kept for 1 day after a"
        " session's last request; run the tool again"
    )
    assert asyncio.run(main()) == (410, {"error": {"message": message}})


def test_a_gateway_that_keeps_none_says_so(tmp_path: Path) -> None:
    """`store.messages = "off"`."""

    async def main() -> Any:
        async with running(tmp_path, lasts=None) as (it, _):
            it.keep("c1", "text")
            return await it.get("c1")

    said = "no hidden result has the id 'c1' in session 's': this gateway keeps none (store.messages = \"off\")"
    assert asyncio.run(main()) == (404, {"error": {"message": said}})


def test_a_store_that_is_away_loses_nothing(tmp_path: Path) -> None:
    """It waits in the spool, and comes when the store does."""

    async def main() -> list[Any]:
        async with running(tmp_path, away=True) as (it, writes):
            it.keep("c1", "before")
            meanwhile = await it.get("c1")
            writes.away = False
            it.keep("c2", "after")
            async with asyncio.timeout(20):
                while (await it.get("c2"))[0] == 404:  # noqa: ASYNC110 - another thread makes it true
                    await asyncio.sleep(0.01)
            return [meanwhile[0], (await it.get("c1"))[1]["text"], (await it.get("c2"))[1]["text"]]

    assert asyncio.run(main()) == [404, "before", "after"]


def test_two_processes_on_one_store(tmp_path: Path) -> None:
    """What one hid the other gives back."""

    async def main() -> list[str]:
        async with running(tmp_path) as (one, _), running(tmp_path) as (other, _):
            one.keep("c1", "of one")
            other.keep("c1", "of one", session="o")
            await one.recorder.flush()
            await other.recorder.flush()
            return [(await it.get("c1", session=session))[1]["text"] for it in (one, other) for session in "so"]

    assert asyncio.run(main()) == ["of one"] * 4


def test_an_item_that_cannot_be_read_takes_nothing_with_it(tmp_path: Path) -> None:
    """Its record is kept all the same, and so is the next."""

    async def main() -> tuple[int, int]:
        async with running(tmp_path) as (it, _):
            it.recorder.put(Record(id="bad", time=1.0, tenant="local", session="s"), None, (Hidden(1, b"{"),))
            it.keep("c1", "text")
            status = (await it.get("c1"))[0]
            async with it.client.get(f"{it.url}/api/v1/tenant/requests") as answer:
                return status, len((await answer.json())["requests"])

    assert asyncio.run(main()) == (200, 2)


def test_what_was_counted_first_is_kept(tmp_path: Path) -> None:
    """A client that has its tokens counted before it sends hides nothing new with the request itself."""
    _, _, opening, turn, members = SPOKEN["anthropic"]
    items = [opening, *(item for n in range(12) for item in turn(n, f"part {n}: " + "a quick fox; " * 200))]
    body = compact({**members, "messages": items})
    engine = Engine(policy())

    async def main() -> list[int]:
        async with running(tmp_path, read=results, engines=lambda wanted: engine) as (it, _):
            for path in ("/anthropic/v1/messages/count_tokens", "/anthropic/v1/messages"):
                await it.send(path, body)
            return [(await it.get(id))[0] for id in ("c0", "c8", "c11")]

    assert asyncio.run(main()) == [200, 200, 404]


def test_transcripts_that_begin_alike(tmp_path: Path) -> None:
    """Two sessions with one task take turns; the results of each are its own."""
    path, _, opening, turn, members = SPOKEN["anthropic"]
    engine = Engine(policy())

    def said(session: str, n: int) -> str:
        return f"part {n}: " + ("a quick fox; " if n < 2 else f"of {session} alone; ") * 200

    async def main() -> list[Any]:
        async with running(tmp_path, read=results, engines=lambda wanted: engine) as (it, _):
            for end in range(6, 13):
                for session in "ab":
                    items = [opening, *(item for n in range(end) for item in turn(n, said(session, n)))]
                    await it.send(path, compact({**members, "messages": items}), session)
            asked = [(session, n) for session in "ab" for n in range(9)]
            told = [(await it.get(f"c{n}", session=session, accept="text/plain"))[1] for session, n in asked]
            return [one for one, answer in zip(asked, told, strict=True) if answer != said(*one)]

    assert asyncio.run(main()) == []
