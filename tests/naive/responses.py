"""Items of a Responses request, read naively."""

from typing import Any

from . import rawjson
from .model import Message, Part, counted, width, words

ASKED = {
    "function_call": ("function", "arguments"),
    "custom_tool_call": ("custom", "input"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action", "actions"),
    "tool_search_call": ("tool_search", "arguments"),
}
RAN = {
    "web_search_call": ("web_search", "action"),
    "file_search_call": ("file_search", "queries"),
    "code_interpreter_call": ("code_interpreter", "code"),
    "image_generation_call": ("image_generation", "action"),
    "mcp_call": ("mcp", "arguments"),
    "mcp_approval_request": ("mcp", "arguments"),
}
HISTORY = ("compaction", "compaction_summary", "context_compaction")
SETTINGS = ("additional_tools", "configuration_update", "compaction_trigger")
KNOWN = {"type", "role", "content", "id", "status"}
ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
MARKS = ("cache_control", "prompt_cache_breakpoint")


def message(at: int, found: dict[str, Any], raw: str) -> Message:
    """Read one item; `raw` is its spelling."""
    kind = found.get("type") or ("message" if found.get("role") else "")
    if kind == "message":
        return spoken(at, found, raw)
    if kind in HISTORY:
        return Message(at, "system", (), compaction=True)
    if kind in SETTINGS:
        return Message(at, "system", ())
    held = marked(found) or by_program(found)
    if kind.endswith("_output") and kind not in ("program_output", "tool_search_output"):
        return Message(at, "tool", (answered(found, raw),), held)
    if kind == "tool_search_output":
        client = found.get("execution") == "client" and words(found.get("call_id"))
        parts = (answered(found, raw),) if client else (Part("sign", name=kind),)
        return Message(at, "tool" if client else "assistant", parts, True)
    return Message(at, "assistant", acted(kind, found, raw), held or kept_whole(kind, found))


def kept_whole(kind: str, found: dict[str, Any]) -> bool:
    """Does an item of an action keep its turn: tools that were loaded, a search for them, a type we do not know?"""
    if kind == "tool_search_call":
        return not words(found.get("call_id"))
    return kind == "mcp_list_tools" or (kind.endswith("_call") and kind not in ASKED and kind not in RAN)


def spoken(at: int, found: dict[str, Any], raw: str) -> Message:
    """A message."""
    role = ROLES.get(found.get("role", ""), "other")
    parts = content(found.get("content"), rawjson.member(raw, "content"))
    held = marked(found) or any(map(marked, listed(found.get("content"))))
    return Message(at, role, tuple(parts), held, role == "user" and not found.keys() <= KNOWN)


def acted(kind: str, found: dict[str, Any], raw: str) -> tuple[Part, ...]:
    """What an item of an action says."""
    if kind == "reasoning":
        given = [(found.get(key), rawjson.member(raw, key)) for key in ("summary", "content")]
        return tuple(part.named(kind="thinking") for value, text in given for part in content(value, text))
    if kind == "mcp_list_tools":
        return (Part("sign", name=kind),)
    if kind == "mcp_approval_response":
        said = ("approved" if found.get("approve") is True else "denied") + reason(found)
        return (Part("told", said, width(said)).named(id=words(found.get("approval_request_id")), name="approval"),)
    if kind == "program":
        return (called(found, raw, "program", ("code",)),)
    if kind == "program_output":
        said = words(found.get("result"))
        part = Part("result", said, width(said)).named(id=words(found.get("call_id")) or words(found.get("id")))
        return (part.named(name="program", error=found.get("status") == "incomplete"),)
    if kind in RAN or (kind == "tool_search_call" and not words(found.get("call_id"))):
        return ran(kind, found, raw)
    name, *keys = ASKED.get(kind, (kind, *(key for _, *known in ASKED.values() for key in known)))
    return (called(found, raw, name, tuple(keys)),)


def reason(found: dict[str, Any]) -> str:
    """Why the person decided so."""
    return f": {found['reason']}" if words(found.get("reason")) else ""


def called(found: dict[str, Any], raw: str, name: str, keys: tuple[str, ...]) -> Part:
    """A call; its arguments as sent."""
    text = arguments(raw, keys)
    name = words(found.get("name")) or name
    return Part("call", text, width(text)).named(id=words(found.get("call_id")) or words(found.get("id")), name=name)


def arguments(raw: str, keys: tuple[str, ...]) -> str:
    """A text as what it says, anything else as it is spelled."""
    spelled = next((text for key in keys if (text := rawjson.member(raw, key))), "")
    if spelled.startswith('"'):
        return str(rawjson.value(spelled))
    return "" if spelled == "null" else spelled


def ran(kind: str, found: dict[str, Any], raw: str) -> tuple[Part, ...]:
    """A call that the provider ran, and what came of it."""
    name, *keys = RAN.get(kind, ("tool_search", "arguments"))
    call = called(found, raw, name, tuple(keys)).named(kind="ran", id=words(found.get("id")))
    inner: list[Part] = []
    if kind == "image_generation_call":
        inner = [Part("image")] if isinstance(found.get("result"), str) else []
    elif found.get("error") is not None:
        given = found["error"]
        text = words(given.get("message") if isinstance(given, dict) else given)
        inner = [Part("text", text, width(text))]
    else:
        for key in ("output", "outputs", "results"):
            inner += content(found.get(key), rawjson.member(raw, key))
    told = Part("told", inner=tuple(inner), error=found.get("error") is not None).named(id=call.id, name=call.name)
    return (call, told) if inner else (call,)


def answered(found: dict[str, Any], raw: str) -> Part:
    """What a tool of the client's answered."""
    output, spelled = found.get("output"), rawjson.member(raw, "output")
    whole = isinstance(output, str)
    inner = [Part("image")] if isinstance(output, dict) else [] if whole else content(output, spelled)
    failed = found.get("type") == "apply_patch_call_output" and found.get("status") == "failed"
    part = Part("result", output if whole else "", counted(spelled) if whole else 0, inner=tuple(inner))
    return part.named(
        id=words(found.get("call_id")) or words(found.get("id")),
        name=words(found.get("name")),
        error=failed or any(map(ended_badly, listed(output))),
    )


def ended_badly(part: Any) -> bool:
    """Did a shell command fail?"""
    outcome = part.get("outcome") if isinstance(part, dict) else None
    return isinstance(outcome, dict) and (outcome.get("type") == "timeout" or outcome.get("exit_code") not in (0, None))


def content(given: Any, raw: str | None) -> list[Part]:
    """A string is one text; null is none."""
    if isinstance(given, str):
        return [Part("text", given, counted(raw))]
    if not isinstance(given, list):
        return []
    return [one(block, text) for block, text in zip(given, rawjson.elements(raw), strict=True)]


def one(block: Any, raw: str) -> Part:
    """Read one part."""
    kind = block.get("type", "") if isinstance(block, dict) else ""
    if kind == "input_image":
        return Part("image")
    texts = [key for key in ("text", "refusal", "logs", "stdout", "stderr") if isinstance(block.get(key), str)]
    if texts:
        size = sum(counted(rawjson.member(raw, key)) for key in texts)
        return Part("text", " ".join(block[key] for key in texts if block[key]), size)
    if kind == "input_file":
        return Part("document", size_of_text=counted(rawjson.member(raw, "file_data")))
    return Part("other", name=kind)


def listed(found: Any) -> list[Any]:
    """The elements of a list; none of anything else."""
    return found if isinstance(found, list) else []


def marked(found: Any) -> bool:
    """Does it, or a part of its output, carry a cache breakpoint?"""
    if not isinstance(found, dict):
        return False
    return any(found.get(key) is not None for key in MARKS) or any(map(marked, listed(found.get("output"))))


def by_program(found: dict[str, Any]) -> bool:
    """Did a program make the call?"""
    caller = found.get("caller")
    return isinstance(caller, dict) and caller.get("type") == "program"
