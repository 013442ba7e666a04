"""The fold itself, in thread time: what neighbours on the machine do to it stays out."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import msgspec

from foldpoint.core.policy import OutputCap, Policy
from foldpoint.engine import Engine, gate_of
from foldpoint.gateway.serving import settle
from foldpoint.lab.steps import cuts, steps
from foldpoint.skills.ledger import Ledger
from foldpoint.skills.limits import limits_of
from foldpoint.skills.memo import key_of
from foldpoint.skills.trajectory import planned
from foldpoint.surfaces import surface_named

from .bodies import ABSENT, SHARED, loop
from .report import Figure, Section, percentile

ROUNDS = 400
SURFACE = "anthropic"
POLICY = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"horizon": "adaptive"}}})
CAPPED = msgspec.structs.replace(POLICY, tool_output_cap=OutputCap("prod"))
MESSAGES, SIZE = 201, 1_000_000


def measured(full: bool) -> Section:
    """Section 1: plan, warm, cold, bytes to bytes, ten times the size, pauses."""
    body, large = loop(MESSAGES, SIZE), loop(10 * MESSAGES - 9, 10 * SIZE)
    with settled():
        figures = figures_of(body, large)
    source = "body of ../shared/checks/body.py" if SHARED.is_dir() else f"body of our own: {ABSENT}"
    return Section("1. The fold itself (201 messages, 1 MB; thread time)", figures, (source,))


@contextmanager
def settled() -> Iterator[None]:
    """The collector as the gateway sets it for itself."""
    thresholds = gc.get_threshold()
    settle()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def figures_of(body: bytes, large: bytes) -> tuple[Figure, ...]:
    plan, warm, (cold, decode) = planning(body), warming(body), cooling(body)
    split, whole = splitting(body), folding(body)
    ratio = median(timed(lambda: Engine(POLICY).fold(large, SURFACE), 9)) / median(
        timed(lambda: Engine(POLICY).fold(body, SURFACE), 15)
    )
    capped = folding(body, CAPPED)
    pauses = collected(body)
    return (
        Figure("plan from decoded views, p50", percentile(plan, 0.5), "ms"),
        Figure("plan from decoded views, p99", percentile(plan, 0.99), "ms", 0.30),
        Figure("warm from spans, p50", percentile(warm, 0.5), "ms"),
        Figure("warm from spans, p99", percentile(warm, 0.99), "ms", 0.20),
        Figure("cold from spans / msgspec's full decode", median(cold) / median(decode), "x", 1.5),
        Figure("cold from spans, median", median(cold), "ms"),
        Figure("msgspec's full decode, median", median(decode), "ms"),
        Figure("split of the body into items, median", median(split), "ms"),
        Figure("Engine.fold warm over the split, median", median(whole) - median(split), "ms", 0.4),
        Figure("the cap on a warm request, added to Engine.fold, median", median(capped) - median(whole), "ms"),
        Figure("10 MB, 2,001 messages / 1 MB, cold", ratio, "x", 15),
        Figure(f"longest of {len(pauses)} collector pauses in 1,500 requests", max(pauses, default=0.0), "ms", 1.0),
    )


def timed(run: Callable[[], object], rounds: int, before: Callable[[], object] = lambda: None) -> list[float]:
    """Milliseconds of thread time of each round; what `before` does is not counted."""
    found = []
    for _ in range(rounds):
        before()
        began = time.thread_time_ns()
        run()
        found.append((time.thread_time_ns() - began) / 1e6)
    return found


def planning(body: bytes) -> list[float]:
    """Turns, replay, gate, entries and layout from views that are there."""
    surface, policy = surface_named(SURFACE), POLICY.agent_trajectory_compaction
    request = surface.read(body)
    views = [surface.view(item, limits_of(policy)) for item in request.items]
    gate = gate_of(policy, request.model)
    return timed(lambda: planned(surface, request.items, Ledger(views, surface.shape), policy, gate), ROUNDS)


def before_last(body: bytes) -> bytes:
    """The request one turn earlier."""
    *_, stop, last = cuts(body, SURFACE)
    return body[:stop] + body[last:]


def warming(body: bytes) -> list[float]:
    """Look up, hash, one new turn, plan: the request before is remembered."""
    engine, earlier = Engine(POLICY), before_last(body)
    return timed(piping(engine, body), ROUNDS, lambda: engine.fold(earlier, SURFACE))


def piping(engine: Engine, body: bytes) -> Callable[[], object]:
    """The skills on a body that is split already, under the key that the engine remembers it by."""
    surface = surface_named(SURFACE)
    request = surface.read(body)
    key = key_of((engine._owner, "local", SURFACE, request.model), request.items)
    terms = engine._terms(request.model)
    return lambda: engine._pipeline.run(request, surface, key, *terms)


def cooling(body: bytes) -> tuple[list[float], list[float]]:
    """The same with nothing remembered, every view built; and, in turn with it, msgspec's full decode of the body."""
    cold, decode = [], []
    for _ in range(ROUNDS // 4):
        cold += timed(piping(Engine(POLICY), body), 1)
        decode += timed(lambda: msgspec.json.decode(body), 1)
    return cold, decode


def splitting(body: bytes) -> list[float]:
    surface = surface_named(SURFACE)
    return timed(lambda: surface.read(body), ROUNDS // 2)


def folding(body: bytes, policy: Policy = POLICY) -> list[float]:
    """Bytes to bytes, the request before remembered."""
    engine, earlier = Engine(policy), before_last(body)
    return timed(lambda: engine.fold(body, SURFACE), ROUNDS // 2, lambda: engine.fold(earlier, SURFACE))


def collected(body: bytes) -> list[float]:
    """Milliseconds of each collection in 1,500 warm requests."""
    pauses: list[float] = []
    began = 0

    def watch(phase: str, info: dict[str, int]) -> None:
        nonlocal began
        if phase == "start":
            began = time.perf_counter_ns()
        else:
            pauses.append((time.perf_counter_ns() - began) / 1e6)

    engine, bodies = Engine(POLICY), list(steps(body, SURFACE))
    gc.callbacks.append(watch)
    try:
        for number in range(1500):
            engine.fold(bodies[number % len(bodies)], SURFACE)
    finally:
        gc.callbacks.remove(watch)
    return pauses
