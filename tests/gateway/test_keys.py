"""Keys: who may ask, what goes to the provider of a request that brought one, and what is remembered of it."""

import asyncio
from pathlib import Path

import pytest
from loopback import Alone, Canned, Gateway, KeysInMemory, Unlimited, gateway, plain, settings_for, streamed

from foldpoint.core.key import Exceeded, KeyLimits, KeySkills
from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.usage import Usage
from foldpoint.gateway.callers import Callers
from foldpoint.gateway.keyring import Keyring
from foldpoint.gateway.serving import run

SECRET = "fp-" + "s" * 43
OTHER = "fp-" + "o" * 43
SKILL = "agent_trajectory_compaction"
BODY = b'{"model":"claude-sonnet-5","messages":[]}'
SENDING = {
    "authorization": f"Bearer {SECRET}",
    "Authorization": f"bearer  {SECRET}",
    "x-api-key": SECRET,
    "x-goog-api-key": SECRET,
    "api-key": SECRET,
    "x-foldpoint-key": SECRET,
}


async def posted(
    it: Gateway, path: str = "/anthropic/v1/messages", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """(status, headers, body) of a request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with it.client.post(it.url + path, data=BODY, headers=named) as answer:
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, await answer.read()


def sent(it: Gateway) -> dict[str, str]:
    """The credentials that the provider got, every other header left out."""
    credentials = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "x-foldpoint-key")
    return {name.lower(): value for name, value in it.provider.got[-1].headers if name.lower() in credentials}


@pytest.mark.parametrize(("name", "value"), SENDING.items())
def test_a_key_is_taken_from_every_place_and_never_sent_on(name: str, value: str) -> None:
    """Its tenant and id are in the record; the provider gets the configured key in the place that it reads."""

    async def main() -> None:
        keys = KeysInMemory()
        key = keys.add(SECRET, tenant="team-a")
        engine = Canned()
        async with gateway(engine, keys=keys, auth="keys", api_key="sk-ours") as it:
            assert (await posted(it, **{name: value}))[0] == 200
            assert sent(it) == {"x-api-key": "sk-ours"}
            assert SECRET not in str(it.provider.got[-1])
            record = await it.recorder.first()
            assert (record.tenant, record.key, engine.tenants) == ("team-a", key.id, ["team-a"])

    run(main())


def test_without_a_key_nobody_is_served_where_one_is_wanted() -> None:
    """401 in the caller's shape; no provider is asked, no record is made."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(OTHER, revoked=1.0)
        async with gateway(keys=keys, auth="keys") as it:
            for headers in (
                {},
                {"x_api_key": "sk-own"},
                {"x_api_key": SECRET},
                {"x_api_key": OTHER},
                {"api_key": "fp-x"},
            ):
                status, said, body = await posted(it, **headers)
                assert status == 401
                assert body.startswith(b'{"type":"error","error":{"type":"authentication_error","message":"foldpoint: ')
                assert "x-foldpoint-request-id" in said
                assert SECRET.encode() not in body
            assert (await posted(it, "/v1/models"))[0] == 401
            assert (it.provider.got, it.recorder.records) == ([], [])

    run(main())


def test_without_a_key_everyone_is_served_where_none_is_wanted() -> None:
    """The client's own key passes through, the tenant is `local`; a key that is not good is refused all the same."""

    async def main() -> None:
        keys = KeysInMemory()
        async with gateway(keys=keys) as it:
            assert (await posted(it, x_api_key="sk-own", authorization="Bearer own"))[0] == 200
            assert sent(it) == {"x-api-key": "sk-own", "authorization": "Bearer own"}
            assert (await it.recorder.first()).tenant == "local"
            assert keys.asked == 0
            assert (await posted(it, x_api_key=SECRET))[0] == 401
            assert len(it.provider.got) == 1

    run(main())


def test_while_the_store_is_away_known_keys_are_served_and_others_are_told_so() -> None:
    """503 in the caller's shape and when to ask again; no provider is asked."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        keys.add(OTHER)
        async with gateway(keys=keys, auth="keys") as it:
            assert (await posted(it, x_api_key=SECRET))[0] == 200
            keys.away = True
            status, said, body = await posted(it, x_api_key=OTHER)
            assert (status, said["retry-after"], said["retry-after-ms"]) == (503, "1", "1000")
            message = b"foldpoint: the key cannot be looked up at the moment, the store is away: try again"
            assert body.startswith(b'{"type":"error","error":{"type":"api_error","message":"%b"' % message)
            assert (await posted(it, x_api_key=SECRET))[0] == 200
            assert len(it.provider.got) == 2

    run(main())


def test_the_providers_key_beside_ours_passes_through() -> None:
    """Ours says who it is, the client's own goes on, and none of the configured keys is added."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        async with gateway(keys=keys, auth="keys", api_key="sk-ours") as it:
            assert (await posted(it, authorization=f"Bearer {SECRET}", x_api_key="sk-own"))[0] == 200
            assert sent(it) == {"x-api-key": "sk-own"}

    run(main())


def test_a_key_has_credentials_of_its_own(tmp_path: Path) -> None:
    """Read from where the key says; where that can't be read the caller hears so, not what was tried."""
    (tmp_path / "secret").write_text("sk-team\n")

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, upstreams={"anthropic": f"file:{tmp_path}/secret", "openai": "env:FOLDPOINT_TEST_NOT_SET"})
        async with gateway(keys=keys, api_key="sk-ours") as it:
            assert (await posted(it, x_api_key=SECRET))[0] == 200
            assert sent(it) == {"x-api-key": "sk-team"}
            assert (await posted(it, "/gemini/v1beta/models/g:generateContent", x_api_key=SECRET))[0] == 200
            assert sent(it) == {"x-goog-api-key": "sk-ours"}
            status, _, body = await posted(it, "/v1/chat/completions", x_api_key=SECRET)
            assert status == 502
            assert b"foldpoint: the credential that your key names for openai cannot be read" in body
            assert b"NOT_SET" not in body

    run(main())


def test_a_page_in_a_browser_may_use_a_key() -> None:
    """Without one it gets no key of ours: any page may send requests to a loopback port."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET)
        async with gateway(keys=keys, api_key="sk-ours") as it:
            await posted(it, origin="https://page.example")
            assert sent(it) == {}
            await posted(it, origin="https://page.example", x_api_key=SECRET)
            assert sent(it) == {"x-api-key": "sk-ours"}

    run(main())


def test_off_for_a_key_means_off() -> None:
    """No skill is consulted, no header says so, the bytes are the client's."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, skills=KeySkills(skills=()))
        engine = Canned(b'{"folded":true}')
        async with gateway(engine, keys=keys) as it:
            _, said, _ = await posted(it, x_api_key=SECRET)
            assert [name for name in said if name.startswith("x-ace-")] == []
            assert (it.provider.got[-1].body, engine.asked) == (BODY, [])
            record = await it.recorder.first()
            assert (record.mode, record.verdict) == ("off", "")

    run(main())


def test_a_key_folds_by_its_own_policy() -> None:
    """Its parameters over the configured ones; one engine for each policy."""
    asked: list[Policy] = []

    def engines(policy: Policy) -> Canned:
        asked.append(policy)
        return Canned()

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, plan="enterprise", skills=KeySkills(params={SKILL: {"epoch_size": 9}}))
        callers = Callers(settings_for("http://unused"), engines, Keyring(keys))  # type: ignore[arg-type]
        first = await callers.of([(b"x-api-key", SECRET.encode())])
        again = await callers.of([(b"X-Api-Key", SECRET.encode())])
        assert first is again
        assert first.policy == Policy(Trajectory(epoch_size=9))

    run(main())
    assert asked == [Policy(), Policy(Trajectory(epoch_size=9))]


@pytest.mark.parametrize(
    ("what", "family"),
    [("requests_per_minute", "requests"), ("tokens_per_minute", "tokens"), ("concurrent_requests", "")],
)
def test_a_limit_that_is_used_up(what: str, family: str) -> None:
    """429 in the caller's shape with what SDKs read; no provider is asked, the record has the status."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, limits=KeyLimits(requests_per_minute=3))
        limiter = Unlimited(Exceeded(what, 3, 12.25))  # type: ignore[arg-type]
        async with gateway(keys=keys, shared=Alone(limiter)) as it:
            status, said, body = await posted(it, "/gemini/v1beta/models/g:generateContent", x_api_key=SECRET)
            assert (status, said["retry-after"], said["retry-after-ms"]) == (429, "13", "12250")
            assert b'"status":"RESOURCE_EXHAUSTED"' in body
            assert b'"retryDelay":"12.250s"' in body
            if family:
                assert said[f"x-ratelimit-limit-{family}"] == "3"
                assert said[f"x-ratelimit-remaining-{family}"] == "0"
            assert it.provider.got == []
            assert ((await it.recorder.first()).status, limiter.told) == (429, [("admit", "key_0")])

    run(main())


def test_what_a_request_used_up_is_told_when_it_ended() -> None:
    """As it was billed; of a key without limits nothing is told."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, limits=KeyLimits(tokens_per_minute=1000))
        keys.add(OTHER)
        limiter = Unlimited()
        async with gateway(keys=keys, shared=Alone(limiter)) as it:
            usage = b'{"usage":{"input_tokens":10,"cache_read_input_tokens":20,"output_tokens":7}}'
            it.provider.answer = plain(usage)
            await posted(it, x_api_key=SECRET)
            await posted(it, x_api_key=OTHER)
            await asyncio.wait_for(limiter.released.wait(), 20)
            assert (await it.recorder.first()).usage == Usage(10, 20, 0, 7)
            assert limiter.told == [("admit", "key_0"), ("release", "key_0", 37)]

    run(main())


def test_a_client_that_leaves_gives_its_place_back() -> None:
    """Whenever it leaves."""

    async def main() -> None:
        keys = KeysInMemory()
        keys.add(SECRET, limits=KeyLimits(concurrent_requests=1))
        limiter = Unlimited()
        async with gateway(keys=keys, shared=Alone(limiter)) as it:
            it.provider.answer = streamed(*[b"data: x\n\n"] * 2000)
            answer = await it.client.post(it.url + "/v1/messages", data=BODY, headers={"x-api-key": SECRET})
            await answer.content.readany()
            answer.close()
            await asyncio.wait_for(limiter.released.wait(), 20)
            assert [told[:2] for told in limiter.told] == [("admit", "key_0"), ("release", "key_0")]

    run(main())
