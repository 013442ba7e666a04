"""Receipts: the figures of a plan."""

from math import ceil

from ..core.policy import Trajectory
from ..core.ports import Request
from ..core.receipt import Receipt, Stage, Verdict
from .ledger import Ledger
from .trajectory import Plan

SKILL = "agent_trajectory_compaction"


def passed_on(body: bytes, verdict: Verdict, reason: str, policy: Trajectory, messages: int = 0) -> Receipt:
    """The receipt of a body that goes on as it is without a plan."""
    return Receipt(
        verdict=verdict,
        reason=reason,
        strategy=policy.strategy,
        messages_before=messages,
        messages_after=messages,
        bytes_before=len(body),
        bytes_after=len(body),
        stages=(Stage(SKILL, verdict, 0, 0, ""),),
    )


def received(
    request: Request, ledger: Ledger, plan: Plan, policy: Trajectory, folded: bytes, checkpoint: str
) -> Receipt:
    """The receipt of a plan; `folded` is the body that prod sends."""
    shadow = policy.mode == "shadow"
    sealed, total = plan.state.sealed if plan.layout else 0, ledger.count
    checkpoint = checkpoint if plan.layout else ""
    verdict: Verdict = "would_compact" if shadow and plan.verdict == "compacted" else plan.verdict
    before, after = _tokens(ledger.size, policy), _tokens(plan.size, policy)
    messages = len(request.items)
    left = messages if plan.layout is None else len(plan.layout.slots) + messages - plan.layout.tail
    moved = plan.layout is not None and plan.state.moved
    return Receipt(
        verdict=verdict,
        reason=plan.reason,
        strategy=policy.strategy,
        sealed=sealed,
        total=total,
        messages_before=messages,
        messages_after=messages if shadow else left,
        bytes_before=len(request.body),
        bytes_after=len(request.body) if shadow else len(folded),
        tokens_before=before,
        tokens_after=before if shadow else after,
        tokens_saved=0 if shadow else before - after,
        tokens_would_save=before - after,
        checkpoint=checkpoint,
        write_tokens=_tokens(plan.state.folds[-1].rewritten, policy) if moved else 0,
        held=plan.state.held,
        moved=moved,
        stages=(Stage(SKILL, verdict, sealed, total, checkpoint),),
    )


def _tokens(size: int, policy: Trajectory) -> int:
    return ceil(size / policy.bytes_per_token)
