"""Requests that ended, as observers see them."""

from typing import Any

from foldpoint.core.receipt import Receipt, Stage
from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.telemetry.observed import Observed

ID = "0199d2c4-6f00-7a3b-8c4d-5e6f708192a3"
USAGE = Usage(input=100, cache_read=900, cache_write=50, output=20)
STAGE = Stage("agent_trajectory_compaction", "compacted", 9, 13, "0123456789ab")
RECEIPT = Receipt(
    verdict="compacted",
    reason="fold_moved",
    sealed=9,
    total=13,
    tokens_before=3000,
    tokens_after=1000,
    tokens_saved=2000,
    tokens_would_save=2000,
    checkpoint="0123456789ab",
    write_tokens=70,
    held=1,
    moved=True,
    fold_ns=2_000_000,
    stages=(STAGE,),
)
FIGURES = {
    name: getattr(RECEIPT, name) for name in Record.__struct_fields__ if name in Receipt.__struct_fields__
}  # fmt: skip


def record(**fields: Any) -> Record:
    """A folded request of Anthropic's that took 4 ms of ours and a second of the provider's."""
    given = {
        "id": ID,
        "time": 1_000.0,
        "tenant": "acme",
        "key": "key_1",
        "session": "s-1",
        "transcript": "agent-2:abcdef",
        "surface": "anthropic",
        "model": "claude-sonnet-5-20260101",
        "mode": "prod",
        "overhead_us": 4000,
        "upstream_ms": 1000.0,
        "status": 200,
        "usage": USAGE,
        "cost": 0.25,
        "cost_without": 1.0,
        "messages_compacted_count": 5,
        **FIGURES,
        **fields,
    }
    return Record(**given)


def seen(receipt: Receipt | None = RECEIPT, key: str = "ci", **fields: Any) -> Observed:
    """That request as it is observed; fields of `Observed` go to it, all others to the record."""
    of_it = {name: fields.pop(name) for name in Observed.__struct_fields__ if name in fields}
    given = {"upstream": "anthropic", "address": "https://api.anthropic.com", **of_it}
    return Observed(record=record(**fields), receipt=receipt, key=key, **given)


def row(model: str) -> str | None:
    """A price table of one row."""
    return "claude-sonnet-5" if model.startswith("claude-sonnet-5") else None
