"""Request bodies of n turns for both surfaces, as plain lists and as compact JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foldpoint import fold
from foldpoint.core.edit import Block
from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.text import spelled, unspelled
from foldpoint.core.transcript import Limits, View
from foldpoint.skills.ledger import Ledger
from foldpoint.surfaces import SURFACES

LONG = "0123456789" * 200
"""A result of 2,000 characters."""
HEAD = "0123456789" * 32 + "…"
"""What a line carries of it."""
OPENING = "Find the total."
MARK = {"type": "ephemeral"}
PNG = "iVBORw0KGgo="


@dataclass(frozen=True)
class Turn:
    """One turn: an action with `calls` calls, and a result for each but the last `missing`.

    said, thinking: what the assistant says; result: what the first call gets (the others get `ok`); images: in it;
    beside: what the user says beside the results (chat: behind them); system: a system message at the end;
    marked: a breakpoint on the last result. With no calls `result` is the user's own text.
    """

    said: str = ""
    thinking: str = ""
    calls: int = 1
    missing: int = 0
    result: str = LONG
    images: tuple[str, ...] = ()
    beside: Any = ""
    system: str = ""
    marked: bool = False
    failed: bool = False


USUAL = Turn()
SAID = Turn(calls=0, said="I go on.")
"""A turn of an agent that speaks in plain messages."""


def compact(value: Any) -> bytes:
    """The value as JSON without blanks, not escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def policy(**parameters: Any) -> Policy:
    """A policy whose gate folds wherever a fold saves anything, but for the parameters given."""
    return Policy(Trajectory(**{"payback_turns": 1_000, **parameters}))


def messages(
    surface: str, turns: int, odd: Mapping[int, Turn] | None = None, usual: Turn = USUAL, opening: Any = OPENING
) -> list[Any]:
    """The opening message and the turns, by number where they are not the usual one."""
    write = anthropic_turn if surface == "anthropic" else chat_turn
    found: list[Any] = [{"role": "user", "content": opening}]
    for number in range(1, turns + 1):
        found += write(number, (odd or {}).get(number, usual))
    return found


def body(
    surface: str,
    turns: int,
    odd: Mapping[int, Turn] | None = None,
    usual: Turn = USUAL,
    opening: Any = OPENING,
    **members: Any,
) -> bytes:
    """A request of that many turns; members stand in front of the messages."""
    return compact({**members, "messages": messages(surface, turns, odd, usual, opening)})


def ids(number: int, calls: int) -> list[str]:
    """The ids of a turn's calls: `call_3`, then `call_3_2` and so on."""
    return [f"call_{number}" + (f"_{each}" if each > 1 else "") for each in range(1, calls + 1)]


def text(said: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": said}


def image(data: str) -> dict[str, Any]:
    """An image as Anthropic takes it."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def image_url(data: str) -> dict[str, Any]:
    """An image as chat completions takes it."""
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def plain_turn(turn: Turn) -> list[Any]:
    """The messages of a turn without calls."""
    written = [
        {"role": "assistant", "content": turn.said},
        {"role": "user", "content": turn.beside or turn.result},
        {"role": "system", "content": turn.system},
    ]
    return written if turn.system else written[:2]


def anthropic_turn(number: int, turn: Turn) -> list[Any]:
    """The messages of a turn."""
    action: list[Any] = []
    if turn.thinking:
        action.append({"type": "thinking", "thinking": turn.thinking, "signature": f"sig{number}"})
    if turn.said:
        action.append(text(turn.said))
    named = ids(number, turn.calls)
    action += [{"type": "tool_use", "id": each, "name": "query", "input": {"n": number}} for each in named]
    if not turn.calls:
        return plain_turn(turn)
    observed: list[Any] = []
    for at, each in enumerate(named[: turn.calls - turn.missing]):
        first: Any = [text(turn.result), *map(image, turn.images)] if turn.images else turn.result
        observed.append({"type": "tool_result", "tool_use_id": each, "content": "ok" if at else first})
        if turn.failed:
            observed[-1]["is_error"] = True
    if turn.marked:
        observed[-1]["cache_control"] = MARK
    if turn.beside:
        observed += [text(turn.beside)] if isinstance(turn.beside, str) else turn.beside
    written: list[Any] = [{"role": "assistant", "content": action}]
    if observed:
        written.append({"role": "user", "content": observed})
    if turn.system:
        written.append({"role": "system", "content": turn.system})
    return written


def chat_turn(number: int, turn: Turn) -> list[Any]:
    """The messages of a turn."""
    if not turn.calls:
        return plain_turn(turn)
    named = ids(number, turn.calls)
    action: dict[str, Any] = {"role": "assistant", "content": turn.said or None}
    if turn.thinking:
        action["reasoning_content"] = turn.thinking
    arguments = f'{{"n":{number}}}'
    action["tool_calls"] = [
        {"id": each, "type": "function", "function": {"name": "query", "arguments": arguments}} for each in named
    ]
    written: list[Any] = [action]
    for at, each in enumerate(named[: turn.calls - turn.missing]):
        first: Any = [text(turn.result), *map(image_url, turn.images)] if turn.images else turn.result
        written.append({"role": "tool", "tool_call_id": each, "content": "ok" if at else first})
    if turn.marked:
        written[-1]["cache_control"] = MARK
    if turn.beside:
        written.append({"role": "user", "content": turn.beside})
    if turn.system:
        written.append({"role": "system", "content": turn.system})
    return written


def views(surface: str, written: Sequence[Any]) -> list[View]:
    """What the surface reads in the messages."""
    return [SURFACES[surface].view(compact(message), Limits()) for message in written]


def ledger(surface: str, written: Sequence[Any]) -> Ledger:
    """The ledger of the messages."""
    return Ledger(views(surface, written), SURFACES[surface].shape)


def said(json: bytes) -> str:
    """The text that JSON spells so, with its quotes (as in a block) or without them (as in a line)."""
    return unspelled(json[1:-1] if json.startswith(b'"') else json)


def block(text: str, mark: bytes = b"") -> Block:
    """A block of ours that says the text."""
    return Block(b'"' + spelled(text) + b'"', mark)


def sent(surface: str, written: list[Any], **members: Any) -> list[Any]:
    """The messages that are sent for the messages of a request."""
    folded = fold(compact({**members, "messages": written}), surface, policy())
    found: list[Any] = json.loads(folded.body)["messages"]
    return found
