"""The admin API and what a key sets of itself: every status and message, on a real store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from loopback import Alone, Provider, app_of, chat, settings_for

from foldpoint.assemble import engines
from foldpoint.config import Settings
from foldpoint.core.key_skills import SETTABLE
from foldpoint.gateway.serving import listening, run
from foldpoint.stores import Recorder, Spool, Store, open_store

ADMIN = "the admin key"
SKILL = "agent_trajectory_compaction"
KEYS, SKILLS = "/api/v1/dev_keys", "/api/v1/dev_key/skills"


class Api:
    """The running gateway's API, its store, and who was told of changed keys."""

    def __init__(self, url: str, client: aiohttp.ClientSession, store: Store, shared: Alone) -> None:
        self._url, self._client, self.store, self.told = url, client, store, shared.told

    async def ask(self, method: str, path: str, body: Any = None, key: str = ADMIN, **headers: str) -> tuple[int, Any]:
        """Status and answer; a body that is no bytes is sent as JSON."""
        data = body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)
        named = {**({"authorization": f"Bearer {key}"} if key else {}), **headers}
        async with self._client.request(method, self._url + path, data=data, headers=named) as answer:
            return answer.status, msgspec.json.decode(await answer.read())

    async def send(self, path: str, body: bytes, key: str) -> tuple[int, dict[str, str]]:
        """Status and headers of a provider's path."""
        async with self._client.post(self._url + path, data=body, headers={"x-api-key": key}) as answer:
            await answer.read()
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}

    async def made(self, **asked: Any) -> tuple[str, str]:
        """Id and secret of a new key."""
        status, said = await self.ask("POST", KEYS, asked)
        assert status == 201, said
        return said["key"]["id"], said["secret"]


@contextlib.asynccontextmanager
async def api(folder: Path, settings: Settings | None = None, **gateway: Any) -> AsyncIterator[Api]:
    """The gateway on a SQLite store, with engines that fold."""
    store, shared = open_store("sqlite:///r.db", folder), Alone()
    recorder = Recorder(store, Spool(folder / "spool"), newest=shared.newest)
    settings = settings or settings_for("http://127.0.0.1:9", **{"admin_key": ADMIN, **gateway})
    app = app_of(settings, recorder, engines=engines(), store=store, shared=shared)
    async with listening(app, "127.0.0.1", 0) as url, aiohttp.ClientSession() as client:
        yield Api(url, client, store, shared)
    store.close()


def test_a_key_from_its_making_to_its_end(tmp_path: Path) -> None:
    """It is shown once, listed without its secret, and nobody is served for it once it is revoked."""

    async def main() -> str:
        async with api(tmp_path) as it:
            asked = {"name": "n", "tenant": "t", "plan": "team", "limits": {"requests_per_minute": 5}}
            status, said = await it.ask("POST", KEYS, asked)
            key, secret = said["key"], said["secret"]
            assert status == 201
            assert (key["name"], key["tenant"], key["plan"], key["revoked"]) == ("n", "t", "team", None)
            assert key["limits"] == {
                "requests_per_minute": 5, "tokens_per_minute": None, "concurrent_requests": None
            }  # fmt: skip
            assert key["shown"] == secret[:9]
            assert await it.ask("GET", KEYS) == (200, {"keys": [key]})
            assert await it.ask("GET", f"{KEYS}?tenant=u") == (200, {"keys": []})
            assert (await it.ask("GET", "/api/v1/tenant/requests", key=secret))[0] == 200
            status, revoked = await it.ask("DELETE", f"{KEYS}/{key['id']}")
            assert (status, {**revoked, "revoked": None}) == (200, key)
            assert revoked["revoked"] > key["created"]
            assert it.told == [key["id"]]
            assert (await it.ask("GET", "/api/v1/tenant/requests", key=secret))[0] == 401
            assert (await it.ask("DELETE", f"{KEYS}/{key['id']}"))[1] == revoked
            never = {"error": {"message": "no key has the id 'never'"}}
            assert await it.ask("DELETE", f"{KEYS}/never") == (404, never)
            return secret

    secret = run(main())
    assert secret.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("r.db*"))


def test_only_the_admin_key_opens_the_admin_api(tmp_path: Path) -> None:
    """A key does not, nothing does not; without an admin key it is closed to everyone."""

    async def main() -> None:
        async with api(tmp_path) as it:
            _, secret = await it.made()
            wanted = {"error": {"message": "this wants the admin key: send it as Authorization (Bearer)"}}
            for key in ("", secret, "the admin ke", "the admin key!", "ünicode"):
                assert await it.ask("GET", KEYS, key=key) == (401, wanted)
            assert (await it.ask("GET", KEYS, key="", **{"x-api-key": ADMIN}))[0] == 200
            refused = {
                "error": {
                    "message": "the key is not known, or it was revoked: ask who runs this gateway for another one"
                }
            }
            assert await it.ask("GET", "/api/v1/tenant/ring", key="fp-" + "a" * 43) == (401, refused)
        async with api(tmp_path, admin_key=None) as it:
            closed = {"error": {"message": "the admin API is closed: set gateway.admin_key"}}
            for key in ("", "None", ADMIN):
                assert await it.ask("POST", KEYS, {}, key=key) == (403, closed)

    run(main())


def test_a_bad_key_is_not_made(tmp_path: Path) -> None:
    """400 with every bad field, 403 for the plan; nothing is kept."""

    async def main() -> None:
        async with api(tmp_path) as it:
            status, said = await it.ask("POST", KEYS, {"plan": "gold", "tenent": "x"})
            faults = [
                {"message": "unknown field 'tenent' (did you mean 'tenant'?)", "field": "tenent"},
                {"message": "plan must be one of developer, team, enterprise", "field": "plan"},
            ]
            assert (status, said) == (400, {"error": faults[0], "errors": faults})
            params = {"skill_params": {SKILL: {"epoch_size": 3}}}
            forbidden = {"error": {"message": "skill_params is only configurable on the Enterprise plan"}}
            assert await it.ask("POST", KEYS, params) == (403, forbidden)
            assert it.store.keys() == []

    run(main())


@pytest.mark.parametrize(
    ("body", "headers", "status", "message"),
    [
        (b"", {}, 400, "the body is not JSON"),
        (b"{", {}, 400, "the body is not JSON"),
        (b'{"a":"\xff"}', {}, 400, "the body is not JSON"),
        (b"[" * 60_000, {}, 400, "the body is not JSON"),
        (b"[]", {}, 400, "the body must be an object with skills, skill_modes, skill_params"),
        (b"x" * 70_000, {}, 413, "the body is longer than 65536 bytes"),
        (b"x", {"content-encoding": "gzip"}, 415, "the body must be plain JSON, without content-encoding"),
    ],
)
def test_bodies_that_are_none(tmp_path: Path, body: bytes, headers: dict[str, str], status: int, message: str) -> None:
    """What is wrong is said; nothing is saved."""

    async def main() -> None:
        async with api(tmp_path) as it:
            id, secret = await it.made(plan="enterprise")
            said = await it.ask("POST", SKILLS, body, key=secret, **headers)
            assert said == (status, {"error": {"message": message}})
            assert it.store.keys()[0].skills == type(it.store.keys()[0].skills)()
            assert it.told == []
            assert id

    run(main())


def test_a_key_sets_what_it_folds_by(tmp_path: Path) -> None:
    """The answer is the effective policy; the next request is folded by it; other keys are not touched."""

    async def main() -> None:
        async with api(tmp_path) as it:
            id, secret = await it.made(plan="enterprise")
            _, other = await it.made(plan="enterprise")
            before = (await it.ask("GET", SKILLS, key=secret))[1]
            assert before["skill_modes"][SKILL] == "prod"
            assert set(before["skill_params"][SKILL]) == set(SETTABLE[SKILL])
            body = {
                "skills": [SKILL],
                "skill_modes": {SKILL: "shadow"},
                "skill_params": {SKILL: {"epoch_size": 7, "expected_task_steps": 40}},
            }
            status, said = await it.ask("POST", SKILLS, body, key=secret)
            assert (status, said["skills"], said["skill_modes"][SKILL]) == (200, [SKILL], "shadow")
            changed = {**before["skill_params"][SKILL], "epoch_size": 7, "expected_task_steps": 40}
            assert said["skill_params"] == {**before["skill_params"], SKILL: changed}
            assert await it.ask("GET", SKILLS, key=secret) == (200, said)
            assert await it.ask("GET", SKILLS, key=other) == (200, before)
            assert it.told == [id]
            second = await it.ask("POST", SKILLS, {"skill_modes": {SKILL: None}}, key=secret)
            assert second == (200, {**said, "skill_modes": before["skill_modes"]})

    run(main())


def test_off_shadow_and_prod_side_by_side(tmp_path: Path) -> None:
    """Of three keys on one gateway: the provider gets the client's bytes in off and shadow, the folded ones in prod.

    Off has no stage and no header, shadow says what it would save, and each tenant's ring has its own alone.
    """

    async def main() -> None:
        async with Provider().running() as provider:
            settings = settings_for(provider.url, admin_key=ADMIN)
            async with api(tmp_path, settings) as it:
                for mode in ("off", "shadow", "prod"):
                    asked = {"tenant": mode, "plan": "enterprise", "skill_modes": {SKILL: mode}}
                    _, secret = await it.made(**asked, skill_params={SKILL: {"payback_turns": 1000}})
                    for turns in (6, 20, 21):
                        status, said = await it.send("/v1/chat/completions", chat(turns), secret)
                        assert status == 200
                    folded = mode == "prod"
                    assert (provider.got[-1].body != chat(21)) is folded
                    assert any(name.startswith("x-ace-") for name in said) is (mode != "off")
                    verdicts = {"off": None, "shadow": "would_compact", "prod": "compacted"}
                    assert said.get("x-ace-trajectory-compaction") == verdicts[mode]
                    ring = (await it.ask("GET", "/api/v1/tenant/ring", key=secret))[1]["requests"]
                    assert [(one["tenant"], one["mode"]) for one in ring] == [(mode, mode)] * 3
                    assert [len(one["stages"]) for one in ring] == [int(mode != "off")] * 3

    run(main())


def test_nothing_is_saved_unless_all_is(tmp_path: Path) -> None:
    """One bad field among good ones, or a plan that has no parameters."""

    async def main() -> None:
        async with api(tmp_path) as it:
            _, secret = await it.made(plan="enterprise")
            before = await it.ask("GET", SKILLS, key=secret)
            body = {"skill_modes": {SKILL: "off"}, "skill_params": {SKILL: {"epoch_size": 1, "keep_recent_turns": 0}}}
            faults = [
                {"message": "epoch_size must be >= 2", "field": "epoch_size"},
                {"message": "keep_recent_turns must be >= 1", "field": "keep_recent_turns"},
            ]
            assert await it.ask("POST", SKILLS, body, key=secret) == (400, {"error": faults[0], "errors": faults})
            one = {"skill_params": {SKILL: {"epoch_size": 1}}}
            assert await it.ask("POST", SKILLS, one, key=secret) == (400, {"error": faults[0]})
            assert await it.ask("GET", SKILLS, key=secret) == before
            _, team = await it.made(plan="team")
            said = await it.ask("POST", SKILLS, {**body, "skills": []}, key=team)
            assert said == (403, {"error": {"message": "skill_params is only configurable on the Enterprise plan"}})
            assert (await it.ask("GET", SKILLS, key=team))[1]["skill_modes"][SKILL] == "prod"
            assert it.told == []

    run(main())


def test_without_a_key_there_is_nothing_to_set(tmp_path: Path) -> None:
    """What the gateway is configured with may be read where no key is wanted."""

    async def main() -> None:
        async with api(tmp_path) as it:
            assert (await it.ask("GET", SKILLS, key=""))[0] == 200
            assert (await it.ask("POST", SKILLS, {}, key=""))[0] == 401
        async with api(tmp_path, auth="keys") as it:
            assert (await it.ask("GET", SKILLS, key=""))[0] == 401
            assert (await it.ask("GET", "/api/v1/tenant/ring", key=""))[0] == 401

    run(main())


def test_a_store_that_is_away_is_said(tmp_path: Path) -> None:
    """503 and when to ask again."""

    async def main() -> None:
        async with api(tmp_path) as it:
            it.store.close()
            for method, path in (("GET", KEYS), ("POST", KEYS), ("DELETE", f"{KEYS}/x")):
                status, said = await it.ask(method, path, {} if method == "POST" else None)
                assert status == 503
                assert said["error"]["message"] == "the store is away: try again; the log says why"

    run(main())


def test_a_proxy_in_front_may_name_the_host(tmp_path: Path) -> None:
    """With a key any host name is fine, without one only those of this machine."""

    async def main() -> None:
        async with api(tmp_path) as it:
            _, secret = await it.made()
            asked = [await it.ask("GET", "/api/v1/tenant/ring", key=key, host="gw.example") for key in (secret, "")]
            assert [status for status, _ in asked] == [200, 403]

    run(main())


def test_saves_at_once_are_all_kept(tmp_path: Path) -> None:
    """Each sets what it names, none takes back what another said."""

    async def main() -> None:
        async with api(tmp_path) as it:
            _, secret = await it.made(plan="enterprise")
            wanted = {"epoch_size": 7, "keep_recent_turns": 3, "expected_task_steps": 9, "payback_turns": 5}
            saves = [it.ask("POST", SKILLS, {"skill_params": {SKILL: {name: n}}}, secret) for name, n in wanted.items()]
            mode = it.ask("POST", SKILLS, {"skill_modes": {SKILL: "shadow"}}, secret)
            assert [status for status, _ in await asyncio.gather(mode, *saves)] == [200] * 5
            _, now = await it.ask("GET", SKILLS, key=secret)
            assert now["skill_modes"][SKILL] == "shadow"
            assert {name: now["skill_params"][SKILL][name] for name in wanted} == wanted

    run(main())


LONG = "\n".join(f"row {number} is as it was" for number in range(200))


def with_result(text: str) -> bytes:
    """An Anthropic request with one result."""
    use = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [use]}]
    return msgspec.json.encode(
        {"model": "m", "max_tokens": 9, "messages": [*messages, {"role": "user", "content": [result]}]}
    )


def test_keys_that_cut_results_and_keys_that_do_not(tmp_path: Path) -> None:
    """Each has the headers of its own skills; the provider gets the shorter result from that key alone; the record
    says what was done, and the original can be read back."""
    cap = "tool_output_cap"

    async def main() -> None:
        async with Provider().running() as provider:
            settings = settings_for(provider.url, admin_key=ADMIN)
            async with api(tmp_path, settings) as it:
                _, plain = await it.made(plan="enterprise", tenant="plain")
                wanted = {"skills": [cap], "skill_modes": {cap: "prod"}, "skill_params": {cap: {"max_chars": 400}}}
                _, cuts = await it.made(plan="enterprise", tenant="cuts", **wanted)
                body = with_result(LONG)
                first = await it.send("/v1/messages", body, plain)
                second = await it.send("/v1/messages", body, cuts)
                assert provider.got[0].body == body
                shorter = msgspec.json.decode(provider.got[1].body)["messages"][2]["content"][0]["content"]
                assert len(shorter) <= 400
                assert [name for name in first[1] if name.startswith("x-ace-tool")] == []
                said = {name: value for name, value in second[1].items() if name.startswith("x-ace")}
                assert said == {"x-ace-tool-output-cap": "compacted", "x-ace-tool-output-cap-results": "1/1"}
                records = (await it.ask("GET", "/api/v1/tenant/requests", key=cuts))[1]["requests"]
                assert [(one["verdict"], one["reason"], one["stages"]) for one in records] == [
                    ("compacted", "shortened", [])
                ]
                assert records[0]["tokens_saved"] > 1_000
                path = f"/api/v1/session/{records[0]['session']}/result/t1"
                status, original = await it.ask("GET", path, key=cuts)
                assert (status, original["text"]) == (200, LONG)
                assert (await it.ask("GET", path, key=plain))[0] == 404

    run(main())


@pytest.mark.parametrize(
    ("params", "field", "message"),
    [
        ({"tool_output_cap": {"max_chars": 100}}, "max_chars", "max_chars must be 0 or >= 200"),
        ({"tool_output_cap": {"max_chars": "x"}}, "max_chars", "max_chars must be a whole number"),
        (
            {"tool_output_cap": {"max_char": 300}},
            "max_char",
            "unknown field 'max_char' in skill_params.tool_output_cap (did you mean 'max_chars'?)",
        ),
        (
            {"tool_output_cap": {"exempt_tools": ["read"]}},
            "exempt_tools",
            "exempt_tools must be a text of 0 to 2000 characters",
        ),
        ({"stale_tool_output": {"grid": 0}}, "grid", "grid must be >= 1"),
        (
            {"stale_tool_output": {"placeholder": ""}},
            "placeholder",
            "placeholder must be a text of 1 to 2000 characters",
        ),
    ],
)
def test_bad_parameters_of_the_other_skills(tmp_path: Path, params: Any, field: str, message: str) -> None:
    """Named with the field and what would be right; nothing is saved."""

    async def main() -> None:
        async with api(tmp_path) as it:
            _, secret = await it.made(plan="enterprise")
            before = await it.ask("GET", SKILLS, key=secret)
            said = await it.ask("POST", SKILLS, {"skill_params": params}, key=secret)
            assert said == (400, {"error": {"message": message, "field": field}})
            assert await it.ask("GET", SKILLS, key=secret) == before

    run(main())
