"""The figures of a receipt."""

from typing import Any

import pytest

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.receipt import Receipt, Stage
from foldpoint.pricing.gate import Gate
from foldpoint.skills.figures import passed_on, received
from foldpoint.skills.memo import Copy, Known
from foldpoint.skills.trajectory import planned
from foldpoint.surfaces import SURFACES
from transcripts import body, ledger, messages

SURFACE = SURFACES["anthropic"]
BLOCK = 16 + 70 + 4 * 393
"""Bytes of the block of turns 1 to 4."""


def receipt(turns: int, **parameters: Any) -> Receipt:
    """The receipt of a transcript whose folded body has 5,000 bytes."""
    policy = Policy(Trajectory(**parameters))
    request = SURFACE.read(body("anthropic", turns))
    read = ledger("anthropic", messages("anthropic", turns))
    plan = planned(SURFACE, request.items, read, policy.agent_trajectory_compaction, Gate(100, 1_250))
    now = Known(Copy(request.items, None, 0), read, plan, "", "0123456789ab" if plan.layout else "")
    sent = request.body if policy.mode == "shadow" or not plan.layout else b"x" * 5_000
    return received(request, now, policy, sent, [])


def test_a_body_that_goes_on_has_the_same_figures_on_both_sides() -> None:
    """Passed on without a plan."""
    assert passed_on(b"abc", "skipped", "unreadable", Policy(), 2) == Receipt(
        "skipped",
        "unreadable",
        messages_before=2,
        messages_after=2,
        bytes_before=3,
        bytes_after=3,
        stages=(Stage("agent_trajectory_compaction", "skipped", 0, 0, ""),),
    )


def test_a_fold_that_moved_has_every_figure() -> None:
    """13 messages become 5; 55 + 6 · 2,104 bytes of content become 55 + block + 2 · 2,104; block and turn 5 written."""
    assert receipt(6) == Receipt(
        "compacted",
        "fold_moved",
        strategy="epoch",
        sealed=4,
        total=6,
        messages_before=13,
        messages_after=5,
        bytes_before=13_168,
        bytes_after=5_000,
        tokens_before=4_227,
        tokens_after=1_974,
        tokens_saved=2_253,
        tokens_would_save=2_253,
        checkpoint="0123456789ab",
        write_tokens=1_254,
        held=0,
        moved=True,
        stages=(Stage("agent_trajectory_compaction", "compacted", 4, 6, "0123456789ab"),),
    )


def test_tokens_are_bytes_over_the_policys_ratio_rounded_up() -> None:
    """12,679 bytes at 4 a token."""
    assert receipt(6, bytes_per_token=4.0).tokens_before == 3_170


def test_a_checkpoint_rewrites_nothing() -> None:
    """At turn 7 the fold stands."""
    now = receipt(7)
    assert (now.reason, now.moved, now.write_tokens) == ("checkpoint", False, 0)


def test_in_shadow_nothing_changes_but_what_would_be_saved() -> None:
    """The request goes on as it is."""
    now = receipt(6, mode="shadow")
    assert (
        now.verdict,
        now.messages_after,
        now.bytes_after,
        now.tokens_after,
        now.tokens_saved,
        now.tokens_would_save,
        now.checkpoint,
        now.stages[0].action,
    ) == ("would_compact", 13, now.bytes_before, 4_227, 0, 2_253, "0123456789ab", "would_compact")


@pytest.mark.parametrize(("turns", "reason"), [(1, "first_epoch"), (5, "first_epoch")])
def test_nothing_folded_saves_nothing(turns: int, reason: str) -> None:
    """Before the first grid point all figures are those of the request."""
    now = receipt(turns)
    assert (now.verdict, now.reason, now.sealed, now.total, now.tokens_saved, now.tokens_would_save) == (
        "no_op",
        reason,
        0,
        turns,
        0,
        0,
    )


def test_refused_chances_are_held() -> None:
    """The gate of twelve steps holds turns 11 and 16, and goes on with the first fold."""
    assert [receipt(turns).held for turns in (6, 10, 11, 16)] == [0, 0, 1, 2]
