"""Which items of a Responses input belong together: calls and outputs, reasoning and what it was made for."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import signing
from .refusal import Refused

OWN_ITEM = re.compile(r"(?:msg|fc|ctc)_r([0-9a-f]{24})\d+")
"""The id of an item of ours that was made with reasoning, and the answer it is of."""

Item = Mapping[str, Any]


def check_pairs(items: Sequence[Item]) -> None:
    """Raise Refused where an item lacks the one it belongs to."""
    check_outputs(items)
    check_reasoning(items)


def check_outputs(items: Sequence[Item]) -> None:
    """Each call has an output behind it, each output its call in front of it; by id, in any place."""
    waiting: dict[tuple[str, str], None] = {}
    for item in items:
        kind = str(item.get("type") or "message")
        name = item.get("call_id") or (item.get("id") if kind.startswith("local_shell") else None)
        if not name or item.get("execution") == "server" or kind.startswith("program"):
            continue
        if kind.endswith("_call"):
            waiting[kind, name] = None
        elif kind.endswith("_call_output"):
            call = kind.removesuffix("_output")
            if (call, name) not in waiting:
                why = f"No tool call found for {call.replace('_', ' ')} output with call_id {name}."
                raise Refused(why, param="input")
            del waiting[call, name]
        elif kind == "tool_search_output":
            waiting.pop(("tool_search_call", name), None)
    for kind, name in waiting:
        raise Refused(f"No tool output found for {kind.replace('_', ' ')} {name}.", param="input")


def check_reasoning(items: Sequence[Item]) -> None:
    """A reasoning item is followed by what it was made for, and what was made with one has it in front of it."""
    given: set[str] = set()
    for number, item in enumerate(items):
        if item.get("type") == "reasoning":
            following = items[number + 1] if number + 1 < len(items) else {}
            if not made(following):
                why = f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
                raise Refused(why, param="input")
            check_encrypted(item)
            given.add(str(item.get("id")))
        elif (own := OWN_ITEM.fullmatch(str(item.get("id")))) and f"rs_{own[1]}" not in given:
            why = (
                f"Item '{item['id']}' of type '{item['type']}' was provided without its required 'reasoning' item: "
                f"'rs_{own[1]}'."
            )
            raise Refused(why, param="input")


def made(item: Item) -> bool:
    """Is it something that a model makes after it reasoned?"""
    kind = item.get("type") or ("message" if "role" in item else "")
    return item.get("role") == "assistant" if kind == "message" else kind == "reasoning" or kind.endswith("_call")


def check_encrypted(item: Item) -> None:
    """Content that bears our signature is what we signed; other forms are another provider's."""
    given = str(item.get("encrypted_content") or "")
    said = "".join(str(part.get("text", "")) for part in item.get("summary") or ())
    if given.startswith(signing.PREFIX) and given != signing.signature(said):
        why = f"The encrypted content for item {item.get('id')} could not be verified."
        raise Refused(why, code="invalid_encrypted_content")
