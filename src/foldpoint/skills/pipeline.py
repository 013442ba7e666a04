"""The skills one behind the other: the cap, the fold planned on what it left, the stale rule on what the fold left."""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from ..core.edit import Layout
from ..core.hidden import Hidden
from ..core.policy import Policy, Trajectory
from ..core.ports import Request, Surface
from ..core.receipt import Receipt
from ..core.transcript import View
from ..pricing.gate import Gate
from ..surfaces.splice import front_of, spliced
from .digest import checkpoint_of, opening_of
from .figures import Tally, received
from .hiding import hidden
from .ledger import Ledger
from .limits import limits_of
from .memo import Copy, Key, Known, Memo, Text, looked_at, viewed
from .output_cap import capped
from .output_cap.applying import Callers, capped_item
from .rewriting import Cuts, rewritten
from .stale import old_until, stale_item
from .trajectory import Plan, not_smaller, planned, unfolded


class Piped(NamedTuple):
    """What the skills make of a request: the body to send, its receipt, and of the transcript what `Folded` says."""

    body: bytes
    receipt: Receipt
    opening: str
    rebound: bool
    hidden: tuple[Hidden, ...]


class Pipeline:
    """The skills of one policy; `memo` remembers transcripts and texts under `owner`."""

    def __init__(self, policy: Policy, memo: Memo, owner: str) -> None:
        self.policy, self._memo, self._owner = policy, memo, owner

    def run(self, request: Request, surface: Surface, key: Key, gate: Gate, binds: bool) -> Piped:
        """Apply them to one request of the transcript that is remembered under the key."""
        policy, known = self.policy, self._memo.get(key)
        cuts, given, same = self._capped(request, surface, known, key)
        shown = cuts if policy.tool_output_cap.mode == "prod" else {}
        cut = rewritten(request, {at: one.item for at, one in shown.items()})
        now, folded, spelled = self._folded(cut, surface, known, gate, binds)
        tail = now.layout.tail if now.layout and policy.agent_trajectory_compaction.mode == "prod" else 0
        now = self._aged(cut, surface, known, now, gate, tail)._replace(given=given, capped=cuts)
        self._memo.put(key, now)
        hides = hidden(request, known, now, policy, spelled if given is None else same)
        return self._sent(request, cut, now, folded, tail, hides)

    def _capped(
        self, request: Request, surface: Surface, known: Known | None, key: Key
    ) -> tuple[Cuts, Copy | None, int]:
        """What the cap makes of the items, a copy of these, and how many leading ones are as before."""
        policy, items = self.policy.tool_output_cap, request.items
        if policy.mode == "off":
            return {}, None, 0
        before = known.given if known else None
        same = before.leading(items) if before is not None else 0

        def capper(text: str, most: int, call_id: str) -> str:
            digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
            name = (self._owner, *key[1:2], most, call_id, digest)
            said = self._memo.text(name)
            if said is None:
                said = capped(text, most, call_id)
                self._memo.put(name, Text(said))
            return said

        callers = Callers(surface, items)
        cuts = looked_at(
            items,
            lambda at: capped_item(callers, at, policy, capper),
            before,
            known.capped if known else {},
            same,
            not policy.exempt_tools,
        )
        return cuts, Copy(items, before, same), same

    def _folded(
        self, request: Request, surface: Surface, known: Known | None, gate: Gate, binds: bool
    ) -> tuple[Known, bytes, int]:
        """The plan of the fold, the body that it makes of the request, and how many leading items are as before."""
        policy = self.policy.agent_trajectory_compaction
        views, spelled, same = viewed(surface, request.items, limits_of(policy), known)
        ledger = Ledger(
            views, surface.shape, known.ledger if known else None, same, recall=policy.recall_hint, binds=binds
        )
        if policy.mode == "off":
            plan = unfolded(ledger)
        else:
            plan = planned(surface, request.items, ledger, policy, gate, known.plan if known else None)
        copy = Copy(request.items, known.items if known else None, spelled)
        digests = _digests(surface, request.items, ledger, plan, known, spelled)
        now = Known(copy, ledger, plan, *digests, *_front(surface, request, views, plan, policy, known, spelled))
        folded = spliced(request, now.front, now.layout.tail) if now.layout else request.body
        if len(folded) <= len(request.body):
            return now, folded, spelled
        # Kept as it was planned: the next request's replay goes on from there.
        return now._replace(layout=None, front=b"", plan=not_smaller(plan, ledger)), request.body, spelled

    def _aged(
        self, request: Request, surface: Surface, known: Known | None, now: Known, gate: Gate, tail: int
    ) -> Known:
        """With what the stale rule makes of the items, and where it does."""
        policy, items = self.policy.stale_tool_output, request.items
        if policy.mode == "off":
            return now
        before = known.items if known else None
        same = before.leading(items) if before is not None else 0
        cuts = looked_at(
            items, lambda at: stale_item(surface, items[at], policy), before, known.stale if known else {}, same, True
        )
        return now._replace(stale=cuts, old=range(tail, max(tail, old_until(now.ledger, cuts, policy, gate))))

    def _sent(
        self,
        request: Request,
        cut: Request,
        now: Known,
        folded: bytes,
        tail: int,
        hides: tuple[Hidden, ...],
    ) -> Piped:
        """The body to send and what is said of it."""
        policy, fold = self.policy, self.policy.agent_trajectory_compaction
        old = {at: one for at, one in now.stale.items() if at in now.old}
        body = folded if fold.mode == "prod" and now.layout else cut.body
        if old and policy.stale_tool_output.mode == "prod":
            aged = rewritten(cut, {at: one.item for at, one in old.items()})
            body = spliced(aged, now.front, tail) if tail and now.layout else aged.body
        tallies = [
            Tally("tool_output_cap", policy.tool_output_cap.mode, *_tallied(now.capped)),
            Tally("stale_tool_output", policy.stale_tool_output.mode, *_tallied(old)),
        ]
        receipt = received(request, now, policy, body, tallies)
        return Piped(body, receipt, now.opening, now.ledger.binds and now.plan.folds, hides)


def _tallied(cuts: Cuts) -> tuple[int, int]:
    """How many results are shorter, and the bytes saved."""
    return sum([cut.results for cut in cuts.values()]), sum([cut.saved for cut in cuts.values()])


def _front(
    surface: Surface,
    request: Request,
    views: Sequence[View],
    plan: Plan,
    policy: Trajectory,
    known: Known | None,
    spelled: int,
) -> tuple[Layout | None, bytes]:
    """The layout with our breakpoint, and what is written in front of the tail; taken over where nothing changed."""
    layout = plan.layout
    if layout is None:
        return None, b""
    if policy.manage_breakpoints is not False:
        layout = surface.with_breakpoint(request, views, layout, policy.manage_breakpoints is True)
    if known and known.layout == layout and spelled >= layout.tail:
        return layout, known.front
    return layout, front_of(surface, request.items, layout)


def _digests(
    surface: Surface, items: Sequence[bytes], ledger: Ledger, plan: Plan, known: Known | None, spelled: int
) -> tuple[str, str]:
    """Opening digest and checkpoint; taken over where the bytes are the same: a view says less than they do."""
    opening = (
        known.opening
        if known and spelled >= ledger.head == known.ledger.head
        else opening_of(surface, items[: ledger.head])
    )
    if not plan.layout:
        return opening, ""
    folds, made = plan.state.folds, len(known.plan.state.folds) if known else 0
    if known and known.plan.layout and spelled >= known.plan.layout.tail and folds[:made] == known.plan.state.folds:
        return opening, checkpoint_of(surface, items, folds, (known.checkpoint, made))
    return opening, checkpoint_of(surface, items, folds)
