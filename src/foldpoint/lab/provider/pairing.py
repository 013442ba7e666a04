"""Calls and their results in a Messages request: each has its partner, and where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .refusal import Place, Refused

SERVER_CALLS = ("server_tool_use", "mcp_tool_use")

Block = Mapping[str, Any]
Said = tuple[int, str, list[Block]]
"""(number of the message, role, blocks), system messages left out, neighbours of one role joined."""


def check_pairs(said: Sequence[Said]) -> None:
    """Raise Refused where a call of the client's tools or of the server's lacks its result, or the other way round."""
    asked: list[str] = []
    open_calls: set[str] = set()
    for place, message in enumerate(said):
        number, role, _ = message
        if role == "assistant":
            open_calls = check_server_calls(message, open_calls, last=place == len(said) - 1)
            asked = calls(message)
            if asked and place + 1 == len(said):
                raise missing(number, asked)
        else:
            check_answers(message, asked, said[place - 1][0] if place else 0)
            asked = []


def calls(message: Said) -> list[str]:
    """The ids of the client's tools that a message calls, each once."""
    number, _, blocks = message
    found = [block["id"] for block in blocks if block["type"] == "tool_use"]
    if len(set(found)) < len(found):
        raise (Place("messages") / number).refused("`tool_use` ids must be unique")
    return found


def check_answers(message: Said, asked: Sequence[str], asking: int) -> None:
    """The results stand first, one for each call of the message before, and none besides."""
    number, _, blocks = message
    leading = next((place for place, block in enumerate(blocks) if block["type"] != "tool_result"), len(blocks))
    answered = Counter(block["tool_use_id"] for block in blocks[:leading])
    if unanswered := [name for name in asked if name not in answered]:
        raise missing(asking, unanswered)
    for place, block in enumerate(blocks):
        if block["type"] == "tool_result" and (block["tool_use_id"] not in asked or place >= leading):
            raise (Place("messages") / number / "content" / place).refused(
                f"unexpected `tool_use_id` found in `tool_result` blocks: {block['tool_use_id']}. Each `tool_result` "
                "block must have a corresponding `tool_use` block in the previous message."
            )
    for name, times in answered.items():
        if times > 1:
            raise (Place("messages") / number).refused(
                f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {name}"
            )


def missing(asking: int, unanswered: Sequence[str]) -> Refused:
    """The refusal of calls without a result."""
    return (Place("messages") / asking).refused(
        f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(unanswered)}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def check_server_calls(message: Said, earlier: set[str], *, last: bool) -> set[str]:
    """Server and connector calls have their result in the same message, and no such result is alone.

    A call may stay open where the message waits for the client's own tools, or where it is a paused turn that ends the
    request. Returns the open calls.
    """
    number, _, blocks = message
    place, waiting = Place("messages") / number, set(earlier)
    for position, block in enumerate(blocks):
        kind, answers = block["type"], block.get("tool_use_id")
        if kind in SERVER_CALLS:
            waiting.add(block["id"])
        elif kind.endswith("_tool_result"):
            if answers not in waiting:
                raise (place / "content" / position).refused(f"`{kind}` block without its call: {answers}")
            waiting.discard(answers)
    if waiting and not last and not any(block["type"] == "tool_use" for block in blocks):
        name = sorted(waiting)[0]
        raise place.refused(f"server tool use `{name}` was found without its result block in the same message")
    return waiting
