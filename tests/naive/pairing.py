"""What a provider would refuse: calls and results without partner, roles out of turn, system messages out of place."""

from collections import Counter
from itertools import pairwise
from typing import Any

from . import bedrock

Ids = list[tuple[str, Any]]


def calls(surface: str, message: dict[str, Any]) -> Ids:
    """(kind, id) of the calls of a message."""
    if surface == "openai-chat":
        return [("call", call.get("id")) for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    if surface == "openai-responses":
        return item_ids(message, "_call")
    return [(kind, block.get("id")) for kind, block in typed(message) if kind.endswith("tool_use")]


def results(surface: str, message: dict[str, Any]) -> Ids:
    """(kind, id) of the results of a message."""
    if surface == "openai-chat":
        return [("result", message.get("tool_call_id"))] if message.get("role") == "tool" else []
    if surface == "openai-responses":
        return item_ids(message, "_output")
    return [(kind, block.get("tool_use_id")) for kind, block in typed(message) if kind.endswith("tool_result")]


def item_ids(item: dict[str, Any], ending: str) -> Ids:
    """(kind, id) of a Responses item that is a call, or an output, of the client's tools."""
    kind, name = str(item.get("type", "")), item.get("call_id")
    if kind.startswith("local_shell"):
        name = name or item.get("id")
    return [(kind, name)] if kind.endswith(ending) and isinstance(name, str) and kind != "program_output" else []


def typed(message: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """(type, block) of the blocks of a message."""
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [(str(block["type"]), block) if "type" in block else bedrock.typed(block) for block in blocks]


def faults(surface: str, messages: list[dict[str, Any]]) -> Counter[str]:
    """Calls and results that have no partner where the provider wants it."""
    if surface == "openai-responses":
        return alone(surface, messages)
    return chat_faults(messages) if surface == "openai-chat" else anthropic_faults(messages)


def chat_faults(messages: list[dict[str, Any]]) -> Counter[str]:
    """Tool messages follow their assistant message directly."""
    found: list[str] = []
    waiting: list[Any] = []
    for message in messages:
        if message.get("role") != "tool":
            found += [f"unanswered {name}" for name in waiting]
            waiting = [name for _, name in calls("openai-chat", message)]
            continue
        found += take(waiting, message.get("tool_call_id"))
    return Counter(found + [f"unanswered {name}" for name in waiting])


def take(waiting: list[Any], name: Any) -> list[str]:
    """Answer one of the waiting calls; a fault where none waits."""
    if name in waiting:
        waiting.remove(name)
        return []
    return [f"uncalled {name}"]


def anthropic_faults(messages: list[dict[str, Any]]) -> Counter[str]:
    """Results stand in the next message; those of server and connector calls in the same."""
    found: list[str] = []
    waiting: list[Any] = []
    for message in messages:
        for kind, name in results("anthropic", message):
            if kind == "tool_result":
                found += take(waiting, name)
        found += [f"unanswered {name}" for name in waiting]
        inside = [name for kind, name in calls("anthropic", message) if kind != "tool_use"]
        for kind, name in results("anthropic", message):
            if kind != "tool_result":
                found += take(inside, name)
        found += [f"unanswered {name}" for name in inside]
        waiting = [name for kind, name in calls("anthropic", message) if kind == "tool_use"]
    return Counter(found + [f"unanswered {name}" for name in waiting])


def alone(surface: str, messages: list[dict[str, Any]]) -> Counter[str]:
    """Calls that no later result answers and results that no earlier call asked for, wherever they stand."""
    found: list[str] = []
    waiting: list[Any] = []
    for message in messages:
        waiting += [name for _, name in calls(surface, message)]
        for _, name in results(surface, message):
            found += take(waiting, name)
    return Counter(found + [f"unanswered {name}" for name in waiting])


def system(message: dict[str, Any]) -> bool:
    """Is it a system or developer message?"""
    return message.get("role") in ("system", "developer")


def role_faults(surface: str, messages: list[dict[str, Any]]) -> Counter[str]:
    """Neighbours of one role; on Anthropic system messages stand between roles, and have their own places."""
    roles = [message.get("role") for message in messages]
    if surface in ("openai-chat", "openai-responses"):
        return Counter("two users" for one, two in pairwise(roles) if one == two == "user")
    turns = [role for role in roles if role != "system"]
    pairs = Counter(f"two {one}" for one, two in pairwise(turns) if one == two)
    if turns and turns[0] != "user":
        pairs["does not begin with a user"] += 1
    return pairs + system_faults(messages)


def system_faults(messages: list[dict[str, Any]]) -> Counter[str]:
    """A system message stands directly behind a user message and before an assistant message or the end."""
    roles = [
        None,
        *(m.get("role") for m in messages if m.get("role") != "system" or m.get("content") != []),
        "assistant",
    ]
    found: Counter[str] = Counter()
    for at, role in enumerate(roles):
        if role == "system":
            found["system not behind a user"] += roles[at - 1] != "user"
            found["system not before an assistant"] += roles[at + 1] != "assistant"
    return +found


def empty_texts(messages: list[dict[str, Any]]) -> int:
    """Empty or blank texts of user messages, and user messages without content."""
    count = 0
    for message in messages:
        if message.get("role") == "user":
            count += sum(not text.strip() for text in user_texts(message)) + (message.get("content") in (None, [], ""))
    return count


def user_texts(message: dict[str, Any]) -> list[str]:
    """What a user message says itself, results apart."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    texts = [block.get("text") for kind, block in typed(message) if kind in ("text", "input_text")]
    return [text for text in texts if isinstance(text, str)]


def results_first(messages: list[dict[str, Any]]) -> int:
    """How many messages have something before or between their results."""
    count = 0
    for message in messages:
        flags = [kind == "tool_result" for kind, _ in typed(message)]
        count += flags != sorted(flags, reverse=True)
    return count


def marks(found: Any, inside: bool = False) -> list[Any]:
    """Every cache breakpoint of the message list, with the block that carries it, in order."""
    if isinstance(found, list):
        points = [
            (without_marks(found[at - 1]), one["cachePoint"]) for at, one in enumerate(found) if bedrock.is_mark(one)
        ]
        return points + [mark for inner in found for mark in marks(inner, inside)]
    if not isinstance(found, dict):
        return []
    own = [(without_marks(found), found["cache_control"])] if "cache_control" in found else []
    return own + [mark for key in ("messages", "content", "output") if key in found for mark in marks(found[key], True)]


def without_marks(found: Any) -> Any:
    """The value without cache breakpoints."""
    if isinstance(found, list):
        return [without_marks(inner) for inner in found if not bedrock.is_mark(inner)]
    if isinstance(found, dict):
        return {key: without_marks(inner) for key, inner in found.items() if key != "cache_control"}
    return found


def plain(message: dict[str, Any]) -> dict[str, Any]:
    """The message as content: without breakpoints, a string as the one block it stands for."""
    found = without_marks(message)
    for key in ("content", "output"):
        content = found.get(key)
        if isinstance(content, str):
            found[key] = [{"type": "text", "text": content}]
        elif isinstance(content, list):
            found[key] = [plain_block(block) if isinstance(block, dict) else block for block in content]
    if found.get("type") == "message":
        del found["type"]
    return found


def plain_block(block: dict[str, Any]) -> dict[str, Any]:
    """The block as content; a text is a text, whatever it is called."""
    if block.get("type") == "input_text":
        return {**block, "type": "text"}
    return plain(block) if "content" in block else block
