"""Several workers at one port, as processes: they share the load, a dead one is replaced, nothing is recorded twice."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loopback import Got, Provider, plain, silent

from foldpoint.gateway.serving import run
from foldpoint.stores import open_store

MAIN = "from foldpoint.cli import main; main()"
REQUEST = b'POST /v1/messages HTTP/1.1\r\nhost: g\r\ncontent-length: 27\r\n\r\n{"model":"m","messages":[]}'
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n"


@dataclass
class Served:
    """The parent, where its workers listen, and the lines it logs."""

    parent: asyncio.subprocess.Process
    address: str
    log: list[dict[str, Any]] = field(default_factory=list)

    def workers(self) -> list[int]:
        """The processes that it has started and that are there."""
        listed = subprocess.run(["pgrep", "-P", str(self.parent.pid)], capture_output=True, text=True, check=False)
        return [int(line) for line in listed.stdout.split()]

    async def connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to it."""
        host, port = self.address.removeprefix("http://").split(":")
        return await asyncio.open_connection(host, int(port))

    async def said(self, event: str, times: int = 1) -> dict[str, Any]:
        """The line that says it for that many a time, read on until it comes."""
        assert self.parent.stdout is not None
        while len(found := [line for line in self.log if line["event"] == event]) < times:
            line = await asyncio.wait_for(self.parent.stdout.readline(), 30)
            assert line, f"it ended without {event!r}"
            self.log.append(json.loads(line))
        return found[times - 1]


@contextlib.asynccontextmanager
async def served(home: Path, provider: Provider, workers: int = 3, **more: str) -> AsyncIterator[Served]:
    """The gateway with so many workers in front of the provider; `more` are settings of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOLDPOINT_", "ACE_", "AWS_"))}
    settings = {
        "FOLDPOINT_UPSTREAMS__ANTHROPIC__BASE_URL": provider.url,
        "FOLDPOINT_STORE__URL": f"sqlite:///{home}/records.db",
        **more,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, "serve", "--port", "0", "--workers", str(workers)),
        stdout=asyncio.subprocess.PIPE,
        cwd=home,
        env={**kept, "HOME": str(home), "TMPDIR": str(home), **settings},
    )
    it = Served(process, "")
    it.address = (await it.said("listening"))["address"]
    pids = it.workers()
    try:
        yield it
    finally:
        for pid in (process.pid, *pids, *it.workers()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await process.wait()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    for _ in range(600):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never held")


def gone(pids: list[int]) -> bool:
    """Whether none of these processes is there, as a zombie neither."""
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


class Gate:
    """A provider that lets the first requests through and holds the others until it is opened."""

    def __init__(self, first: int) -> None:
        self.held = 0
        self.open = asyncio.Event()
        self._left = first
        self._answer = plain(b'{"usage":{"input_tokens":5,"output_tokens":1}}')

    async def __call__(self, got: Got, writer: asyncio.StreamWriter) -> None:
        if self._left:
            self._left -= 1
        else:
            self.held += 1
            await self.open.wait()
        await self._answer(got, writer)


async def asked(it: Served, requests: int, finished: list[str]) -> int:
    """Send so many requests one after another on one connection, a new one where it breaks; how many had no answer."""
    failed = 0
    reader, writer = await it.connected()
    for _ in range(requests):
        try:
            writer.write(REQUEST)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            await reader.readexactly(length)
            finished.append(head.partition("x-foldpoint-request-id: ")[2].partition("\r\n")[0])
            if "connection: close" in head:
                writer.close()
                reader, writer = await it.connected()
        except (ConnectionError, asyncio.IncompleteReadError):
            failed += 1
            reader, writer = await it.connected()
    writer.close()
    return failed


def test_a_worker_that_is_killed_takes_its_own_open_requests_alone(tmp_path: Path) -> None:
    """Of 600 over 30 connections; it is replaced, and each request that was answered is recorded once."""

    async def main() -> tuple[list[str], list[int], int, dict[str, Any], int]:
        async with Provider().running() as provider:
            provider.answer = gate = Gate(300)
            async with served(tmp_path, provider, FOLDPOINT_STORE__FLUSH_MS="50") as it:
                finished: list[str] = []
                asking = [asyncio.ensure_future(asked(it, 20, finished)) for _ in range(30)]
                await until(lambda: gate.held == 30)
                await asyncio.sleep(0.5)  # what it has answered is written by now
                os.kill(it.workers()[0], signal.SIGKILL)
                line = await it.said("a worker ended")
                gate.open.set()
                failed = await asyncio.gather(*asking)
                await until(lambda: len(it.workers()) == 3)
                it.parent.send_signal(signal.SIGTERM)
                return finished, failed, len(provider.got), line, await asyncio.wait_for(it.parent.wait(), 20)

    finished, failed, asked_of_provider, line, code = run(main())
    store = open_store("sqlite:///records.db", tmp_path)
    recorded = Counter(record.id for record in store.requests("local", limit=1000).records)
    store.close()
    assert (line["exit_code"], code, asked_of_provider) == (-signal.SIGKILL, 0, 600)
    assert max(failed) == 1
    assert 8 <= sum(failed) <= 12, "its share of 30"
    assert len(finished) == 600 - sum(failed)
    assert recorded == Counter(finished)


def test_every_worker_has_its_share_of_a_burst(tmp_path: Path) -> None:
    """Connections that stay: none of four workers has less than half of what is due to it."""

    async def main() -> list[int]:
        async with Provider().running() as provider, served(tmp_path, provider, 4) as it:
            provider.answer = silent(STREAM)
            inside = await asyncio.gather(*(it.connected() for _ in range(32)))
            for _, writer in inside:
                writer.write(REQUEST)
            for reader, _ in inside:
                await reader.readuntil(b"one\r\n")
            broken = []
            for pid in it.workers():
                before = sum(reader.at_eof() for reader, _ in inside)
                os.kill(pid, signal.SIGKILL)
                await it.said("a worker ended", len(broken) + 1)
                await asyncio.sleep(0.2)
                broken.append(sum(reader.at_eof() for reader, _ in inside) - before)
            return broken

    shares = run(main())
    assert (sum(shares), min(shares) >= 4) == (32, True)


@contextlib.asynccontextmanager
async def streaming(
    home: Path, **more: str
) -> AsyncIterator[tuple[Served, asyncio.Event, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Two workers, one in the middle of a stream that goes on when it is let."""
    go = asyncio.Event()

    async def stream(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(STREAM)
        await go.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async with Provider().running() as provider, served(home, provider, 2, **more) as it:
        provider.answer = stream
        reader, writer = await it.connected()
        writer.write(REQUEST)
        await reader.readuntil(b"one\r\n")
        yield it, go, reader, writer
        writer.close()


def test_sigterm_lets_the_workers_streams_end(tmp_path: Path) -> None:
    """The parent ends after its workers, and leaves none."""

    async def main() -> tuple[bytes, int, list[int]]:
        async with streaming(tmp_path) as (it, go, reader, _):
            pids = it.workers()
            it.parent.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.3)
            go.set()
            rest = await reader.readuntil(b"0\r\n\r\n")
            code = await asyncio.wait_for(it.parent.wait(), 20)
            await until(lambda: gone(pids))
            with pytest.raises(ConnectionError):
                await it.connected()
            return rest, code, it.workers()

    assert run(main()) == (b"3\r\ntwo\r\n0\r\n\r\n", 0, [])


def test_a_second_signal_ends_the_workers_at_once(tmp_path: Path) -> None:
    """Nobody has to wait for the drain."""

    async def main() -> int:
        async with streaming(tmp_path, FOLDPOINT_GATEWAY__DRAIN_SECONDS="300") as (it, _, reader, _writer):
            it.parent.send_signal(signal.SIGINT)
            await asyncio.sleep(0.3)
            it.parent.send_signal(signal.SIGTERM)
            await asyncio.wait_for(reader.read(), 20)
            return await asyncio.wait_for(it.parent.wait(), 20)

    assert run(main()) == 0


def test_a_signal_for_all_of_them_is_none_of_a_hurry(tmp_path: Path) -> None:
    """As systemd sends it: to the parent and to each worker."""

    async def main() -> tuple[bytes, int]:
        async with streaming(tmp_path) as (it, go, reader, _):
            for pid in (*it.workers(), it.parent.pid, *it.workers()):
                os.kill(pid, signal.SIGTERM)
            await asyncio.sleep(0.3)
            go.set()
            return await reader.readuntil(b"0\r\n\r\n"), await asyncio.wait_for(it.parent.wait(), 20)

    assert run(main()) == (b"3\r\ntwo\r\n0\r\n\r\n", 0)


def test_a_worker_can_be_replaced_without_loss(tmp_path: Path) -> None:
    """At a SIGTERM of its own it lets nobody in any more, ends its answers, and another takes its place."""

    async def main() -> tuple[bytes, list[bytes], dict[str, Any]]:
        async with streaming(tmp_path) as (it, go, reader, _):
            for pid in it.workers():
                os.kill(pid, signal.SIGTERM)
            await it.said("a worker ended")
            served_meanwhile = []
            for _ in range(20):
                other, writer = await it.connected()
                writer.write(b"GET /livez HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")
                served_meanwhile.append((await other.read()).split()[1])
            go.set()
            rest = await reader.readuntil(b"0\r\n\r\n")
            return rest, served_meanwhile, await it.said("a worker ended", 2)

    rest, statuses, line = run(main())
    assert (rest, statuses, line["exit_code"], line["level"]) == (
        b"3\r\ntwo\r\n0\r\n\r\n",
        [b"200"] * 20,
        0,
        "info",
    )


def test_workers_can_be_replaced_under_load(tmp_path: Path) -> None:
    """Each in turn: no request fails of those that use a connection again and of those that make a new one."""

    async def once(it: Served) -> bytes:
        reader, writer = await it.connected()
        writer.write(b"GET /livez HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer[9:12]

    async def main() -> tuple[list[int], set[bytes]]:
        async with Provider().running() as provider, served(tmp_path, provider, 3) as it:
            finished: list[str] = []
            asking = [asyncio.ensure_future(asked(it, 100, finished)) for _ in range(8)]
            statuses = set()
            for times, pid in enumerate(it.workers(), start=1):
                os.kill(pid, signal.SIGTERM)
                statuses |= {await once(it) for _ in range(50)}
                await it.said("a worker ended", times)
                await until(lambda: len(it.workers()) == 3)
            return await asyncio.gather(*asking), statuses

    assert run(main()) == ([0] * 8, {b"200"})


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    """Even where it had no time to tell them; an answer may still end."""

    async def main() -> bytes:
        async with streaming(tmp_path) as (it, go, reader, _):
            pids = it.workers()
            it.parent.kill()
            await it.parent.wait()
            go.set()
            rest = await reader.readuntil(b"0\r\n\r\n")
            await until(lambda: gone(pids))
            return rest

    assert run(main()) == b"3\r\ntwo\r\n0\r\n\r\n"


def test_a_worker_that_ends_at_once_is_waited_for_longer_each_time(tmp_path: Path) -> None:
    """And named each time."""

    async def main() -> list[tuple[int, float]]:
        async with Provider().running() as provider, served(tmp_path, provider, 2) as it:
            said = []
            for times in (1, 2, 3):
                await until(lambda: len(it.workers()) == 2)
                os.kill(it.workers()[-1], signal.SIGKILL)
                line = await it.said("a worker ended", times)
                said.append((line["worker"], line["starts_again_in_seconds"]))
            return said

    said = run(main())
    place = said[0][0]
    assert said == [(place, 0.5), (place, 1.0), (place, 2.0)]
