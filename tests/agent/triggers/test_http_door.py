"""Triggers over HTTP: acknowledged when they are on disk, taken once by id, refused when too many wait."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from foldpoint.agent.triggers.files import MOST_BYTES, FileQueue
from foldpoint.agent.triggers.http import DoorError, DoorSettings, open_door

Post = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]


def at_the_door(directory: Path, then: Callable[[Post, FileQueue, str], Awaitable[Any]], **settings: Any) -> Any:
    """What `then` gives, with a function that posts to an open door."""

    async def opened() -> Any:
        queue = FileQueue(directory, poll_seconds=30)
        async with (
            open_door(queue, DoorSettings(port=0, **settings), "main") as url,
            aiohttp.ClientSession() as session,
        ):

            async def post(value: Any = None, **how: Any) -> tuple[int, dict[str, Any]]:
                how = how or {"json": value}
                async with session.post(f"{url}/trigger", **how) as answer:
                    return answer.status, await answer.json() if answer.content_type == "application/json" else {}

            return await then(post, queue, url)

    return asyncio.run(opened())


def test_posted_trigger_is_in_the_queue(tmp_path: Path) -> None:
    """Under its id, before it is acknowledged, and whoever waits for the queue gets it at once."""

    async def posted(post: Post, queue: FileQueue, _: str) -> Any:
        waiting = asyncio.ensure_future(anext(aiter(queue)))
        await asyncio.sleep(0)
        said = await post({"text": "go", "id": "a1"})
        trigger = await asyncio.wait_for(waiting, 20)
        return said, trigger.text, trigger.path.name.endswith("@a1.txt")

    assert at_the_door(tmp_path, posted) == (
        (202, {"conversation": "main", "id": "a1", "new": True, "waiting": 1}),
        "go",
        True,
    )


def test_same_id_is_taken_once(tmp_path: Path) -> None:
    """Also when it was worked on."""

    async def twice(post: Post, queue: FileQueue, _: str) -> Any:
        await post({"text": "go", "id": "a1"})
        again = await post({"text": "go", "id": "a1"})
        await (await anext(aiter(queue))).done()
        return again, await post({"text": "go", "id": "a1"}), queue.waiting()

    said = (202, {"conversation": "main", "id": "a1", "new": False})
    assert at_the_door(tmp_path, twice) == (said, said, [])


def test_triggers_come_in_the_order_they_were_posted(tmp_path: Path) -> None:
    """Whatever their ids."""

    async def many(post: Post, queue: FileQueue, _: str) -> list[str]:
        for text, name in (("one", "z"), ("two", ""), ("three", "a")):
            await post({"text": text, "id": name})
        found = []
        async for trigger in queue:
            found.append(trigger.text)
            if len(found) == 3:
                break
        return found

    assert at_the_door(tmp_path, many) == ["one", "two", "three"]


def test_too_many_are_refused(tmp_path: Path) -> None:
    """With 429, until some are worked on."""

    async def many(post: Post, queue: FileQueue, url: str) -> Any:
        statuses = [(await post({"text": "go"}))[0] for _ in range(3)]
        await (await anext(aiter(queue))).done()
        async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as health:
            return statuses, await health.json(), (await post({"text": "go"}))[0]

    expected = ([202, 202, 429], {"status": "ok", "waiting": 1}, 202)
    assert at_the_door(tmp_path, many, most_waiting=2) == expected


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({"json": {}}, 400),
        ({"json": {"text": ""}}, 400),
        ({"json": {"text": " "}}, 400),
        ({"json": {"text": 5}}, 400),
        ({"json": {"text": "a", "key": "b"}}, 400),
        ({"json": {"text": "a", "id": "../x"}}, 400),
        ({"json": {"text": "x" * (MOST_BYTES + 1)}}, 413),
        ({"json": {"text": "x" * 3 * MOST_BYTES}}, 413),
        ({"data": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"data": b'{"text":"a"}', "headers": {"content-type": "text/plain"}}, 415),
        ({"json": {"text": "a"}, "headers": {"host": "evil.example"}}, 403),
    ],
)
def test_bad_request_is_refused(tmp_path: Path, how: dict[str, Any], status: int) -> None:
    """And nothing gets into the queue."""

    async def bad(post: Post, queue: FileQueue, _: str) -> Any:
        return (await post(**how))[0], queue.waiting()

    assert at_the_door(tmp_path, bad) == (status, [])


def test_key_is_asked_for(tmp_path: Path) -> None:
    """Where one is set."""

    async def keyed(post: Post, _: FileQueue, __: str) -> list[int]:
        shown = [{}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer right"}]
        return [(await post(json={"text": "a"}, headers=headers))[0] for headers in shown]

    assert at_the_door(tmp_path, keyed, key="right") == [401, 401, 202]


def test_door_without_a_key_opens_on_loopback_only(tmp_path: Path) -> None:
    """Others could give the agent orders."""

    async def nothing(*_: Any) -> None:
        return None

    with pytest.raises(DoorError) as caught:
        at_the_door(tmp_path, nothing, host="0.0.0.0")
    assert str(caught.value) == "triggers on 0.0.0.0 can be reached by other machines: set a key, or use 127.0.0.1"


def test_disk_that_takes_nothing_is_said(tmp_path: Path) -> None:
    """With 503: the trigger was not taken."""

    async def gone(post: Post, queue: FileQueue, _: str) -> int:
        queue.directory = tmp_path / "gone"
        return (await post({"text": "a"}))[0]

    assert at_the_door(tmp_path, gone) == 503
