"""What is sent upstream and what is said of it: off, shadow and prod, and the bodies that no skill can look into."""

from typing import Protocol

import msgspec

from foldpoint.core.hidden import Hidden
from foldpoint.core.policy import Mode, Policy
from foldpoint.core.ports import Names
from foldpoint.core.receipt import RESULTS_HEADERS, Receipt, Stage, Verdict
from foldpoint.skills.figures import strategy_of
from foldpoint.surfaces.binding import bound


class FoldedBody(Protocol):
    """What a fold gives back."""

    @property
    def body(self) -> bytes: ...

    @property
    def receipt(self) -> Receipt: ...

    @property
    def opening(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def names(self) -> Names | None: ...

    @property
    def fault(self) -> str: ...

    @property
    def rebound(self) -> bool: ...

    @property
    def hidden(self) -> tuple[Hidden, ...]: ...


class Folder(Protocol):
    """The engine as the gateway sees it."""

    def fold(self, body: bytes, surface: str, path: str | None = None, *, tenant: str = "local") -> FoldedBody: ...


class Consulted(msgspec.Struct, frozen=True):
    """The body to send and what the skill said of it. `receipt` is None where no skill was consulted (off).

    `rebound`: thinking in it may be of another prefix; `beta`: the beta that the body needs in a header, if any;
    `hidden`: the caller's items whose results it hides and the request before did not.
    """

    body: bytes
    receipt: Receipt | None = None
    opening: str = ""
    model: str = ""
    names: Names | None = None
    fault: str = ""
    rebound: bool = False
    beta: str = ""
    hidden: tuple[Hidden, ...] = ()


def consult(engine: Folder, mode: Mode, body: bytes, surface: str, path: str, tenant: str) -> Consulted:
    """Ask the engine, unless every skill is off. In shadow the engine gives the caller's body back."""
    if mode == "off":
        return Consulted(body)
    folded = engine.fold(body, surface, path, tenant=tenant)
    sent, beta, receipt = folded.body, "", folded.receipt
    if folded.rebound and mode == "prod":
        sent, beta = bound(sent, surface, path)
        receipt = msgspec.structs.replace(receipt, bytes_after=len(sent))
    return Consulted(
        sent, receipt, folded.opening, folded.model, folded.names, folded.fault, beta=beta, hidden=folded.hidden
    )


def measured(done: Consulted, content: bytes) -> Consulted:
    """The fold measured alone: the client signed the body as it is. What shadow says, with `signed` as its reason."""
    given = done.receipt
    if given is None or done.body is content:
        return done
    told = measured_alone(given.verdict)
    receipt = msgspec.structs.replace(
        given,
        verdict=told,
        reason="signed" if told == "would_compact" else given.reason,
        messages_after=given.messages_before,
        bytes_after=given.bytes_before,
        tokens_after=given.tokens_before,
        tokens_saved=0,
        stages=tuple(msgspec.structs.replace(stage, action=measured_alone(stage.action)) for stage in given.stages),
    )
    return msgspec.structs.replace(done, body=content, receipt=receipt, hidden=())


def measured_alone(verdict: Verdict) -> Verdict:
    """What is said where nothing is changed."""
    return "would_compact" if verdict == "compacted" else verdict


def is_folded(done: Consulted, content: bytes) -> bool:
    """Is another conversation sent than the client's? Where a fold failed or was refused, the one before may stand."""
    if done.receipt is None:
        return False
    verdict, sealed = done.receipt.verdict, done.receipt.sealed
    stands = verdict in ("failed", "refused") and sealed > 0 and done.body is not content
    shorter = any(stage.action == "compacted" for stage in done.receipt.stages if stage.skill in RESULTS_HEADERS)
    return verdict == "compacted" or stands or shorter


def skipped(policy: Policy, reason: str, size: int) -> Receipt | None:
    """The receipt of a body of `size` bytes (0: not known) that was passed on unread; None where no skill is on."""
    if policy.mode == "off":
        return None
    stages = tuple([Stage(skill, "skipped", 0, 0, "") for skill, mode in policy.modes.items() if mode != "off"])
    return Receipt("skipped", reason, strategy_of(policy), bytes_before=size, bytes_after=size, stages=stages)
