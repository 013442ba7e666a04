"""Receipts: the figures of what the skills did to a request."""

from math import ceil
from typing import NamedTuple

from ..core.policy import Mode, Policy
from ..core.ports import Request
from ..core.receipt import Receipt, Stage, Verdict
from .digest import CHECKPOINT_HEX
from .memo import Known

FOLD = "agent_trajectory_compaction"


class Tally(NamedTuple):
    """What a skill that shortens results did: its name and mode, how many are shorter, the bytes of text saved."""

    skill: str
    mode: Mode
    results: int
    saved: int

    @property
    def verdict(self) -> Verdict:
        """What is said of it."""
        return "no_op" if not self.results else "compacted" if self.mode == "prod" else "would_compact"


def passed_on(body: bytes, verdict: Verdict, reason: str, policy: Policy, messages: int = 0) -> Receipt:
    """The receipt of a body that goes on as it is without a plan."""
    return Receipt(
        verdict=verdict,
        reason=reason,
        strategy=strategy_of(policy),
        messages_before=messages,
        messages_after=messages,
        bytes_before=len(body),
        bytes_after=len(body),
        stages=tuple([Stage(skill, verdict, 0, 0, "") for skill, mode in policy.modes.items() if mode != "off"]),
    )


def strategy_of(policy: Policy) -> str:
    """The fold's strategy; empty where it is off."""
    trajectory = policy.agent_trajectory_compaction
    return "" if trajectory.mode == "off" else trajectory.strategy


def received(request: Request, now: Known, policy: Policy, sent: bytes, tallies: list[Tally]) -> Receipt:
    """The receipt of a request: `now` is what is planned, `sent` the body that is sent."""
    fold, plan, ledger = policy.agent_trajectory_compaction, now.plan, now.ledger
    layout, prod = plan.layout, fold.mode == "prod"
    sealed, total = plan.state.sealed if layout else 0, ledger.count
    checkpoint = now.checkpoint[:CHECKPOINT_HEX] if layout else ""
    messages = len(request.items)
    left = messages if layout is None else len(layout.slots) + messages - layout.tail
    moved = layout is not None and plan.state.moved
    on = [tally for tally in tallies if tally.mode != "off"]
    cut = sum([tally.saved for tally in on if tally.skill == "tool_output_cap" and tally.mode == "prod"])
    size = ledger.size + cut
    saved = sum([tally.saved for tally in on if tally.mode == "prod"]) + (ledger.size - plan.size if prod else 0)
    would = sum([tally.saved for tally in on]) + ledger.size - plan.size
    verdict, reason = _said(policy, now, on)
    stages = [Stage(tally.skill, tally.verdict, tally.results, now.results, "") for tally in on]
    if fold.mode != "off":
        stages.insert(0, Stage(FOLD, verdict, sealed, total, checkpoint))
    before, after, least = (ceil(each / fold.bytes_per_token) for each in (size, size - saved, size - would))
    return Receipt(
        verdict=verdict,
        reason=reason,
        strategy=strategy_of(policy),
        sealed=sealed,
        total=total,
        messages_before=messages,
        messages_after=left if prod else messages,
        bytes_before=len(request.body),
        bytes_after=len(sent),
        tokens_before=before,
        tokens_after=after,
        tokens_saved=before - after,
        tokens_would_save=before - least,
        checkpoint=checkpoint,
        write_tokens=ceil(plan.state.folds[-1].rewritten / fold.bytes_per_token) if moved else 0,
        held=plan.state.held,
        moved=moved,
        stages=tuple(stages),
    )


def _said(policy: Policy, now: Known, tallies: list[Tally]) -> tuple[Verdict, str]:
    """Verdict and reason: the fold's, or where that is off, those of the other skills."""
    mode, verdict = policy.agent_trajectory_compaction.mode, now.plan.verdict
    if mode == "off":
        said = [tally.verdict for tally in tallies if tally.results]
        best: Verdict = "compacted" if "compacted" in said else "would_compact" if said else "no_op"
        return best, "shortened" if said else now.plan.reason
    return ("would_compact" if mode == "shadow" and verdict == "compacted" else verdict), now.plan.reason
