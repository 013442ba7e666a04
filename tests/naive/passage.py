"""The requests of one conversation as they were sent and as they arrived behind the gateway."""

from foldpoint.core.receipt import Receipt
from foldpoint.engine import Engine
from foldpoint.surfaces.binding import bound

from .invariants import Body, violations
from .steps import follows, step_violations


class Passage:
    """Checks request after request, each by itself and against the one before; the library folds alongside."""

    def __init__(self, engine: Engine, surface: str, path: str = "") -> None:
        self.engine, self.surface, self.path = engine, surface, path
        self.before: tuple[Body, Body, Receipt] | None = None
        self.stood = 0
        """Requests whose fold stands where the one before had it."""

    def problems(self, given: bytes, got: bytes, verdict: str) -> list[str]:
        """What does not hold of a request, of which `got` arrived and the client was told that verdict."""
        folded = self.engine.fold(given, self.surface, self.path)
        sent = bound(folded.body, self.surface, self.path)[0] if folded.rebound else folded.body
        found = [] if sent == got else ["another body arrived than the library makes and a binding model is asked with"]
        found += (
            [] if folded.receipt.verdict == verdict else [f"the verdict is {verdict}, not {folded.receipt.verdict}"]
        )
        one = Body(self.surface, given, self.path)
        two = one if folded.body == given else Body(self.surface, folded.body, self.path)
        found += violations(one, two, folded.receipt)
        if self.before and follows(self.before[0], one):
            found += step_violations(*self.before, one, two, folded.receipt)
            self.stood += folded.receipt.sealed == self.before[2].sealed > 0
        self.before = (one, two, folded.receipt)
        return found
