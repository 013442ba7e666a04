"""The waist: a body comes in, a folded body and its receipt go out. Every guest comes through this door."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from .core.edit import Layout
from .core.errors import Unreadable, fault_of
from .core.hidden import Hidden
from .core.policy import Policy, Trajectory
from .core.ports import Names, Request, Surface
from .core.receipt import Receipt
from .core.transcript import Limits, View
from .pricing.catalog import gate_rates, rates_of
from .pricing.gate import Gate
from .skills.digest import CHECKPOINT_HEX, checkpoint_of, opening_of
from .skills.evidence import extract
from .skills.figures import passed_on, received
from .skills.ledger import Ledger
from .skills.memo import Copy, Known, Memo, key_of, viewed
from .skills.trajectory import Plan, not_smaller, planned
from .surfaces import surface_named
from .surfaces.objects import as_item, as_object, holds_bytes
from .surfaces.splice import front_of, spliced, written

MOST_MESSAGES = 20_000
"""Messages above which a body is passed on: reading it would keep a gateway's other requests waiting."""
MODELS, LONGEST_NAME = 1_000, 200
"""Models whose terms are remembered, and characters of a name: they come from outside, so neither may grow."""


class Folded(msgspec.Struct, frozen=True):
    """A folded request.

    body: what to send; the caller's own object where nothing changed. opening: 16 hex of the normalised opening
    messages, the same for every request of a transcript; empty where the body could not be read. model: as it is named.
    names: what in the body may name its session; None where the body could not be read. fault: where and what a fault
    of ours was (reason `internal`), for a log. rebound: the model binds thinking to its prefix and the transcript is
    one that is folded, so some thinking of the request may be of another prefix (`surfaces.binding` says what to do).
    hidden: the caller's items whose results this request hides and the one before did not.
    """

    body: bytes
    receipt: Receipt
    opening: str = ""
    model: str = ""
    names: Names | None = None
    fault: str = ""
    rebound: bool = False
    hidden: tuple[Hidden, ...] = ()


class Engine:
    """Folds requests under one policy and remembers their transcripts; forgetting changes no byte.

    Args:
        policy: what to fold and how.
        clock: nanoseconds, for `receipt.fold_ns` alone, such as `time.perf_counter_ns`.
        memo: where transcripts are remembered; engines of several policies may share one, and its bounds.
    """

    def __init__(
        self, policy: Policy = Policy(), *, clock: Callable[[], int] = lambda: 0, memo: Memo | None = None
    ) -> None:
        self.policy = policy
        self._clock = clock
        self._memo = Memo() if memo is None else memo
        self._owner = sha256(msgspec.json.encode(policy)).hexdigest()
        self._models: dict[str, tuple[Gate, bool]] = {}

    def fold(self, body: bytes, surface: str, path: str | None = None, *, tenant: str = "local") -> Folded:
        """Fold a request body of a surface. A body that can't be folded is passed on, and the receipt says why.

        Args:
            body: the request body; `path` is where it was sent to: some surfaces name the model there.
            tenant: whose transcripts are remembered together.

        Raises:
            UnknownSurface: for a wrong name. Nothing for any bytes.
            TypeError: for a body that is no bytes.
        """
        format_ = surface_named(surface)
        if not isinstance(body, bytes):
            raise TypeError(f"a body is bytes, not {type(body).__name__}; encode a text, wrap a buffer in bytes()")
        policy = self.policy.agent_trajectory_compaction
        if policy.mode == "off":
            return Folded(body, Receipt("no_op", "", bytes_before=len(body), bytes_after=len(body)))
        started = self._clock()
        request = None
        try:
            request = format_.read(body, path or "")
            folded = self._fold(request, format_, policy, tenant)
        except Unreadable:
            folded = Folded(body, passed_on(body, "skipped", "unreadable", policy))
        except Exception as error:  # noqa: BLE001  a broken fold never breaks a request
            folded = Folded(body, passed_on(body, "failed", "internal", policy), fault=fault_of(error))
        return Folded(
            folded.body,
            msgspec.structs.replace(folded.receipt, fold_ns=self._clock() - started),
            folded.opening,
            request.model if request else "",
            request.names if request else None,
            folded.fault,
            folded.rebound or (request is not None and _unplanned(folded.receipt, request.model)),
        )

    def _fold(self, request: Request, surface: Surface, policy: Trajectory, tenant: str) -> Folded:
        body = request.body
        if len(request.items) > MOST_MESSAGES:
            return Folded(body, passed_on(body, "skipped", "too_large", policy, len(request.items)))
        if request.state:
            return Folded(body, passed_on(body, "skipped", "provider_state", policy, len(request.items)))
        known, plan = self._planned(request, surface, policy, tenant)
        folded = spliced(request, known.front, known.layout.tail) if known.layout else body
        if len(folded) > len(body):
            folded, plan = body, not_smaller(plan, known.ledger)
        receipt = received(request, known.ledger, plan, policy, folded, known.checkpoint[:CHECKPOINT_HEX])
        rebound = known.ledger.binds and plan.folds
        return Folded(body if policy.mode == "shadow" else folded, receipt, known.opening, rebound=rebound)

    def _planned(self, request: Request, surface: Surface, policy: Trajectory, tenant: str) -> tuple[Known, Plan]:
        key = key_of((self._owner, tenant, surface.name, short(request.model)), request.items)
        known = self._memo.get(key)
        views, spelled, same = viewed(surface, request.items, limits_of(policy), known)
        gate, binds = self._terms(request.model)
        ledger = Ledger(
            views, surface.shape, known.ledger if known else None, same, recall=policy.recall_hint, binds=binds
        )
        plan = planned(surface, request.items, ledger, policy, gate, known.plan if known else None)
        copy = Copy(request.items, known.items if known else None, spelled)
        digests = _digests(surface, request.items, ledger, plan, known, spelled)
        now = Known(copy, ledger, plan, *digests, *_front(surface, request, views, plan, policy, known, spelled))
        self._memo.put(key, now)
        return now, plan

    def _terms(self, model: str) -> tuple[Gate, bool]:
        """The gate at the model's prices, and whether the model binds thinking to its prefix."""
        if len(model) > LONGEST_NAME:
            return terms_of(self.policy.agent_trajectory_compaction, model)
        if model not in self._models:
            if len(self._models) >= MODELS:
                self._models.clear()
            self._models[model] = terms_of(self.policy.agent_trajectory_compaction, model)
        return self._models[model]


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


def short(name: str) -> str:
    """A name, or a digest of one that is too long to be remembered."""
    return name if len(name) <= LONGEST_NAME else sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _unplanned(receipt: Receipt, model: str) -> bool:
    """Did nobody look whether the transcript is folded, on a model that binds thinking to its prefix?"""
    return receipt.reason in ("internal", "too_large") and rates_of(model).binds_thinking


def limits_of(policy: Trajectory) -> Limits:
    """The lengths that a policy gives the parts of a line."""
    finder = extract if policy.extract == "evidence" else None
    return Limits(head=policy.tool_result_head_chars, verbatim=policy.verbatim_chars, finder=finder)


def gate_of(policy: Trajectory, model: str) -> Gate:
    """The gate of a policy at a model's prices."""
    rates = gate_rates(model, policy.pricing, policy.horizon == "adaptive" and policy.payback_turns is None)
    return Gate(
        rates.read_units,
        rates.write_units,
        policy.horizon,
        policy.expected_task_steps,
        policy.payback_turns,
        rates.edge if policy.pricing else None,
        rates.window if policy.pricing else None,
    )


def terms_of(policy: Trajectory, model: str) -> tuple[Gate, bool]:
    """The gate of a policy at a model's prices, and whether the model binds thinking to its prefix."""
    return gate_of(policy, model), rates_of(model).binds_thinking


def fold(body: bytes, surface: str, policy: Policy = Policy(), path: str | None = None) -> Folded:
    """Fold one request body; `Engine` does the same and remembers."""
    return Engine(policy).fold(body, surface, path)


def fold_messages(messages: Sequence[Any], surface: str, policy: Policy = Policy()) -> list[Any]:
    """Fold a list of a framework's message objects; every message that is kept is the caller's own object.

    Messages are dicts (or pydantic models) in the surface's format. What can't be folded comes back as it is.
    """
    format_, trajectory = surface_named(surface), policy.agent_trajectory_compaction
    if trajectory.mode != "prod":
        return list(messages)
    try:
        return _folded_objects(messages, format_, trajectory)
    except Exception:  # noqa: BLE001  a broken fold never breaks an agent
        return list(messages)


def _folded_objects(messages: Sequence[Any], surface: Surface, policy: Trajectory) -> list[Any]:
    items = [as_item(message) for message in messages]
    ledger = Ledger([surface.view(item, limits_of(policy)) for item in items], surface.shape, recall=policy.recall_hint)
    plan = planned(surface, items, ledger, policy, gate_of(policy, ""))
    if plan.layout is None:
        return list(messages)
    blobs = any(map(holds_bytes, messages))
    folded = [
        messages[slot.item] if slot.item is not None and not slot.added else as_object(item, blobs)
        for slot, item in zip(plan.layout.slots, written(surface, items, plan.layout), strict=True)
    ]
    return [*folded, *messages[plan.layout.tail :]]
