"""Commands that are asked for at the same time travel together; nobody waits for a Valkey that is silent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from valkey.asyncio import ConnectionPool
from valkey.exceptions import ResponseError

from foldpoint.stores.shared.batched import Batched
from servers import Valkey


@asynccontextmanager
async def batched(url: str) -> AsyncIterator[Batched]:
    pool = ConnectionPool.from_url(url)
    client = Batched(pool)
    try:
        yield client
    finally:
        await client.end()
        await pool.disconnect()


def test_each_gets_its_own_answer(valkey_server: Valkey) -> None:
    """Faults too; and it takes one connection."""

    async def main() -> Any:
        async with batched(valkey_server.url) as client:
            await client.flushdb()
            answers = await asyncio.gather(
                client.set("text", "a"),
                client.incr("text"),
                *(client.incr("number") for _ in range(100)),
                return_exceptions=True,
            )
            connections = await client.client_list()
            return answers, sum(one["cmd"] != "NULL" for one in connections)

    (done, fault, *numbers), connections = asyncio.run(main())
    assert done is True
    assert isinstance(fault, ResponseError)
    assert numbers == list(range(1, 101))
    assert connections == 1


def test_who_leaves_does_not_disturb_the_others(valkey_server: Valkey) -> None:
    """One is cancelled while its command is on its way."""

    async def main() -> tuple[bool, int]:
        async with batched(valkey_server.url) as client:
            await client.delete("number")
            leaving = asyncio.ensure_future(client.incr("number"))
            staying = asyncio.ensure_future(client.incr("number"))
            await asyncio.sleep(0)
            leaving.cancel()
            return await staying > 0, await client.incr("number")

    assert asyncio.run(main()) == (True, 3)


def test_a_silent_server() -> None:
    """All who wait, and who asked meanwhile, are told together; the next sending is a new one."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.read()
        writer.close()

    connections: list[asyncio.StreamWriter] = []

    async def main() -> list[type]:
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, batched(f"valkey://127.0.0.1:{port}/0") as client:
            first = [asyncio.ensure_future(client.get("a")) for _ in range(3)]
            await asyncio.sleep(0.01)
            first.append(asyncio.ensure_future(client.get("b")))
            told = await asyncio.gather(*first, return_exceptions=True)
            with pytest.raises(TimeoutError):
                await client.get("c")
            return [type(one) for one in told]

    assert asyncio.run(main()) == [TimeoutError] * 4
    assert len(connections) == 2


def test_the_end(valkey_server: Valkey) -> None:
    """Who still waits is told."""

    async def main() -> object:
        async with batched(valkey_server.url) as client:
            waiting = asyncio.ensure_future(client.blpop(["nothing"], 5))
            await asyncio.sleep(0.02)
            await client.end()
            return (await asyncio.gather(waiting, return_exceptions=True))[0]

    assert isinstance(asyncio.run(main()), ConnectionError)
