"""The trajectory fold: what becomes of one transcript, as a plan."""

from collections.abc import Sequence

import msgspec

from ..core.edit import Layout
from ..core.policy import Trajectory
from ..core.ports import Surface
from ..core.receipt import Verdict
from ..pricing.gate import Gate
from .check import fault
from .epoch import State, replayed, start
from .guard import loops
from .ledger import Ledger
from .placing import laid_out
from .sliding_window import windowed

SETTLED = 3
"""A replay is taken up again this many turns back: what a client still changes (its cache marks) lies behind that."""


class Plan(msgspec.Struct, frozen=True):
    """What is to be sent: verdict and reason, where the fold stands, and the folded list (None = the request as it is).

    settled: a state some turns back, from which the next request's replay may go on; size: bytes of the list sent;
    sealed: turns that the replay seals, where what is sent is not what it says.
    """

    verdict: Verdict
    reason: str
    state: State
    settled: State
    layout: Layout | None
    size: int
    sealed: int = 0

    @property
    def folds(self) -> bool:
        """Does the replay fold, whatever is sent?"""
        return max(self.sealed, self.state.sealed) > 0


def planned(
    surface: Surface, items: Sequence[bytes], ledger: Ledger, policy: Trajectory, gate: Gate, before: Plan | None = None
) -> Plan:
    """Plan one request. `before`: the plan of an earlier request of the same transcript, taken up where it holds."""
    none = State(behind=ledger.behind)
    if not _answered(ledger) or (ledger.texts(ledger.count) and not policy.fold_text_trajectories):
        return Plan("skipped", "not_a_trajectory", none, none, None, ledger.size)
    holds = before is not None and 0 < before.settled.turn <= ledger.known
    settled, state = _stand(ledger, policy, gate, before.settled if before and holds else start(ledger))
    if loops(surface, items, ledger, policy.max_tool_repeats):
        return _refused(ledger, policy, gate, state, settled)
    if not state.sealed:
        return Plan("no_op", "not_worth_it" if state.held else "first_epoch", state, settled, None, ledger.size)
    return _checked(ledger, policy, gate, state, settled, before)


def _stand(ledger: Ledger, policy: Trajectory, gate: Gate, settled: State) -> tuple[State, State]:
    last = ledger.count
    if policy.strategy == "sliding_window":
        return settled, windowed(ledger, policy, last)
    settled = replayed(ledger, policy, gate, settled, max(settled.turn, last - SETTLED))
    return settled, replayed(ledger, policy, gate, settled, last)


def _answered(ledger: Ledger) -> bool:
    """Is there an action that anything answers?"""
    return ledger.count > 0 and ledger.views[ledger.starts[1] - 1].role != "assistant"


def _checked(ledger: Ledger, policy: Trajectory, gate: Gate, state: State, settled: State, before: Plan | None) -> Plan:
    layout = _layout(ledger, state, before)
    size = sent(ledger, state, layout)
    failed = fault(ledger, layout, policy.keep_recent_turns)
    if failed:
        return _older(ledger, policy, gate, state, settled, failed)
    plan = Plan("compacted", "fold_moved" if state.moved else "checkpoint", state, settled, layout, size)
    if size >= ledger.size:
        return not_smaller(plan, ledger)
    return plan


def _refused(ledger: Ledger, policy: Trajectory, gate: Gate, state: State, settled: State) -> Plan:
    """A loop is served unfolded, but where that would cross the model's window."""
    crosses = gate.window is not None and ledger.size > gate.window * policy.bytes_per_token
    if crosses and state.sealed:
        layout = laid_out(ledger, state)
        if not fault(ledger, layout, policy.keep_recent_turns):
            return Plan("refused", "tool_loop", state, settled, layout, sent(ledger, state, layout))
    return Plan("refused", "tool_loop", State(), settled, None, ledger.size, state.sealed)


def _layout(ledger: Ledger, state: State, before: Plan | None) -> Layout:
    """The folded list; that of the request before where the fold stands as it did (it names places, no content)."""
    if before is None or before.layout is None or ledger.binds or not ledger.known:
        return laid_out(ledger, state)
    stands = before.layout.tail == ledger.starts[state.sealed] and before.verdict == "compacted"
    same = stands and before.state.folds == state.folds and before.state.images == state.images
    return before.layout if same else laid_out(ledger, state)


def _older(ledger: Ledger, policy: Trajectory, gate: Gate, state: State, settled: State, failed: str) -> Plan:
    """The newest earlier state of the replay that passes, or the request as it is."""
    turns = [fold.turn for fold in state.folds[:-1]] if policy.strategy == "epoch" else []
    for turn in reversed(turns):
        older = replayed(ledger, policy, gate, start(ledger), turn)
        older = msgspec.structs.replace(older, turn=state.turn, held=state.held)
        layout = laid_out(ledger, older)
        if not fault(ledger, layout, policy.keep_recent_turns):
            return Plan("failed", f"check:{failed}", older, settled, layout, sent(ledger, older, layout))
    return Plan("failed", f"check:{failed}", State(), settled, None, ledger.size, state.sealed)


def unfolded(ledger: Ledger) -> Plan:
    """The plan of a request that nobody wants folded."""
    none = State(behind=ledger.behind)
    return Plan("no_op", "nothing_long", none, none, None, ledger.size)


def not_smaller(plan: Plan, ledger: Ledger) -> Plan:
    """The plan of a request that folding would not make shorter."""
    return Plan("no_op", "not_smaller", plan.state, plan.settled, None, ledger.size)


def sent(ledger: Ledger, state: State, layout: Layout) -> int:
    """Bytes of the folded list."""
    unthought = [ledger.views[slot.item].thinking for slot in layout.slots if slot.unthought and slot.item is not None]
    kept = ledger.full[-1] - ledger.full[state.sealed]
    return ledger.head_size + state.prefix + state.images.size + kept - sum(unthought)
