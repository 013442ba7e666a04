"""A transcript in sizes: what the optimum and the replay of a gate are computed from."""

from itertools import pairwise

from foldpoint.core.text import MARKER
from foldpoint.core.transcript import BLOCK_SIZE, Limits
from foldpoint.skills.ledger import Ledger
from foldpoint.surfaces import surface_named

from .optimum import Sizes

LIMITS = Limits()


def ledger_of(body: bytes, surface: str, limits: Limits = LIMITS) -> Ledger:
    """The running sums of a request body's turns. Raises UnknownSurface, Unreadable."""
    format_ = surface_named(surface)
    return Ledger([format_.view(item, limits) for item in format_.read(body).items], format_.shape)


def sizes_of(body: bytes, surface: str, limits: Limits = LIMITS) -> Sizes:
    """The sizes of a request body, in bytes of normalised content; what stands beside the list as it is written."""
    request = surface_named(surface).read(body)
    ledger = ledger_of(body, surface, limits)
    listed = request.items.ends[-1] - request.items.starts[0] if request.items else 0
    lines = ledger.sealed[ledger.texts(ledger.count)]
    return Sizes(
        head=ledger.head_size,
        turns=tuple(after - before for before, after in pairwise(ledger.full)),
        lines=tuple(after - before for before, after in pairwise(lines)),
        outside=len(body) - listed,
        first_block=BLOCK_SIZE + len(ledger.opening),
        block=BLOCK_SIZE + len(MARKER),
    )
