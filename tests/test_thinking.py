"""Models that bind thinking to its prefix get none that was made under another one."""

import json
from typing import Any

from foldpoint import Engine
from transcripts import Turn, body, policy

BINDS, BINDS_NOT = "claude-opus-5-5", "claude-sonnet-5"


def request(turns: int, model: str) -> bytes:
    """A request of so many turns, each with signed thinking, in which `model` is named."""
    written = {number: Turn(said="I look.", thinking=f"thought {number}") for number in range(1, turns + 1)}
    asked = json.loads(body("anthropic", turns, written))
    return json.dumps({**asked, "model": model}).encode()


def thoughts(raw: bytes) -> list[str]:
    """What is thought in a body, in order."""
    messages: list[dict[str, Any]] = json.loads(raw)["messages"]
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    return [block["thinking"] for block in blocks if block["type"] == "thinking"]


def sent(turns: int, model: str) -> list[str]:
    engine = Engine(policy(payback_turns=1000, token_watermark=0))
    for number in range(1, turns):
        engine.fold(request(number, model), "anthropic")
    folded = engine.fold(request(turns, model), "anthropic")
    assert folded.receipt.verdict == ("compacted" if turns > 5 else "no_op")
    return thoughts(folded.body)


def test_before_the_first_fold_all_thinking_is_sent() -> None:
    """It was made under the prefix that is sent."""
    assert sent(5, BINDS) == [f"thought {number}" for number in range(1, 6)]


def test_at_a_fold_none_is_sent() -> None:
    """Turns 5 and 6 are kept; both thought under the unfolded prefix."""
    assert sent(6, BINDS) == []


def test_behind_a_fold_only_what_was_thought_under_it_is_sent() -> None:
    """Turn 7 was the first to be asked with the folded prefix; the next fold begins again."""
    assert [sent(8, BINDS), sent(11, BINDS), sent(12, BINDS)] == [["thought 7", "thought 8"], [], ["thought 12"]]


def test_other_models_keep_the_thinking_of_kept_turns() -> None:
    """Signed thinking included, byte for byte."""
    assert sent(8, BINDS_NOT) == [f"thought {number}" for number in range(5, 9)]


def test_between_two_folds_the_bytes_stay() -> None:
    """What was left out at the fold is left out until the next one."""
    engine = Engine(policy(payback_turns=1000, token_watermark=0))
    seven, eight = (json.loads(engine.fold(request(turns, BINDS), "anthropic").body)["messages"] for turns in (7, 8))
    assert eight[: len(seven)] == seven


def test_the_receipt_counts_what_is_sent() -> None:
    """Thinking that is left out is no token after the fold."""
    engine = Engine(policy(payback_turns=1000, token_watermark=0))
    receipts = [engine.fold(request(6, model), "anthropic").receipt for model in (BINDS, BINDS_NOT)]
    left_out = receipts[1].tokens_after - receipts[0].tokens_after
    assert left_out in (16, 17)  # 2 blocks of 16 + 9 bytes, at 3 bytes a token


def test_a_message_of_thinking_alone_stays() -> None:
    """A message without content would be refused."""
    asked = json.loads(request(6, BINDS))
    action = asked["messages"][-2]
    action["content"] = [block for block in action["content"] if block["type"] == "thinking"]
    asked["messages"][-1]["content"] = "go on"
    folded = Engine(policy(payback_turns=1000)).fold(json.dumps(asked).encode(), "anthropic")
    assert (folded.receipt.sealed, thoughts(folded.body)) == (4, ["thought 6"])
