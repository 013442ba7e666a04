"""What was asked and what became of it: readable in process and at `/simulate/log`."""

from collections import Counter, deque
from typing import Any, Literal

import msgspec

from foldpoint.lab.cache import Charge

KEPT = 1000
Outcome = Literal["answered", "refused", "fault", "cut", "left"]


class Exchange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request. `left`: the client went before the answer was whole. `body`, `headers`: only where they are kept."""

    number: int
    method: str
    path: str
    status: int
    outcome: Outcome
    surface: str = ""
    model: str = ""
    stream: bool = False
    message: str = ""
    charge: Charge | None = None
    output: int = 0
    cost: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Ledger:
    """The last exchanges, and the sums over all of them."""

    def __init__(self) -> None:
        self.exchanges: deque[Exchange] = deque(maxlen=KEPT)
        self.requests = 0
        self.outcomes: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()
        self.cost = 0.0

    def add(self, exchange: Exchange) -> None:
        """Write one exchange down."""
        self.exchanges.append(exchange)
        self.requests += 1
        self.outcomes[exchange.outcome] += 1
        if exchange.outcome == "refused":
            self.refused[exchange.message] += 1
        if exchange.charge is not None:
            self.totals.update(figures(exchange.charge, exchange.output))
            self.cost += exchange.cost

    def summary(self) -> dict[str, Any]:
        """The sums and the exchanges (without bodies and headers) as JSON has them."""
        plain = [msgspec.structs.replace(exchange, headers=(), body=b"") for exchange in self.exchanges]
        return {
            "requests": self.requests,
            "outcomes": dict(self.outcomes),
            "refused": dict(self.refused),
            "usage": dict(self.totals),
            "cost": self.cost,
            "exchanges": msgspec.to_builtins(plain),
        }


def figures(charge: Charge, output: int) -> dict[str, int]:
    """The figures that are summed."""
    usage = charge.usage
    return {
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "cache_write_1h": charge.write_1h,
        "output": output,
    }
