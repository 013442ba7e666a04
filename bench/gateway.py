"""The gateway beside the direct way, in one run: upstream, gateway and client in processes of their own."""

import asyncio
import http.client
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import msgspec

from foldpoint.cli.demo.processes import COMMAND, answers, config_text, free_port, process
from foldpoint.core.policy import Policy
from foldpoint.lab.steps import steps, with_member

from .bodies import loop
from .report import Figure, Section, percentile
from .upstream import HOLD

POLICY = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"horizon": "adaptive"}}})
PATH = "/v1/messages"
SESSIONS, STEPS = 10, 30
OPENING = b"nightly import"
"""Words of the first message, which tell one session from another."""
SMALL, ATONCE, REQUESTS, TURNS = 2_000, 32, 1_500, 3
STREAMS, HOLD_SECONDS = 1_000, 8
FEW, MANY = 6_000, 100_000
HEADERS = {"content-type": "application/json", "x-api-key": "bench", "anthropic-version": "2023-06-01"}


class Places(msgspec.Struct, frozen=True):
    """Where everything listens, and the processes of the gateway and of the bare pass-through."""

    upstream: int
    gateway: int
    bare: int
    gateway_pid: int
    bare_pid: int


class Times(msgspec.Struct, frozen=True):
    """Milliseconds to the first byte and to the end of each request, and those that the gateway says are its own."""

    first: list[float]
    whole: list[float]
    said: list[float]

    def add(self, times: tuple[float, float, float]) -> None:
        for found, ms in zip((self.first, self.whole, self.said), times, strict=True):
            found.append(ms)


def measured(full: bool) -> Section:
    """Section 2: added latency, throughput, memory, open streams."""
    with started() as places:
        figures = [
            *latency(places, "460 KB", loop(201, 460_000), barred=True),
            *latency(places, "1 MB", loop(201, 1_000_000), barred=False),
            *throughput(places),
            *memory(places, full),
            *streams(places),
        ]
    remark = "added: through the gateway less direct, percentile by percentile; answers are streams of 50 events"
    return Section("2. The gateway", tuple(figures), (remark,))


@contextmanager
def started() -> Iterator[Places]:
    """Upstream, bare pass-through and gateway, ended with the block."""
    with TemporaryDirectory(prefix="foldpoint-bench-") as folder, ExitStack() as stack:
        place, upstream, bare, gateway = Path(folder), free_port(), free_port(), free_port()
        config = place / "foldpoint.toml"
        config.write_text(config_text(POLICY, place, upstream), "utf-8")
        ours = [sys.executable, "-m", "bench.upstream"]
        stack.enter_context(
            process([*ours, str(upstream)], place / "upstream.log", lambda: answers(upstream, "GET", "/"))
        )
        passing = stack.enter_context(
            process([*ours, str(bare), str(upstream)], place / "bare.log", lambda: answers(bare, "GET", "/"))
        )
        serve = [*COMMAND, "serve", "--config", str(config), "--port", str(gateway)]
        running = stack.enter_context(process(serve, place / "serve.log", lambda: answers(gateway, "GET", "/readyz")))
        yield Places(upstream, gateway, bare, running.pid, passing.pid)


def latency(places: Places, size: str, body: bytes, barred: bool) -> list[Figure]:
    """The last steps of one session after the other, each direct and through the gateway in turn."""
    direct, through = Times([], [], []), Times([], [], [])
    plain, gateway = connection(places.upstream), connection(places.gateway)
    last = [with_member(step, "stream", b"true") for step in list(steps(body, "anthropic"))[-1 - STEPS :]]
    for session in range(SESSIONS):
        first, *rest = [step.replace(OPENING, OPENING + b" %d" % session, 1) for step in last]
        asked(gateway, first)
        for number, sent in enumerate(rest):
            pairs = [(plain, direct), (gateway, through)]
            for line, times in pairs if number % 2 else pairs[::-1]:
                times.add(asked(line, sent))
    plain.close()
    gateway.close()

    def added(share: float, one: list[float], other: list[float]) -> float:
        return percentile(one, share) - percentile(other, share)

    bars = (2.5, 8.0, 2.0) if barred else (None, None, None)
    return [
        Figure(f"{size}: direct, p50", percentile(direct.whole, 0.5), "ms"),
        Figure(f"{size}: direct, p99", percentile(direct.whole, 0.99), "ms"),
        Figure(f"{size}: added, p50", added(0.5, through.whole, direct.whole), "ms", bars[0]),
        Figure(f"{size}: added, p99", added(0.99, through.whole, direct.whole), "ms", bars[1]),
        Figure(f"{size}: first byte added, p50", added(0.5, through.first, direct.first), "ms", bars[2]),
        Figure(f"{size}: until the provider is asked, as the gateway says, p50", percentile(through.said, 0.5), "ms"),
    ]


def connection(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


def asked(line: http.client.HTTPConnection, body: bytes) -> tuple[float, float, float]:
    """Milliseconds to the first byte of the answer's body, to its end, and as the gateway says."""
    began = time.perf_counter()
    line.request("POST", PATH, body, HEADERS)
    answer = line.getresponse()
    answer.read(1)
    first = time.perf_counter()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"port {line.port} answers {answer.status}")
    said = float(answer.headers.get("x-foldpoint-overhead-ms", 0))
    return 1e3 * (first - began), 1e3 * (time.perf_counter() - began), said


def throughput(places: Places) -> list[Figure]:
    """Small bodies, 32 at once: the gateway and a bare pass-through in turn."""
    body, rates, used = loop(3, SMALL), {"bare": list[float](), "gateway": list[float]()}, {"bare": 0.0, "gateway": 0.0}
    for _ in range(TURNS):
        for name, port, pid in (
            ("bare", places.bare, places.bare_pid),
            ("gateway", places.gateway, places.gateway_pid),
        ):
            before = processor_ms(pid)
            rates[name].append(REQUESTS / asyncio.run(poured(port, [body], REQUESTS)))
            used[name] += (processor_ms(pid) - before) / (TURNS * REQUESTS)
    bare, gateway = (percentile(rates[name], 0.5) for name in ("bare", "gateway"))
    return [
        Figure("small bodies: bare pass-through", bare, "req/s"),
        Figure("small bodies: gateway", gateway, "req/s"),
        Figure("small bodies: gateway / bare pass-through", gateway / bare, "x", 0.8, least=True),
        Figure("small bodies: bare pass-through, processor time a request", used["bare"], "ms"),
        Figure("small bodies: gateway, processor time a request", used["gateway"], "ms"),
    ]


async def poured(port: int, bodies: list[bytes], count: int) -> float:
    """Seconds for so many requests, 32 at once."""
    waiting = iter(range(count))
    connector = aiohttp.TCPConnector(limit=ATONCE)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(60)) as session:

        async def worker() -> None:
            for number in waiting:
                body = bodies[number % len(bodies)]
                async with session.post(f"http://127.0.0.1:{port}{PATH}", data=body, headers=HEADERS) as answer:
                    await answer.read()
                    answer.raise_for_status()

        began = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(ATONCE)))
        return time.perf_counter() - began


def memory(places: Places, full: bool) -> list[Figure]:
    """Resident megabytes after a third of the requests and after all: sessions of 60 KB that keep coming."""
    count = MANY if full else FEW
    bodies = [body for size in range(50_000, 60_000, 2_500) for body in list(steps(loop(41, size), "anthropic"))[-4:]]
    asyncio.run(poured(places.gateway, bodies, count // 3))
    early = resident(places.gateway_pid)
    asyncio.run(poured(places.gateway, bodies, count - count // 3))
    late = resident(places.gateway_pid)
    return [
        Figure(f"gateway after {count // 3:,} requests", early, "MB"),
        Figure(f"gateway after {count:,} requests", late, "MB"),
        Figure("growth over the later two thirds", late / early, "x", 1.1 if full else None),
    ]


def streams(places: Places) -> list[Figure]:
    """Resident megabytes while a thousand streams are open."""
    body = with_member(loop(3, SMALL), "stream", b"true")
    return [Figure("gateway with 1,000 open streams", asyncio.run(held(places, body)), "MB", 300)]


async def held(places: Places, body: bytes) -> float:
    """Open the streams, look, and let them end."""
    headers = {**HEADERS, HOLD: str(HOLD_SECONDS)}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(60)) as session:
        url = f"http://127.0.0.1:{places.gateway}{PATH}"
        asked = [session.post(url, data=body, headers=headers) for _ in range(STREAMS)]
        found = await asyncio.gather(*asked)
        await asyncio.gather(*(answer.content.readline() for answer in found))
        used = resident(places.gateway_pid)
        await asyncio.gather(*(answer.read() for answer in found))
    return used


def processor_ms(pid: int) -> float:
    """Milliseconds of processor time that a process has used, as Linux counts them (in hundredths of a second)."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory, as Linux counts them."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
