"""What a policy would have sent of a session, step by step, and what the provider's cache would have made of it."""

from collections.abc import Iterable

import msgspec

from foldpoint.core.receipt import Receipt
from foldpoint.core.usage import Usage
from foldpoint.engine import Engine, Folded
from foldpoint.pricing.catalog import known_rates
from foldpoint.surfaces import surface_named

from .cache import Cache, Rules, charge, rules_of, segments

SECONDS = 30.0
"""Between two steps, where nothing says otherwise: less than any cache's lifetime."""


class Step(msgspec.Struct, frozen=True):
    """One request: its bytes, its bill, where the fold stood, and how much of the last prompt it began with."""

    sent: int
    usage: Usage
    cost: float
    sealed: int = 0
    moved: bool = False
    before: int = 0
    kept: int = 0


class Replay(msgspec.Struct, frozen=True):
    """A session under one policy. `input_usd`: USD per million uncached input tokens, where it is published."""

    steps: tuple[Step, ...]
    input_usd: float | None = None

    @property
    def usage(self) -> Usage:
        """The sum over all steps."""
        billed = [step.usage for step in self.steps]
        return Usage(*(sum(parts) for parts in zip(*map(msgspec.structs.astuple, billed), strict=True)))

    @property
    def cost(self) -> float:
        """In uncached input tokens."""
        return sum(step.cost for step in self.steps)

    @property
    def usd(self) -> float | None:
        return None if self.input_usd is None else self.cost * self.input_usd / 1e6

    @property
    def sent(self) -> int:
        """Bytes of all requests."""
        return sum(step.sent for step in self.steps)

    @property
    def folds(self) -> int:
        """How often the fold point moved."""
        return sum(step.moved for step in self.steps)

    @property
    def prefix_kept(self) -> float:
        """The share of each prompt that the next one began with, byte for byte; 1.0 where nothing was moved."""
        before = sum(step.before for step in self.steps)
        return sum(step.kept for step in self.steps) / before if before else 1.0

    @property
    def path(self) -> tuple[int, ...]:
        """Turns sealed at each step."""
        return tuple(step.sealed for step in self.steps)


def replay(
    bodies: Iterable[bytes],
    surface: str,
    engine: Engine | None = None,
    rules: Rules | None = None,
    seconds: float = SECONDS,
) -> Replay:
    """Send a session's bodies, folded by the engine (None: as they are), to a cache that was cold.

    `rules` are the cache's where not the model's own; `seconds` lie between two steps. Raises Unreadable.
    """
    steps, last, cache, usd = list[Step](), b"", None, None
    for number, body in enumerate(bodies):
        if cache is None:
            model = surface_named(surface).read(body).model
            cache, usd = Cache(rules or rules_of(surface, model)), input_price(model)
        folded = engine.fold(body, surface) if engine else Folded(body, Receipt("no_op", ""))
        found = segments(surface, folded.body)
        prompt = b"".join([segment.content for segment in found])
        billed = charge(found, cache, number * seconds)
        steps.append(
            Step(
                sent=len(folded.body),
                usage=billed.usage,
                cost=cache.cost(billed),
                sealed=folded.receipt.sealed,
                moved=folded.receipt.moved,
                before=len(last),
                kept=shared(last, prompt),
            )
        )
        last = prompt
    return Replay(tuple(steps), usd)


def input_price(model: str) -> float | None:
    """USD per million uncached input tokens, where the model is in the price table."""
    rates = known_rates(model)
    return rates.input_usd if rates else None


def shared(one: bytes, other: bytes) -> int:
    """Bytes of the longest common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
