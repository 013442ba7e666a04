"""What must hold between two requests that follow each other in one transcript."""

import json
from collections.abc import Sequence
from typing import Any

from foldpoint.core.receipt import Receipt

from .invariants import Body

IMAGE_LEAD = "[image of t"


def follows(before: Body, after: Body) -> bool:
    """Does the later request go on where the earlier one ended, once cache marks and string forms are apart?"""
    return len(after.plain) > len(before.plain) and after.plain[: len(before.plain)] == before.plain


def step_violations(one: Body, folded: Body, receipt: Receipt, two: Body, refolded: Body, after: Receipt) -> list[str]:
    """What changed between two steps that must not; empty where all is well."""
    if "not_smaller" in (receipt.reason, after.reason) or compacted(one, two):
        return []
    if after.sealed < receipt.sealed:
        return [f"the fold point went back from {receipt.sealed} to {after.sealed}"]
    if after.sealed == receipt.sealed:
        old, new = folded.plain, refolded.plain
        if new[: len(old)] != old:
            at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            return [f"the fold point stands at {after.sealed}, yet message {at} of {len(old)} changed"]
        return [] if after.checkpoint == receipt.checkpoint else ["the checkpoint changed though the fold point stands"]
    if not receipt.sealed:
        return []
    changed = ["an earlier block, or what it carries, changed at a fold"]
    if one.surface == "openai-chat":
        return [] if running_text(two, refolded, after).startswith(running_text(one, folded, receipt)) else changed
    return [] if one_insertion(atoms(one, folded, receipt), atoms(two, refolded, after)) else changed


def compacted(one: Body, two: Body) -> bool:
    """Did the provider compact turns meanwhile, so that the head is another one?"""
    return len(two.reading.head) > len(one.reading.head) > 0 and bool(one.reading.turns)


def folded_prefix(given: Body, folded: Body, receipt: Receipt) -> list[dict[str, Any]]:
    """The messages in front of the tail."""
    tail = sum(len(turn.messages) for turn in given.reading.turns[receipt.sealed :])
    return folded.plain[: len(folded.plain) - tail]


def running_text(given: Body, folded: Body, receipt: Receipt) -> str:
    """The folded prefix of a chat as one text, in which later folds can only append; images at its end left out."""
    found = ""
    for message in folded_prefix(given, folded, receipt):
        others = {key: value for key, value in message.items() if key not in ("role", "content")}
        found += f"\0{message.get('role')}\0{json.dumps(others, sort_keys=True) if others else ''}"
        for block in message.get("content") or []:
            text = isinstance(block, dict) and block.get("type") == "text"
            found += str(block["text"]) if text else json.dumps(block, sort_keys=True)
    image = found.find(IMAGE_LEAD)
    return (found if image < 0 else found[:image]).removesuffix("\0user\0")


def atoms(given: Body, folded: Body, receipt: Receipt) -> list[str]:
    """The folded prefix as a list of texts and blocks with their roles; images kept at its end left out."""
    found = [atom for message in folded_prefix(given, folded, receipt) for atom in message_atoms(message)]
    images = [at for at, atom in enumerate(found) if atom.startswith(IMAGE_LEAD)]
    behind = set(images) | {at + 1 for at in images}
    return [atom for at, atom in enumerate(found) if at not in behind]


def message_atoms(message: dict[str, Any]) -> list[str]:
    """Role, then a text for each text, else the block."""
    found = ["role " + str(message.get("role"))]
    others = {key: value for key, value in message.items() if key not in ("role", "content")}
    for block in message.get("content") or []:
        plain_text = isinstance(block, dict) and set(block) | {"type"} == {"type", "text"}
        found.append(str(block["text"]) if plain_text else json.dumps(block, sort_keys=True))
    return found + ([json.dumps(others, sort_keys=True)] if others else [])


def one_insertion(old: Sequence[str], new: Sequence[str]) -> bool:
    """Is the new list the old one with things put in at one place, and more behind it?"""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    for at in range(same, -1, -1):
        behind = list(old[at:])
        if any(list(new[start : start + len(behind)]) == behind for start in range(at, len(new) - len(behind) + 1)):
            return True
    return False
