"""What is remembered of one request: one field for each column of the store."""

import msgspec

from .usage import Usage

CLIENT_LEFT = 499
"""The status of a request whose client left while it was answered."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it went through the gateway.

    `time` is seconds since the epoch (UTC) when the request came in, `overhead_us` the microseconds that we took,
    `upstream_ms` the milliseconds until the upstream's answer ended, `status` what the client got (0: it left before an
    answer, `CLIENT_LEFT`: in the middle of one). `usage` is what the upstream billed, None where it did not say. `cost`
    is what the prompt cost in USD and `cost_without` an estimate of what it would have cost unfolded; None where the
    model's price is not known.
    """

    id: str
    time: float
    tenant: str = "local"
    key: str = ""
    session: str = ""
    transcript: str = ""
    surface: str = ""
    model: str = ""
    mode: str = ""
    verdict: str = ""
    reason: str = ""
    strategy: str = ""
    sealed: int = 0
    total: int = 0
    messages_before: int = 0
    messages_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    tokens_saved: int = 0
    tokens_would_save: int = 0
    checkpoint: str = ""
    write_tokens: int = 0
    held: int = 0
    overhead_us: int = 0
    upstream_ms: float = 0.0
    status: int = 0
    usage: Usage | None = None
    cost: float | None = None
    cost_without: float | None = None
    messages_compacted_count: int = 0
