"""What folding costs beside sending everything, for every policy and price row, the clairvoyant optimum beside each.

Every step is priced in sizes under a warm cache (append layout, the opening included); the billed figures send the real
folded bodies to the simulated cache.
"""

import gzip
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import msgspec

from foldpoint.core.errors import Unreadable
from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine
from foldpoint.lab.detect import surface_of
from foldpoint.lab.optimum import Chances, Prices, Sizes, optimum, path_cost, proven_factor
from foldpoint.lab.replay import replay
from foldpoint.lab.sizes import ledger_of, sizes_of
from foldpoint.lab.steps import caching, steps
from foldpoint.lab.survival import Survival, survival_of
from foldpoint.pricing.gate import Gate
from foldpoint.skills.epoch import replayed, start
from foldpoint.skills.ledger import Ledger

from .bodies import ABSENT, SHARED, check
from .report import Figure, Section

SCALE = 1_000
ROWS = tuple(
    Prices(Fraction(read), Fraction(write))
    for write in ("1.25", "1.0")
    for read in ("0.1", "0.05", "0.025", "0.25", "0.5")
)
ADAPTIVE = {5: Trajectory(horizon="adaptive"), 2: Trajectory(horizon="adaptive", epoch_size=2)}
TASK = {12: Trajectory(), 40: Trajectory(expected_task_steps=40)}
EXTRACTS = {name: Trajectory(horizon="adaptive", extract=name) for name in ("head", "evidence")}
UNSEEN, VISIBLE = (31, 32, 33), 0.6
SHORTEST = 6
LONGEST = 200
"""Turns of a transcript that is billed body by body without --full."""
GRID, FREE, HARM = 1.03, 1.07, 1.25


class Known(msgspec.Struct, frozen=True):
    """A transcript, read once."""

    name: str
    surface: str
    body: bytes
    sizes: Sizes
    ledger: Ledger


class Sums(msgspec.Struct, frozen=True):
    """Σ cost / Σ sending everything of each policy and optimum; the gate's worst transcript and its proven factor."""

    adaptive: dict[int, float]
    task: dict[int, float]
    grid: dict[int, float]
    free: float
    worst: float
    proven: float


def measured(full: bool) -> Section:
    """Section 3: the synthetic family and the corpus."""
    if not SHARED.is_dir():
        return Section("3. Cost", (), (f"skipped: {ABSENT}",))
    corpus, family = list(recorded()), list(synthetic())
    figures = [figure for row in ROWS for figure in of_row("corpus", corpus, row)]
    figures += [figure for row in ROWS[:3] for figure in of_row("family", family, row)]
    short = sums(list(synthetic(20)), ROWS[0])
    figures.append(Figure("family of 20 steps, prices 0.1/1.25: worst transcript", short.worst, "", 1.0))
    shown = corpus if full else [one for one in corpus if one.ledger.count <= LONGEST]
    figures += [*extracts(), *survivals(shown), *billed(shown)]
    remarks = (
        f"corpus: {len(corpus)} transcripts of {SHORTEST} turns or more; family: {len(family)} of 80 steps; keep 2, "
        "watermark 20,000 tokens; rows: price of reading / writing the cache",
        "task12, task40: that horizon; ad5, ad2: adaptive at epoch 5 and 2; opt5, opt2: the clairvoyant optimum with",
        "the same chances (grid and watermark); free: the optimum with a move at any turn; worst: the",
        "dearest transcript of ad5 and ad2 beside sending everything; proven: the loosest proven factor (epoch 5)",
    )
    return Section("3. Cost: Σ cost / Σ sending everything", tuple(figures), remarks)


def recorded() -> Iterator[Known]:
    """The transcripts of the corpus on the surfaces that are folded."""
    for folder in ("anthropic", "openai-chat"):
        for path in sorted((SHARED / "corpus" / "requests" / folder).iterdir()):
            known = read(path)
            if known and known.ledger.count >= SHORTEST:
                yield known


def read(path: Path) -> Known | None:
    data = path.read_bytes()
    body = gzip.decompress(data) if path.suffix == ".gz" else data
    try:
        return known(path.name, surface_of(body), body)
    except Unreadable:
        return None


def known(name: str, surface: str, body: bytes) -> Known:
    return Known(name, surface, body, sizes_of(body, surface), ledger_of(body, surface))


def synthetic(count: int = 80) -> Iterator[Known]:
    """The family with planted facts."""
    family = check("family")
    if family is None:
        return
    for shape in ("anthropic", "openai-chat"):
        for seed in (1, 2, 3):
            body, _, _ = family.transcript(steps=count, seed=seed, shape=shape)
            yield known(f"{shape} {seed}", shape, msgspec.json.encode(body))


def sums(transcripts: Sequence[Known], prices: Prices) -> Sums:
    """Every policy and the optimum over the transcripts."""
    never = [path_cost(one.sizes, prices, [0] * len(one.sizes.turns)) for one in transcripts]
    whole = sum(never)

    def share(costs: Sequence[Fraction]) -> float:
        return float(sum(costs) / whole)

    costs = {epoch: [gated(one, prices, policy) for one in transcripts] for epoch, policy in ADAPTIVE.items()}
    worst = max(cost / plain for found in costs.values() for cost, plain in zip(found, never, strict=True))
    return Sums(
        adaptive={epoch: share(found) for epoch, found in costs.items()},
        task={steps: share([gated(one, prices, policy) for one in transcripts]) for steps, policy in TASK.items()},
        grid={
            epoch: share([optimum(one.sizes, prices, chances(policy)).cost for one in transcripts])
            for epoch, policy in ADAPTIVE.items()
        },
        free=share([optimum(one.sizes, prices, Chances(None, 2)).cost for one in transcripts]),
        worst=float(worst),
        proven=float(max(proven_factor(one.sizes, prices, Chances(5, 2)) for one in transcripts)),
    )


def chances(policy: Trajectory) -> Chances:
    watermark = int(policy.token_watermark * policy.bytes_per_token)
    return Chances(policy.epoch_size, policy.keep_recent_turns, watermark)


def gated(one: Known, prices: Prices, policy: Trajectory) -> Fraction:
    """The cost of the path that the gate takes at these prices."""
    gate = Gate(int(prices.read * SCALE), int(prices.write * SCALE), policy.horizon, policy.expected_task_steps, None)
    state, path = start(one.ledger), list[int]()
    for turn in range(1, one.ledger.count + 1):
        state = replayed(one.ledger, policy, gate, state, turn)
        path.append(state.sealed)
    return path_cost(one.sizes, prices, path)


def of_row(what: str, transcripts: Sequence[Known], prices: Prices) -> list[Figure]:
    """The figures of one price row."""
    found, row = sums(transcripts, prices), f"{what} {float(prices.read):g}/{float(prices.write):g}"
    columns = [
        *((f"task{steps}", share, None) for steps, share in found.task.items()),
        *((f"ad{epoch}", share, None) for epoch, share in found.adaptive.items()),
        *((f"opt{epoch}", share, None) for epoch, share in found.grid.items()),
        ("free", found.free, None),
        *((f"ad{epoch}/opt", found.adaptive[epoch] / found.grid[epoch], GRID) for epoch in ADAPTIVE),
        *((f"ad{epoch}/free", found.adaptive[epoch] / found.free, FREE) for epoch in ADAPTIVE),
        ("worst", found.worst, HARM),
        ("proven", found.proven, None),
    ]
    return [Figure(name, value, bar=bar, row=row) for name, value, bar in columns]


def extracts() -> Iterator[Figure]:
    """Cost and planted facts still visible on seeds of the family that the finder was not made on."""
    family = check("family")
    for extract in EXTRACTS if family else ():
        policy = Policy(agent_trajectory_compaction=EXTRACTS[extract])
        plain = folded = shown = planted = 0.0
        for seed in UNSEEN:
            _, cut, facts = family.transcript(steps=80, seed=seed, shape="anthropic")
            bodies, engine = [msgspec.json.encode(cut(n)) for n in range(1, 81)], Engine(policy)
            plain += replay(bodies, "anthropic").cost
            folded += replay(bodies, "anthropic", engine).cost
            planted += len(facts)
            shown += len(family.visible(msgspec.json.decode(engine.fold(bodies[-1], "anthropic").body), facts))
        yield Figure(f"family billed by the simulated cache, extract {extract}", folded / plain)
        bar = VISIBLE if extract == "evidence" else None
        yield Figure(f"family: planted facts visible at the end, extract {extract}", shown / planted, "", bar, True)


def survivals(transcripts: Sequence[Known]) -> Iterator[Figure]:
    """References of later actions that are still visible: of all, and of those that sealed turns alone had shown."""
    for extract, policy in EXTRACTS.items():
        engine, total = Engine(Policy(agent_trajectory_compaction=policy)), Survival()
        for one in transcripts:
            total += survival_of(one.body, one.surface, engine)
        yield Figure(f"corpus: reference survival, extract {extract}", total.visible / (total.used or 1))
        name = f"corpus: reference survival of what only sealed turns showed, extract {extract}"
        yield Figure(name, total.found / (total.sealed or 1))


def billed(transcripts: Sequence[Known]) -> list[Figure]:
    """Real bodies, billed by the simulated cache at each model's own prices, adaptive E = 5."""
    policy = Policy(agent_trajectory_compaction=ADAPTIVE[5])
    figures = []
    for surface in ("anthropic", "openai-chat"):
        plain = folded = 0.0
        for one in transcripts:
            if one.surface == surface:
                bodies = [caching(step, surface) for step in steps(one.body, surface)]
                plain += replay(bodies, surface).cost
                folded += replay(bodies, surface, Engine(policy)).cost
        figures.append(
            Figure(f"corpus billed by the simulated cache, {surface}, adaptive E=5", folded / plain if plain else 1.0)
        )
    return figures
