"""Receipts said in headers."""

from typing import Any

import msgspec
import pytest

from foldpoint.core.receipt import REASONS, VERDICTS, Receipt, Stage

STAGES = (Stage("agent_trajectory_compaction", "compacted", 4, 7, "0123456789ab"),)


def receipt(**figures: Any) -> Receipt:
    """A receipt of one consulted skill."""
    return Receipt(**{"verdict": "compacted", "reason": "checkpoint", "stages": STAGES, **figures})


def test_headers_say_every_figure() -> None:
    """Each figure has its header, the fold point over the number of turns."""
    said = receipt(
        reason="fold_moved",
        sealed=4,
        total=7,
        messages_before=15,
        messages_after=7,
        tokens_before=900,
        tokens_after=400,
        tokens_saved=500,
        tokens_would_save=500,
        checkpoint="0123456789ab",
        write_tokens=77,
        moved=True,
        held=1,
    ).headers()
    assert said == {
        "x-ace-trajectory-compaction": "compacted",
        "x-ace-trajectory-compaction-reason": "fold_moved",
        "x-ace-trajectory-compaction-strategy": "epoch",
        "x-ace-trajectory-compaction-turns": "4/7",
        "x-ace-trajectory-compaction-messages-before": "15",
        "x-ace-trajectory-compaction-messages-after": "7",
        "x-ace-trajectory-compaction-tokens-before": "900",
        "x-ace-trajectory-compaction-tokens-after": "400",
        "x-ace-trajectory-compaction-tokens-saved": "500",
        "x-ace-trajectory-compaction-tokens-would-save": "500",
        "x-ace-trajectory-compaction-checkpoint": "0123456789ab",
        "x-ace-trajectory-compaction-write-tokens": "77",
        "x-ace-trajectory-compaction-held": "1",
    }


@pytest.mark.parametrize("name", ["write-tokens", "checkpoint"])
def test_headers_leave_out_what_is_not_there(name: str) -> None:
    """Between fold points nothing was rewritten, and without a fold there is no checkpoint: neither is said."""
    assert f"x-ace-trajectory-compaction-{name}" not in receipt().headers()


def test_a_figure_of_zero_is_said() -> None:
    """Nothing saved is a figure, not an absence."""
    assert receipt().headers()["x-ace-trajectory-compaction-tokens-saved"] == "0"


def test_no_stage_no_headers() -> None:
    """Where no skill was consulted nothing is said."""
    assert receipt(stages=()).headers() == {}


def test_a_receipt_is_frozen() -> None:
    """A receipt can't be changed."""
    with pytest.raises(AttributeError):
        receipt().sealed = 5  # type: ignore[misc]


def test_a_receipt_is_json() -> None:
    """A receipt reads back from its JSON as the same receipt."""
    assert msgspec.json.decode(msgspec.json.encode(receipt(held=2)), type=Receipt) == receipt(held=2)


def test_the_verdicts_are_a_closed_list() -> None:
    """The verdicts that clients rely on."""
    assert VERDICTS == ("compacted", "would_compact", "no_op", "skipped", "refused", "failed")


def test_the_reasons_are_a_closed_list() -> None:
    """The reasons that clients rely on, but for `check:<name>`."""
    assert sorted(REASONS) == [
        "checkpoint",
        "first_epoch",
        "fold_moved",
        "internal",
        "not_a_trajectory",
        "not_smaller",
        "not_worth_it",
        "nothing_long",
        "provider_state",
        "shortened",
        "signed",
        "too_large",
        "tool_loop",
        "unreadable",
    ]
