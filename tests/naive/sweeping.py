"""Sweep sources through one engine a policy, and gather what does not hold."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from foldpoint.core.receipt import Receipt
from foldpoint.engine import Engine

from .invariants import Body, violations
from .policies import POLICIES
from .sources import Source
from .steps import follows, step_violations


def digest(data: bytes) -> str:
    """Short digest of a body."""
    return sha256(data).hexdigest()[:16]


class Sweep:
    """What a sweep found: `problems`, `counts`, and a digest for each folded body."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.counts: Counter[str] = Counter()
        self.digests: dict[str, str] = {}
        self.engines = {name: Engine(policy) for name, policy in POLICIES.items()}

    def run(self, sources: Iterable[Source]) -> "Sweep":
        for source in sources:
            self.counts["sources"] += 1
            self.source(source)
        return self

    def source(self, source: Source) -> None:
        """Fold each step under each policy; look at it alone and beside the step before it."""
        before: Body | None = None
        old: dict[str, tuple[Body, Receipt]] = {}
        for step, data in enumerate(source.steps):
            body = Body(source.surface, data, source.path)
            goes_on = before is not None and follows(before, body)
            for name, engine in self.engines.items():
                folded = engine.fold(data, source.surface, source.path)
                two = body if folded.body is data else Body(source.surface, folded.body, source.path)
                place = f"{source.name} {source.surface} {step} {name}"
                self.digests[place] = digest(folded.body)
                self.note(place, violations(body, two, folded.receipt))
                self.counts["folded"] += folded.body is not data
                self.counts["moves"] += folded.receipt.moved
                if goes_on and before is not None:
                    stood, receipt = old[name]
                    self.counts["steps"] += 1
                    self.counts["stood"] += receipt.sealed == folded.receipt.sealed > 0
                    self.note(place, step_violations(before, stood, receipt, body, two, folded.receipt))
                old[name] = (two, folded.receipt)
            self.counts["bodies"] += 1
            before = body

    def note(self, place: str, problems: list[str]) -> None:
        self.problems += [f"{place}: {problem}" for problem in problems]
