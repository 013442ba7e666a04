"""What the demo counts, and the sums over it."""

from collections.abc import Sequence

import msgspec

from foldpoint.core.policy import Trajectory
from foldpoint.core.usage import Usage

from .recordings import Skipped
from .route import Answer

OVERHEAD = "x-foldpoint-overhead-ms"


class Path(msgspec.Struct, frozen=True):
    """A session down one way. `cost` in uncached input tokens; `inside` and `added`: milliseconds of each request, as
    the gateway says and as the client measures beside the direct way."""

    steps: int = 0
    usage: Usage = Usage()
    cost: float = 0.0
    inside: tuple[float, ...] = ()
    added: tuple[float, ...] = ()

    def plus(self, answer: Answer, cost: float, direct: Answer | None = None) -> "Path":
        """With one more request; `direct` is the answer of the other way, where this one is the gateway's."""
        said = answer.headers.get(OVERHEAD)
        return Path(
            self.steps + 1,
            summed([self.usage, answer.usage]),
            self.cost + cost,
            (*self.inside, float(said)) if said else self.inside,
            (*self.added, answer.ms - direct.ms) if direct else self.added,
        )


class Session(msgspec.Struct, frozen=True):
    """A session down both ways. `stopped` says why it ended early; `failed`: for a fault of ours."""

    name: str
    about: str
    surface: str
    model: str
    input_usd: float | None
    direct: Path
    folded: Path
    folds: int
    stopped: str = ""
    failed: bool = False


class Figures(msgspec.Struct, frozen=True):
    """Everything. `marked`: automatic caching was turned on in some bodies."""

    sessions: tuple[Session, ...]
    skipped: tuple[Skipped, ...]
    policy: Trajectory
    marked: bool

    @property
    def replayed(self) -> list[Session]:
        """The sessions that sent anything."""
        return [session for session in self.sessions if session.direct.steps]

    @property
    def failed(self) -> bool:
        """Whether nothing was replayed, or a session ended for a fault of ours."""
        return not self.replayed or any(session.failed for session in self.sessions)

    @property
    def total(self) -> Session:
        """All sessions as one; its price is the cost's average, known where every session's is."""
        sessions = self.replayed
        direct = total([session.direct for session in sessions])
        folded = total([session.folded for session in sessions])
        return Session("all sessions", "", "", "", None, direct, folded, sum(session.folds for session in sessions))

    def usd(self, folded: bool) -> float | None:
        """The cost of all sessions in USD, where every model's price is known."""
        found = [in_usd(session, session.folded if folded else session.direct) for session in self.replayed]
        known = [cost for cost in found if cost is not None]
        return sum(known) if len(known) == len(found) else None


def total(paths: Sequence[Path]) -> Path:
    """Add up the ways of several sessions."""
    return Path(
        sum(path.steps for path in paths),
        summed([path.usage for path in paths]),
        sum(path.cost for path in paths),
        tuple(ms for path in paths for ms in path.inside),
        tuple(ms for path in paths for ms in path.added),
    )


def summed(usages: Sequence[Usage]) -> Usage:
    """Add up the bills."""
    parts = zip(*map(msgspec.structs.astuple, usages), strict=True)
    return Usage(*(sum(part) for part in parts))


def in_usd(session: Session, path: Path) -> float | None:
    """Price a way of the session in USD; None where its model has no known price."""
    return None if session.input_usd is None else path.cost * session.input_usd / 1e6


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value that `share` of the values do not exceed; None of none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else None
