"""What a fold did to one request, and how it is said in response headers."""

from typing import Literal, get_args

import msgspec

Verdict = Literal["compacted", "would_compact", "no_op", "skipped", "refused", "failed"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
REASONS = (
    "first_epoch",  # no fold point was reached yet
    "not_worth_it",  # the gate refused every fold point so far
    "checkpoint",  # served from an earlier fold
    "fold_moved",  # the fold moved with this request
    "not_a_trajectory",  # no assistant action that anything answers
    "provider_state",  # the provider holds the history
    "unreadable",  # not a body of the surface
    "too_large",  # longer than max_body_bytes
    "signed",  # the client signed the body and we hold no credentials
    "tool_loop",  # the loop guard tripped
    "not_smaller",  # folded it would be no smaller
    "shortened",  # results were cut or replaced, and turns are not to be folded
    "nothing_long",  # no result was, and turns are not to be folded
    "internal",  # a fault of ours; the original was sent
)
"""Every reason but `check:<name>`, which names the check of a folded request that failed."""
FOLD_IS_OFF = ("shortened", "nothing_long")
"""Reasons of the skills that shorten results, where turns are not folded."""
HEADER = "x-ace-trajectory-compaction"
RESULTS_HEADERS = {
    "tool_output_cap": "x-ace-tool-output-cap",
    "stale_tool_output": "x-ace-stale-tool-output",
}
"""By skill that shortens results: the header that says what it did, and with `-results` how many it shortened."""


class Stage(msgspec.Struct, frozen=True):
    """What one skill did: its name and action; of the fold the turns sealed of how many, and the checkpoint digest; of
    a skill that shortens results how many of them, of how many."""

    skill: str
    action: Verdict
    sealed: int
    total: int
    checkpoint: str


class Receipt(msgspec.Struct, frozen=True, eq=False):
    """The figures of one request; two are equal whatever time they took.

    Bytes are of the raw body; tokens are the normalised message list's bytes over `bytes_per_token`, rounded up.
    `moved` says that the fold point moved with this request, `write_tokens` what that rewrote; `held` how many fold
    points the gate refused so far; `fold_ns` the time the fold took. `stages` is empty where no skill was consulted.
    `verdict`, `reason` and what follows are the fold's; where that is off (`strategy` is empty) they are those of the
    skills that shorten results. Bytes and tokens are of all skills.
    """

    verdict: Verdict
    reason: str
    strategy: str = "epoch"
    sealed: int = 0
    total: int = 0
    messages_before: int = 0
    messages_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    tokens_saved: int = 0
    tokens_would_save: int = 0
    checkpoint: str = ""
    write_tokens: int = 0
    held: int = 0
    moved: bool = False
    fold_ns: int = 0
    stages: tuple[Stage, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Receipt) and self._figures() == other._figures()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._figures())

    def _figures(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name != "fold_ns")

    def headers(self) -> dict[str, str]:
        """The response headers that say this; none where no skill was consulted."""
        found: dict[str, str] = {}
        for stage in self.stages:
            if stage.skill in RESULTS_HEADERS:
                name = RESULTS_HEADERS[stage.skill]
                found |= {name: stage.action, f"{name}-results": f"{stage.sealed}/{stage.total}"}
            else:
                found |= self._of_fold()
        return found

    def _of_fold(self) -> dict[str, str]:
        said = {
            "": self.verdict,
            "-reason": self.reason,
            "-strategy": self.strategy,
            "-turns": f"{self.sealed}/{self.total}",
            "-messages-before": self.messages_before,
            "-messages-after": self.messages_after,
            "-tokens-before": self.tokens_before,
            "-tokens-after": self.tokens_after,
            "-tokens-saved": self.tokens_saved,
            "-tokens-would-save": self.tokens_would_save,
            "-checkpoint": self.checkpoint,
            "-write-tokens": self.write_tokens if self.moved else "",
            "-held": self.held,
        }
        return {HEADER + name: str(value) for name, value in said.items() if value != ""}
