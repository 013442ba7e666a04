"""The waist: a body comes in, a folded body and its receipt go out. Every guest comes through this door."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from .core.errors import Unreadable, fault_of
from .core.hidden import Hidden
from .core.policy import Policy, Trajectory
from .core.ports import Names, Request, Surface
from .core.receipt import Receipt
from .pricing.catalog import gate_rates, rates_of
from .pricing.gate import Gate
from .skills.figures import passed_on
from .skills.item_list import folded_items
from .skills.memo import Memo, key_of
from .skills.pipeline import Pipeline
from .surfaces import surface_named
from .surfaces.objects import as_item, as_object, holds_bytes

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
    hidden: the caller's items that this request shows less of, and the one before it did not (none where it is not
    remembered what that showed: then all are in it).
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
        self._owner = sha256(msgspec.json.encode(policy)).hexdigest()
        self._memo = Memo() if memo is None else memo
        self._pipeline = Pipeline(policy, self._memo, self._owner)
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
        if self.policy.mode == "off":
            return Folded(body, Receipt("no_op", "", bytes_before=len(body), bytes_after=len(body)))
        started = self._clock()
        request = None
        try:
            request = format_.read(body, path or "")
            folded = self._fold(request, format_, tenant)
        except Unreadable:
            folded = Folded(body, passed_on(body, "skipped", "unreadable", self.policy))
        except Exception as error:  # noqa: BLE001  a broken fold never breaks a request
            folded = Folded(body, passed_on(body, "failed", "internal", self.policy), fault=fault_of(error))
        return msgspec.structs.replace(
            folded,
            receipt=msgspec.structs.replace(folded.receipt, fold_ns=self._clock() - started),
            model=request.model if request else "",
            names=request.names if request else None,
            rebound=folded.rebound or (request is not None and _unplanned(folded.receipt, request.model)),
        )

    def _fold(self, request: Request, surface: Surface, tenant: str) -> Folded:
        body, messages = request.body, len(request.items)
        if messages > MOST_MESSAGES:
            return Folded(body, passed_on(body, "skipped", "too_large", self.policy, messages))
        if request.state:
            return Folded(body, passed_on(body, "skipped", "provider_state", self.policy, messages))
        key = key_of((self._owner, tenant, surface.name, short(request.model)), request.items)
        done = self._pipeline.run(request, surface, key, *self._terms(request.model))
        return Folded(done.body, done.receipt, done.opening, rebound=done.rebound, hidden=done.hidden)

    def _terms(self, model: str) -> tuple[Gate, bool]:
        """The gate at the model's prices, and whether the model binds thinking to its prefix."""
        if len(model) > LONGEST_NAME:
            return terms_of(self.policy.agent_trajectory_compaction, model)
        if model not in self._models:
            if len(self._models) >= MODELS:
                self._models.clear()
            self._models[model] = terms_of(self.policy.agent_trajectory_compaction, model)
        return self._models[model]


def short(name: str) -> str:
    """A name, or a digest of one that is too long to be remembered."""
    return name if len(name) <= LONGEST_NAME else sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _unplanned(receipt: Receipt, model: str) -> bool:
    """Did nobody look whether the transcript is folded, on a model that binds thinking to its prefix?"""
    return receipt.reason in ("internal", "too_large") and rates_of(model).binds_thinking


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
    format_ = surface_named(surface)
    if "prod" not in policy.modes.values():
        return list(messages)
    try:
        return _folded_objects(messages, format_, policy)
    except Exception:  # noqa: BLE001  a broken fold never breaks an agent
        return list(messages)


def _folded_objects(messages: Sequence[Any], surface: Surface, policy: Policy) -> list[Any]:
    items = [as_item(message) for message in messages]
    done = folded_items(surface, items, policy, gate_of(policy.agent_trajectory_compaction, ""))
    blobs = any(map(holds_bytes, messages))
    return [messages[at] if at is not None else as_object(item, blobs) for at, item in done]
