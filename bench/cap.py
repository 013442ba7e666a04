"""The first-sight cap: what it takes, saves and leaves to be seen, beside a plain cut of equal length."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from time import thread_time_ns
from types import ModuleType
from typing import Any

import msgspec

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine
from foldpoint.lab.optimum import path_cost
from foldpoint.lab.replay import replay
from foldpoint.lab.steps import caching
from foldpoint.lab.survival import Survival, survival_of
from foldpoint.skills.output_cap import capped

from .bodies import ABSENT, SHARED, check
from .capping import CUTS, MOST, Cutting
from .cost import ADAPTIVE, LONGEST, ROWS, Known, gated, known, recorded
from .forms import FORMS
from .report import Figure, Section

TUNED, JUDGED = (1, 7, 11, 23, 42), (61, 62, 63)
"""Seeds of the family: those that the cap was made on, and others."""
STEPS = 80
COST, VISIBLE, CORPUS = 0.22, 0.6, 0.40
TIMES_HASH, TIMES_TEN = 4.5, 12.0
SMALL, LARGE = 5_000, 1_000_000
FOLDED = Policy(agent_trajectory_compaction=Trajectory(horizon="adaptive", extract="evidence"))
WHOLE = Policy(agent_trajectory_compaction=Trajectory(mode="off"))


def measured(full: bool) -> Section:
    """Section 6: times, the family in both sets of forms, and the corpus."""
    family = check("family")
    if family is None or not SHARED.is_dir():
        return Section("6. Cap", (), (f"skipped: {ABSENT}",))
    transcripts = list(recorded())
    shown = transcripts if full else [one for one in transcripts if one.ledger.count <= LONGEST]
    figures = [*times(family), *families(family), *survivals(shown), *costs(transcripts)]
    remarks = (
        f"cap {MOST:,} characters, results cut before the fold; horizon adaptive, epoch 5, extract evidence",
        f"seeds {TUNED} were in view when the cap was made, {JUDGED} and the other forms of bench/forms.py were not",
        "times: least of several runs, thread time; the bar of a megabyte is 5 ms where blake2b takes 1.1",
        f"reference survival: {len(shown)} sessions; a plain cut has the same ending, and is as long or 2,000",
        "family: billed by the simulated cache, sending everything cached too",
    )
    return Section("6. Cap: first-sight cap of tool results", tuple(figures), remarks)


def times(family: ModuleType) -> Iterator[Figure]:
    """Milliseconds of a result of 5 KB; of a megabyte beside blake2b; of ten beside one."""
    for kind in family.KINDS:
        small, large = made(family, kind, SMALL), made(family, kind, LARGE)
        digest = least(lambda data: hashlib.blake2b(data).digest(), large.encode())
        one, ten = least(_capped, large), least(_capped, large * 10, 3)
        yield Figure("5 KB", least(_capped, small, 20), "ms", row=kind)
        yield Figure("1 MB", one, "ms", row=kind)
        yield Figure("1 MB / blake2b", one / digest, bar=TIMES_HASH, row=kind)
        yield Figure("10 MB / 1 MB", ten / one, bar=TIMES_TEN, row=kind)


def made(family: ModuleType, kind: str, size: int) -> str:
    """A result of the family of one kind, with a fact of each form that fits."""
    rng = random.Random(f"cap {kind}")
    planted = [form.make(rng, kind)[0] for form in family.FORMS.values() if kind in form.kinds]
    return str(family.result(rng, kind, size, planted, []))


def _capped(text: str) -> str:
    return capped(text, MOST)


def least(call: Callable[[Any], object], given: str | bytes, times: int = 7) -> float:
    """Milliseconds of the quickest of so many calls."""
    found = []
    for _ in range(times):
        start = thread_time_ns()
        call(given)
        found.append(thread_time_ns() - start)
    return min(found) / 1e6


def families(family: ModuleType) -> Iterator[Figure]:
    """Cost and planted facts still visible in the last request."""
    for name, seeds, forms in (
        ("its own forms, seeds in view", TUNED, None),
        ("its own forms, other seeds", JUDGED, None),
        ("other forms, other seeds", JUDGED, FORMS),
    ):
        for shape in ("anthropic", "openai-chat"):
            for cut in ("evidence", "head 50, tail 50, as long"):
                cost, visible = of_family(family, seeds, shape, forms, CUTS[cut])
                held = cut == "evidence"
                yield Figure(f"family, {name}, {shape}, {cut}: cost", cost, "", COST if held else None)
                yield Figure(f"family, {name}, {shape}, {cut}: visible", visible, "", VISIBLE if held else None, True)


def of_family(
    family: ModuleType, seeds: Sequence[int], shape: str, forms: Any, cut: Callable[[str], str]
) -> tuple[float, float]:
    """(cost / sending everything, share of the planted facts that is visible in the last request)."""
    plain = folded = seen = planted = 0.0
    for seed in seeds:
        _, cut_at, facts = family.transcript(steps=STEPS, seed=seed, shape=shape, forms=forms)
        bodies = [caching(msgspec.json.encode(cut_at(number)), shape) for number in range(1, STEPS + 1)]
        cutting, engine = Cutting(cut), Engine(FOLDED)
        shorter = [cutting.body(body) for body in bodies]
        plain += replay(bodies, shape).cost
        folded += replay(shorter, shape, engine).cost
        planted += len(facts)
        seen += len(family.visible(msgspec.json.decode(engine.fold(shorter[-1], shape).body), facts))
    return folded / plain, seen / planted


def survivals(transcripts: Sequence[Known]) -> Iterator[Figure]:
    """References of later actions that are still visible, with each cut: capped alone, and folded behind that."""
    for what, policy in (("capped", WHOLE), ("capped and folded", FOLDED)):
        shares = {}
        for name, cut in CUTS.items():
            total = Survival()
            for one in transcripts:
                total += survival_of(one.body, one.surface, Cutting(cut, Engine(policy)))
            shares[name] = total.visible / (total.used or 1)
        best = max(share for name, share in shares.items() if name != "evidence")
        for name, share in shares.items():
            bar = best if name == "evidence" else None
            yield Figure(f"corpus: reference survival, {what}, {name}", share, "", bar, True)


def costs(transcripts: Sequence[Known]) -> Iterator[Figure]:
    """Σ cost / Σ sending everything on the first price row."""
    row = ROWS[0]
    whole = sum([path_cost(one.sizes, row, [0] * len(one.sizes.turns)) for one in transcripts])
    cutting = Cutting(CUTS["evidence"])
    shorter = [known(one.name, one.surface, cutting.body(one.body)) for one in transcripts]
    alone = sum([path_cost(one.sizes, row, [0] * len(one.sizes.turns)) for one in shorter])
    yield Figure("corpus 0.1/1.25: cap alone", float(alone / whole))
    for name, given in (("adaptive E=5 alone", transcripts), ("cap and adaptive E=5", shorter)):
        share = float(sum([gated(one, row, ADAPTIVE[5]) for one in given]) / whole)
        yield Figure(f"corpus 0.1/1.25: {name}", share, "", CORPUS if given is shorter else None)
