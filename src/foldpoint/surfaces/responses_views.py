"""Views of Responses items: what the fold needs of each type the API has."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..core.errors import Unreadable
from ..core.text import bare, called, observed, result_head, said, spelled, weight
from ..core.transcript import (
    BLOCK_SIZE,
    MESSAGE_SIZE,
    Call,
    Limits,
    View,
    action_view,
    lead_of,
    result_of,
    result_view,
)
from .content import marked, word
from .responses_items import (
    Item,
    Part,
    asked,
    by_program,
    call_id_of,
    head_of,
    joined,
    kind_of,
    parts_of,
    read_item,
    said_by,
    size_of,
    texts_of,
    weight_of,
)
from .spans import decoded

HISTORY = ("compaction", "compaction_summary", "context_compaction")
"""Items that stand for turns which the provider compacted."""
SETTINGS = ("additional_tools", "configuration_update", "compaction_trigger")
"""Items with which the client sets something from there on; they stay where they are."""
CALLS: Mapping[str, str] = {
    "function_call": "function",
    "custom_tool_call": "custom",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "tool_search_call": "tool_search",
}
"""Calls that the client answers, and what a line calls them where they have no name."""
RAN: Mapping[str, str] = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "mcp_call": "mcp",
    "mcp_approval_request": "mcp",
}
"""Calls that the provider runs: the item holds what came of it."""
MERGEABLE = frozenset(("type", "role", "content", "id", "status"))
"""Members that a user message may have and still be carried as its content alone."""
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def view_of(item: bytes, limits: Limits) -> View:
    """The view of an item. Raises Unreadable."""
    read = read_item(item)
    kind = kind_of(read)
    if kind == "message":
        return _message(item, read, limits)
    if kind in RAN:
        return _ran(read, kind, limits)
    if kind in CALLS or kind in READERS:
        return READERS.get(kind, _call)(read, limits)
    if kind in SETTINGS or kind in HISTORY:
        return View(role="system", size=MESSAGE_SIZE, own=MESSAGE_SIZE, history=kind in HISTORY)
    if kind.endswith("_call"):
        return whole(_call(read, limits))
    if kind.endswith("_output"):
        return whole(_output(read, limits))
    raise Unreadable(f"an item has the type {kind!r}, which is not known")


def whole(view: View) -> View:
    """The view of an item whose turn is kept as it is."""
    return msgspec.structs.replace(view, marked=True, asks="", answers="", said=b"", share=0)


def _message(item: bytes, read: Item, limits: Limits) -> View:
    parts = parts_of(read.content)
    size = MESSAGE_SIZE + sum([BLOCK_SIZE + size_of(part) for part in parts])
    is_marked = _is_marked(read) or any(map(_is_marked, parts))
    if read.role == "assistant":
        return action_view(size, [_said(part, limits) for part in parts], [], [], is_marked)
    if read.role in ("system", "developer"):
        return View(role="system", size=size, own=size, marked=is_marked)
    if read.role != "user":
        raise Unreadable(f"a message has the role {read.role!r}: user, assistant, system or developer is known")
    line = " | ".join([said for part in parts if (said := _observed(part, limits))])
    return View(
        role="user",
        size=size,
        line=spelled(line),
        own=size - MESSAGE_SIZE,
        own_images=sum([part.type == "input_image" for part in parts]),
        marked=is_marked,
        alone=item[:1] == b"{" and not decoded(_MEMBERS, item).keys() <= MERGEABLE,
    )


def _said(part: Part, limits: Limits) -> str:
    texts = texts_of(part)
    return " | ".join([said(text, limits.verbatim) for text in texts]) if texts else said_by(part)


def _observed(part: Part, limits: Limits) -> str:
    texts = texts_of(part)
    return " ".join([observed(text, limits.verbatim, limits.told) for text in texts]) if texts else said_by(part)


def _is_marked(holder: Item | Part) -> bool:
    return marked(holder.cache_control) or marked(holder.prompt_cache_breakpoint)


def _reasoning(read: Item, limits: Limits) -> View:
    """Reasoning is never in a line; what of it is encrypted is not counted."""
    parts = [*(read.summary or ()), *parts_of(read.content, "reasoning_text")]
    size = MESSAGE_SIZE + sum([BLOCK_SIZE + size_of(part) for part in parts])
    return action_view(size, [], [], [], False)


def _call(read: Item, limits: Limits) -> View:
    """A call of the client's tools. One that a program made stays with its program."""
    kind, raw = kind_of(read), asked(read)
    call_id, name = call_id_of(read), word(read.name) or CALLS.get(kind, kind)
    size = MESSAGE_SIZE + _call_size(call_id, name) + weight_of(raw)
    line = called(call_id, name, head_of(raw, limits.arguments), limits.arguments)
    is_marked = _is_marked(read) or by_program(read.caller)
    return action_view(size, [line], [Call(call_id, bare(name))], [], is_marked)


def _call_size(call_id: str, name: str) -> int:
    return BLOCK_SIZE + weight(call_id) + weight(name)


def _output(read: Item, limits: Limits) -> View:
    """What the client's tools answered."""
    parts, call_id = parts_of(read.output), call_id_of(read)
    size = MESSAGE_SIZE + BLOCK_SIZE + weight(call_id) + sum([_inside(part) for part in parts])
    is_marked = _is_marked(read) or by_program(read.caller) or any(map(_is_marked, parts))
    head = result_head(limits.told(joined(parts, limits.reach)), _failed(read, parts))
    images = sum([part.type == "input_image" for part in parts])
    return result_view("tool", size, result_of(call_id, head, bare(word(read.name)), images), is_marked)


def _inside(part: Part) -> int:
    """Bytes of a part of an output: its content alone, so that one string and a list of it are the same."""
    known = part.type in ("input_image", "input_file") or texts_of(part)
    return size_of(part) if known else BLOCK_SIZE


def _failed(read: Item, parts: list[Part]) -> bool:
    if kind_of(read) == "apply_patch_call_output":
        return bool(read.status == "failed")
    return any(_ended_badly(part.outcome) for part in parts)


def _ended_badly(outcome: Any) -> bool:
    """Is it the outcome of a shell command that failed or took too long?"""
    if not isinstance(outcome, dict):
        return False
    return outcome.get("type") == "timeout" or outcome.get("exit_code") not in (0, None)


def _loaded(read: Item, limits: Limits) -> View:
    """Tools that a search loaded: without the item the model could not call them."""
    if read.execution == "client" and word(read.call_id):
        return whole(_output(read, limits))
    return _listed(read, limits)


def _listed(read: Item, limits: Limits) -> View:
    """Tools that the provider listed; it would list them anew at every request."""
    return action_view(MESSAGE_SIZE, [f"[{bare(kind_of(read))}]"], [], [], True)


def _searched(read: Item, limits: Limits) -> View:
    """A search for tools: the provider's own has its answer behind it, without an id."""
    return _call(read, limits) if word(read.call_id) else whole(_ran(read, "tool_search_call", limits))


def _ran(read: Item, kind: str, limits: Limits) -> View:
    """A call that the provider ran, with what came of it."""
    call_id, raw = word(read.id), asked(read)
    name = word(read.name) or RAN.get(kind, "tool_search")
    size = MESSAGE_SIZE + _call_size(call_id, name) + weight_of(raw)
    lines = [called(call_id, name, head_of(raw, limits.arguments), limits.arguments)]
    parts = _came_of(read, kind)
    if not parts:
        return action_view(size, lines, [], [], _is_marked(read))
    size += BLOCK_SIZE + weight(call_id) + sum([_inside(part) for part in parts])
    head = result_head(limits.told(joined(parts, limits.reach)), read.error is not None)
    result = result_of(call_id, head, bare(name), sum([part.type == "input_image" for part in parts]))
    view = action_view(size, [*lines, lead_of(call_id, result.name) + head], [], [], _is_marked(read))
    return msgspec.structs.replace(view, results=(result,)) if result.images else view


def _came_of(read: Item, kind: str) -> list[Part]:
    if kind == "image_generation_call":
        return [Part(type="input_image")] if bytes(read.result)[:1] == b'"' else []
    if read.error is not None:
        given = read.error.get("message") if isinstance(read.error, dict) else read.error
        return [Part(type="input_text", text=word(given))]
    return [*parts_of(read.output), *(read.outputs or ()), *(read.results or ())]


def _approved(read: Item, limits: Limits) -> View:
    """The person's word on a call of the provider's. It belongs to the action: sealed apart from what the provider then
    ran, it could make the provider run that again."""
    call_id = word(read.approval_request_id)
    text = ("approved" if read.approve is True else "denied") + (f": {read.reason}" if word(read.reason) else "")
    size = MESSAGE_SIZE + BLOCK_SIZE + weight(call_id) + weight(text)
    head = result_head(limits.told(text), False)
    return action_view(size, [lead_of(call_id, "approval") + head], [], [], False)


def _program(read: Item, limits: Limits) -> View:
    """A program that calls tools. It has its output in the same action, or its turn stays."""
    call_id, raw = call_id_of(read), asked(read)
    line = called(call_id, "program", head_of(raw, limits.arguments), limits.arguments)
    size = MESSAGE_SIZE + _call_size(call_id, "program") + weight_of(raw)
    return action_view(size, [line], [Call(call_id, "program")], [], False)


def _program_output(read: Item, limits: Limits) -> View:
    call_id, text = call_id_of(read), written_result(read)
    head = result_head(limits.told(text), read.status == "incomplete")
    size = MESSAGE_SIZE + BLOCK_SIZE + weight(call_id) + weight(text)
    return action_view(size, [lead_of(call_id, "program") + head], [], [call_id], False)


def written_result(read: Item) -> str:
    """What a program came to."""
    data = bytes(read.result)
    return word(msgspec.json.decode(data)) if data[:1] == b'"' else ""


READERS: Mapping[str, Callable[[Item, Limits], View]] = {
    "reasoning": _reasoning,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "shell_call_output": _output,
    "apply_patch_call_output": _output,
    "computer_call_output": _output,
    "tool_search_call": _searched,
    "tool_search_output": _loaded,
    "mcp_list_tools": _listed,
    "mcp_approval_response": _approved,
    "program": _program,
    "program_output": _program_output,
}
