"""The figures for a person, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape

from .figures import Figures, Path, Session, in_usd, percentile

HEAD = ("steps", "folds", "sent", "cached", "written", "cost", "saved", "gateway ms", "added ms")
WIDTHS = (6, 6, 8, 8, 8, 9, 6, 11, 11)
CLOSING = """[bold]What this says.[/] Each request of a session was sent twice, byte for byte as its agent sends it: \
straight to the provider ([bold]direct[/]) and through the gateway ([bold]folded[/]). The provider is simulated: it \
bills by byte-exact prefix under the real cache rules and list prices; output tokens cost the same both ways and are \
left out. [bold]sent[/], [bold]cached[/] (read from the cache) and [bold]written[/] (into it) are tokens; a cost \
without $ is in uncached input tokens, where a model has no known price. Cached tokens cost a tenth or less on most \
models, so cost falls less than tokens do; a fold pays for what it rewrites, and the gate waits until that is worth it.\
 [bold]gateway ms[/] (median/99 %) is what the gateway adds to a request by itself, [bold]added ms[/] what the client \
measures, the simulated provider's shorter work on a folded prompt included.

[bold]Your own agent.[/] Run [bold]foldpoint serve[/], then one of
  export ANTHROPIC_BASE_URL=http://127.0.0.1:4600/anthropic
  export OPENAI_BASE_URL=http://127.0.0.1:4600/v1
  export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4600/gemini
  export AWS_ENDPOINT_URL_BEDROCK_RUNTIME=http://127.0.0.1:4600/bedrock
Your own request bodies: [bold]foldpoint demo --logs PATH[/] (files or folders)."""
MARKED = (
    "Recorded bodies bear the cache marks of their last moment only: automatic caching (a top-level cache_control) was "
    "turned on in the earlier steps, for both ways alike."
)


def printed(figures: Figures, console: Console | None = None) -> None:
    """The table, what was left out, and what the numbers mean."""
    out = console or Console()
    for line in lines(figures):
        out.print(line, highlight=False, no_wrap=True, overflow="ellipsis")
    policy = figures.policy
    out.print(
        f"Policy: epoch {policy.epoch_size}, newest {policy.keep_recent_turns} turns kept, horizon {policy.horizon}, "
        f"watermark {policy.token_watermark:,} tokens, mode {policy.mode}.",
        highlight=False,
    )
    for session in figures.sessions:
        if session.stopped:
            out.print(f"[yellow]{escape(session.name)} ended early:[/] {escape(session.stopped)}", highlight=False)
    for skipped in figures.skipped:
        out.print(f"[yellow]{escape(str(skipped))}[/]", highlight=False)
    if figures.marked:
        out.print(MARKED, highlight=False)
    out.print()
    out.print(CLOSING, highlight=False)


def lines(figures: Figures) -> Iterator[str]:
    """A line for the head; for each session and for all of them its name and a line for each way. 80 columns."""
    yield f"[bold]{row('', HEAD)}[/]"
    for session in figures.replayed:
        told = ", ".join(filter(None, (session.model, session.about)))
        yield f"[bold]{escape(session.name)}[/]  [dim]{escape(told)}[/]"
        yield from ways(session, in_usd(session, session.direct), in_usd(session, session.folded))
    if len(figures.replayed) > 1:
        yield "[bold]all sessions[/]"
        yield from ways(figures.total, figures.usd(False), figures.usd(True))


def ways(session: Session, direct_usd: float | None, folded_usd: float | None) -> Iterator[str]:
    """The two ways of one session."""
    folded = session.folded
    yield row(" direct", (str(session.direct.steps), "", *billed(session.direct, direct_usd), "", "", ""))
    told = (saved(session), pair(folded.inside), pair(folded.added))
    yield f"[green]{row(' folded', (str(folded.steps), str(session.folds), *billed(folded, folded_usd), *told))}[/]"


def row(name: str, cells: Sequence[str]) -> str:
    """Set a name and its cells in columns."""
    return f"{name:<7}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def billed(path: Path, usd: float | None) -> tuple[str, str, str, str]:
    """Say what was sent, cached and written, and its cost."""
    usage = path.usage
    return tokens(usage.prompt), tokens(usage.cache_read), tokens(usage.cache_write), cost(path, usd)


def tokens(count: int) -> str:
    """Say a count of tokens in thousands or millions."""
    return f"{count / 1e6:.2f}M" if count >= 999_500 else f"{count / 1e3:.1f}k"


def cost(path: Path, usd: float | None) -> str:
    """In USD, or in thousands of uncached input tokens where a model has no known price."""
    return f"{path.cost / 1e3:.1f}k" if usd is None else f"${usd:.4f}"


def saved(session: Session) -> str:
    """Say the share that the fold saves, in percent."""
    return f"{saving(session):.1%}"


def saving(session: Session) -> float:
    """The share of the cost that the fold saves."""
    return 1 - session.folded.cost / session.direct.cost if session.direct.cost else 0.0


def pair(values: Sequence[float]) -> str:
    """p50 / p99, in milliseconds."""
    found = [percentile(values, share) for share in (0.5, 0.99)]
    return "/".join(f"{ms:.1f}" if abs(ms) < 99.95 else f"{ms:.0f}" for ms in found if ms is not None)


def printed_json(figures: Figures) -> None:
    """Everything as one JSON object on stdout."""
    found = {
        "sessions": [session_json(session) for session in figures.sessions],
        "total": {
            **session_json(figures.total),
            "usd": {"direct": figures.usd(False), "folded": figures.usd(True)},
        },
        "skipped": [msgspec.to_builtins(skipped) for skipped in figures.skipped],
        "policy": msgspec.to_builtins(figures.policy),
        "automatic_caching_added": figures.marked,
    }
    print(msgspec.json.format(msgspec.json.encode(found)).decode())


def session_json(session: Session) -> dict[str, Any]:
    """Make a session's figures ready for JSON."""
    return {
        "name": session.name,
        "surface": session.surface,
        "model": session.model,
        "steps": session.direct.steps,
        "folds": session.folds,
        "direct": path_json(session, session.direct),
        "folded": path_json(session, session.folded),
        "saved": saving(session),
        "stopped": session.stopped,
    }


def path_json(session: Session, path: Path) -> dict[str, Any]:
    """Make the figures of one way ready for JSON."""
    times = {
        name: {"p50": percentile(values, 0.5), "p99": percentile(values, 0.99)}
        for name, values in (("gateway_ms", path.inside), ("added_ms", path.added))
        if values
    }
    usage = path.usage
    return {
        "tokens_sent": usage.prompt,
        "tokens_cached": usage.cache_read,
        "tokens_written": usage.cache_write,
        "tokens_uncached": usage.input,
        "cost_tokens": path.cost,
        "cost_usd": in_usd(session, path),
        **times,
    }
