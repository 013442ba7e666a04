"""Which of the caller's items a request shows less of, and the one before did not."""

from collections.abc import Iterable
from itertools import chain

from ..core.hidden import Hidden
from ..core.policy import Policy
from ..core.ports import Request
from .memo import Known


def hidden(request: Request, known: Known | None, now: Known, policy: Policy, same: int) -> tuple[Hidden, ...]:
    """Those items, by their turns. `same`: leading items that the request before had, too: what is known may be of
    another transcript that begins alike."""
    sealed, cut, old = _hides(now, policy)
    if known is not None:
        was_sealed, was_cut, was_old = _hides(known, policy)
        if same >= was_sealed.stop:  # a request costs what is new in it
            sealed = range(max(sealed.start, min(was_sealed.stop, sealed.stop)), sealed.stop)
        before = [at for at in chain(was_cut, was_old) if at < same]
        cut, old = set(cut).difference(before), set(old).difference(before)
        sealed_before = range(was_sealed.start, min(was_sealed.stop, same))
        cut, old = ({at for at in each if at not in sealed_before} for each in (cut, old))
        found = {at for at in sealed if at not in sealed_before and _has_results(now, at)}.difference(before)
    else:
        found = {at for at in sealed if _has_results(now, at)}
    return _by_turn(request, now, found.union(cut, old))


def _hides(one: Known, policy: Policy) -> tuple[range, Iterable[int], Iterable[int]]:
    """The items of a request that are sealed, cut and stale in what is sent."""
    head, layout = one.ledger.head, one.layout
    folds = policy.agent_trajectory_compaction.mode == "prod" and layout is not None
    sealed = range(head, one.ledger.starts[one.plan.state.sealed] if folds else head)
    cut = one.capped.keys() if policy.tool_output_cap.mode == "prod" else ()
    ages = policy.stale_tool_output.mode == "prod"
    return sealed, cut, [at for at in one.stale if at in one.old] if ages else []


def _has_results(one: Known, at: int) -> bool:
    return bool(one.ledger.views[at].answers or one.ledger.views[at].results)


def _by_turn(request: Request, now: Known, found: Iterable[int]) -> tuple[Hidden, ...]:
    starts, turn, hidden = now.ledger.starts, 0, list[Hidden]()
    for at in sorted(found):
        while turn < len(starts) - 1 and starts[turn] <= at:
            turn += 1
        hidden.append(Hidden(turn, request.items[at]))
    return tuple(hidden)
