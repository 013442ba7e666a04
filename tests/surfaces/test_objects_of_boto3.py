"""Converse messages as boto3 has them: images and documents are bytes."""

from typing import Any

from foldpoint import Policy, fold_messages

ALWAYS = Policy.from_dict({"skills": {"agent_trajectory_compaction": {"payback_turns": 1000}}})
PICTURE = bytes(range(256))


def loop(picture: Any) -> list[dict[str, Any]]:
    """A tool loop whose second result and whose opening hold a picture."""
    image = {"image": {"format": "png", "source": {"bytes": picture}}}
    found: list[dict[str, Any]] = [{"role": "user", "content": [{"text": "go"}]}]
    for turn in range(8):
        call = {"toolUse": {"toolUseId": f"t{turn}", "name": "read", "input": {"bytes": "QUFB"} if turn > 5 else {}}}
        content = [{"text": f"{turn} " + "word " * 400}, *([image] if turn == 1 else [])]
        result = {"toolResult": {"toolUseId": f"t{turn}", "content": content}}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return found


def test_a_kept_image_is_bytes_again() -> None:
    """What was bytes in the caller's messages is bytes in the folded ones."""
    folded = fold_messages(loop(PICTURE), "bedrock", ALWAYS)
    assert len(folded) < 17
    assert folded[0]["content"][-1] == {"image": {"format": "png", "source": {"bytes": PICTURE}}}


def test_a_kept_image_in_base64_stays_so() -> None:
    """Messages that are JSON are JSON afterwards."""
    folded = fold_messages(loop("QUFB"), "bedrock", ALWAYS)
    assert folded[0]["content"][-1] == {"image": {"format": "png", "source": {"bytes": "QUFB"}}}


def test_what_is_kept_is_the_callers_own_object() -> None:
    """The newest turns are the same dicts."""
    messages = loop(PICTURE)
    folded = fold_messages(messages, "bedrock", ALWAYS)
    assert all(one is other for one, other in zip(folded[-4:], messages[-4:], strict=True))
