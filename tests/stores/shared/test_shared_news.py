"""A key that was changed is told to every process."""

import asyncio
from pathlib import Path

import pytest
import valkey as client
from sharing import logged, sharing, started, until

from foldpoint.stores.shared import News, Shared
from servers import Valkey


def listen(shared: Shared, heard: list[str | None]) -> News:
    """Note what is heard; None is that all is forgotten."""
    return shared.news(heard.append, lambda: heard.append(None))


def test_every_process_hears_it(valkey_server: Valkey, tmp_path: Path) -> None:
    """The one that tells it, too; before the first news all are forgotten, once."""
    heard: list[list[str | None]] = [[], []]

    async def main() -> None:
        two = [sharing(valkey_server.url, tmp_path) for _ in heard]
        news = [listen(shared, said) for shared, said in zip(two, heard, strict=True)]
        async with started(*two):
            await until(lambda: heard == [[None], [None]])
            await news[0].changed("key 1")
            await until(lambda: heard == [[None, "key 1"]] * 2)
            await news[1].changed("schlüssel\udcff")
            await until(lambda: [len(said) for said in heard] == [3, 3])

    asyncio.run(main())
    assert heard == [[None, "key 1", "schlüssel\udcff"]] * 2


def test_databases_do_not_hear_each_other(valkey_server: Valkey, tmp_path: Path) -> None:
    """Two gateways may share a server, each in a database of its own."""
    heard: list[str | None] = []

    async def main() -> None:
        one = sharing(valkey_server.url.removesuffix("/0") + "/1", tmp_path)
        other = sharing(valkey_server.url, tmp_path)
        news = one.news(lambda key: None, lambda: None)
        mine = listen(other, heard)
        async with started(one, other):
            await until(lambda: heard == [None])
            await news.changed("not for you")
            await mine.changed("mine")
            await until(lambda: len(heard) > 1)

    asyncio.run(main())
    assert heard == [None, "mine"]


def test_a_connection_that_is_cut(valkey_server: Valkey, tmp_path: Path) -> None:
    """Is made again, and all is forgotten; Valkey was there all the time, so nothing is said."""
    heard: list[str | None] = []

    async def main() -> None:
        shared = sharing(valkey_server.url, tmp_path)
        news = listen(shared, heard)
        async with started(shared):
            await until(lambda: heard == [None])
            with client.Valkey.from_url(valkey_server.url) as asked:
                asked.client_kill_filter(_type="pubsub")
            await until(lambda: heard == [None, None])
            await news.changed("key")
            await until(lambda: len(heard) > 2)

    with logged() as lines:
        asyncio.run(main())
    assert heard == [None, None, "key"]
    assert lines == []


@pytest.mark.parametrize("workers", [1, 2])
def test_without_valkey_there_is_nobody_to_tell(tmp_path: Path, workers: int) -> None:
    """Nothing is heard, and nothing fails."""
    heard: list[str | None] = []

    async def main() -> None:
        shared = sharing("", tmp_path, workers)
        news = listen(shared, heard)
        async with started(shared):
            await news.changed("key")

    asyncio.run(main())
    assert heard == []


def test_who_listens_does_so_from_the_start(tmp_path: Path) -> None:
    """Later something may have been missed: a mistake of the caller's."""

    async def main() -> None:
        shared = sharing("", tmp_path)
        async with started(shared):
            with pytest.raises(RuntimeError, match="before start"):
                shared.news(lambda key: None, lambda: None)

    asyncio.run(main())
