"""Send every step of every session down both ways, and keep the figures."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from foldpoint.core.errors import FoldpointError
from foldpoint.core.policy import Policy
from foldpoint.core.receipt import HEADER
from foldpoint.lab.cache import Rules, rules_of
from foldpoint.lab.replay import input_price
from foldpoint.lab.steps import with_member

from .figures import Figures, Path, Session
from .processes import Running, running
from .recordings import Recording, Skipped
from .route import PATHS, Answer, Route

Tick = Callable[[], Any]


def figures(
    found: Sequence[Recording], skipped: Sequence[Skipped], policy: Policy, model: str | None, merge_roles: bool
) -> Figures:
    """Replay every session. Raises FoldpointError where provider or gateway do not come up."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with running(policy, merge_roles) as ports, Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=sum(recording.steps for recording in found))
        sessions = []
        for number, recording in enumerate(found):
            bar.update(task, description=recording.name)
            sessions.append(compared(recording, ports, model, str(number), lambda: bar.advance(task)))
    return Figures(
        tuple(sessions), tuple(skipped), policy.agent_trajectory_compaction, any(one.marked for one in found)
    )


def compared(recording: Recording, ports: Running, model: str | None, number: str, tick: Tick) -> Session:
    """One session down both ways, in turn; it ends early where the provider refuses it."""
    asked = model or recording.model
    rules, usd = rules_of(recording.surface, asked), input_price(asked)
    direct, folded, folds = Path(), Path(), 0
    with (
        closing(Route(ports.provider, f"direct-{number}")) as plain,
        closing(Route(ports.gateway, f"folded-{number}")) as gateway,
    ):
        for step, body in enumerate(recording.bodies()):
            in_path = "{model}" in PATHS[recording.surface]
            sent = with_member(body, "model", msgspec.json.encode(model)) if model and not in_path else body
            try:
                one, other = both(plain, gateway, sent, recording.surface, asked, step)
            except FoldpointError as error:
                return session(
                    recording, asked, usd, direct, folded, folds, stopped=f"step {step}: {error}", failed=True
                )
            refused = stop_reason(one, other, step)
            if refused:
                return session(recording, asked, usd, direct, folded, folds, stopped=refused, failed=one.status == 200)
            direct, folded = direct.plus(one, cost(one, rules)), folded.plus(other, cost(other, rules), one)
            folds += other.headers.get(f"{HEADER}-reason") == "fold_moved"
            tick()
    return session(recording, asked, usd, direct, folded, folds)


def both(plain: Route, gateway: Route, body: bytes, surface: str, model: str, step: int) -> tuple[Answer, Answer]:
    """The answers of both ways; which goes first changes with every step, so that neither is favoured."""
    if step % 2:
        other = gateway.ask(body, surface, model)
        return plain.ask(body, surface, model), other
    return plain.ask(body, surface, model), gateway.ask(body, surface, model)


def stop_reason(direct: Answer, folded: Answer, step: int) -> str:
    """Why a session cannot go on behind these answers; empty where it can."""
    if direct.status != 200:
        return f"the provider refuses step {step} as it is ({direct.status}): {direct.message}"
    if folded.status != 200:
        return f"step {step} fails through the gateway alone ({folded.status}): {folded.message}"
    return ""


def cost(answer: Answer, rules: Rules) -> float:
    """The prompt's cost in uncached input tokens."""
    usage = answer.usage
    return usage.input + usage.cache_read * rules.read + usage.cache_write * rules.write


def session(
    recording: Recording,
    model: str,
    usd: float | None,
    direct: Path,
    folded: Path,
    folds: int,
    stopped: str = "",
    failed: bool = False,
) -> Session:
    """Make the session of a recording and its figures."""
    return Session(
        recording.name, recording.about, recording.surface, model, usd, direct, folded, folds, stopped, failed
    )
