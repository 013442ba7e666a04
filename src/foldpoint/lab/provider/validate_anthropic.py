"""What the Messages API refuses with a 400. Sources: its documentation, and the texts of its errors as reported."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import signing
from .pairing import check_pairs
from .refusal import Place, Refused
from .validate_marks import check_marks

NAMES = """
model messages max_tokens system tools tool_choice metadata stop_sequences stream temperature top_p top_k thinking
service_tier container context_management mcp_servers output_config output_format cache_control thread compaction
diagnostics inference_geo speed billing_policy fallbacks fallback_credit_token user_profile_id workspace_id
"""
FIELDS = frozenset(NAMES.split())
ROLES = ("user", "assistant", "system")
ONLY = {"tool_result": "user", "tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant"}
"""Blocks that may stand in the messages of one role only."""
ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}")

Block = Mapping[str, Any]


def check(body: Mapping[str, Any], *, counting: bool = False, merge_roles: bool = False) -> None:
    """Raise Refused where the API would. `counting`: count_tokens, which wants no max_tokens.

    The API itself joins neighbouring messages of one role. Here two in a row are refused unless `merge_roles`: a
    gateway must not make such pairs.
    """
    check_fields(body, counting)
    messages = listed(body["messages"], Place("messages"))
    for number, message in enumerate(messages):
        check_message(message, Place("messages") / number, last=number == len(messages) - 1)
    spoken = [(number, message) for number, message in enumerate(messages) if not silent(message)]
    check_roles(spoken, merge_roles)
    check_pairs(joined(spoken))
    check_texts("system", blocks(body.get("system")))
    check_marks(body)
    check_end(spoken[-1][1])
    signing.check(messages)


def check_fields(body: Mapping[str, Any], counting: bool) -> None:
    """The members of the body: which must be there, which may."""
    for field in ("model", "messages") if counting else ("model", "messages", "max_tokens"):
        if field not in body:
            raise Refused(f"{field}: Field required")
    for field in body:
        if field not in FIELDS:
            raise Refused(f"{field}: Extra inputs are not permitted")
    if not isinstance(body["model"], str) or not body["model"]:
        raise Refused("model: Input should be a valid string")
    limit = body.get("max_tokens", 0)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise Refused("max_tokens: Input should be a valid integer, greater than or equal to 0")
    if body.get("thread"):
        raise Refused(
            "thread: this model does not hold threads; send the messages in full",
            details={"error_code": "thread_unsupported_request"},
        )


def listed(value: object, place: Place) -> list[Block]:
    """The list of objects that must stand here, at least one."""
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise place.refused("Input should be a valid list")
    if not value:
        raise place.refused("at least one message is required")
    return value


def check_message(message: Block, place: Place, *, last: bool) -> None:
    """One message by itself: its role, its content, its blocks."""
    role = message.get("role")
    if role not in ROLES:
        raise (place / "role").refused("Input should be 'user', 'assistant' or 'system'")
    content = message.get("content")
    if not isinstance(content, (str, list)):
        raise (place / "content").refused("Input should be a valid string or list")
    if not content and role == "user":
        raise place.refused("user messages must have non-empty content")
    if not content and role == "assistant" and not last:
        raise place.refused("all messages must have non-empty content except for the optional final assistant message")
    for number, block in enumerate(blocks(content)):
        check_block(block, role, place / "content" / number)
    check_texts(str(place / "content"), blocks(content))


def check_block(block: object, role: str, place: Place) -> None:
    """One block by itself."""
    if not isinstance(block, Mapping) or not isinstance(kind := block.get("type"), str):
        raise place.refused("Unable to extract tag using discriminator 'type'")
    if ONLY.get(kind, role) != role:
        raise place.refused(f"`{kind}` blocks can only be in `{ONLY[kind]}` messages")
    match kind:
        case "text" if not isinstance(block.get("text"), str):
            raise (place / "text.text").refused("Field required")
        case "thinking":
            check_thinking(block, place)
        case "tool_use":
            check_call(block, place)
        case "tool_result":
            check_result(block, place)


def check_thinking(block: Block, place: Place) -> None:
    """Thinking must be signed."""
    if not isinstance(block.get("thinking"), str):
        raise (place / "thinking.thinking").refused("Field required")
    if not isinstance(block.get("signature"), str):
        raise (place / "thinking.signature").refused("Field required")
    if not block["signature"]:
        raise place.refused("Invalid `signature` in `thinking` block")


def check_call(block: Block, place: Place) -> None:
    """A call has an id, a name and an object."""
    for key, form in (("id", ID), ("name", NAME)):
        if not isinstance(block.get(key), str):
            raise (place / "tool_use" / key).refused("Field required")
        if not form.fullmatch(block[key]):
            raise (place / "tool_use" / key).refused(f"String should match pattern '^{form.pattern}$'")
    if not isinstance(block.get("input"), Mapping):
        raise (place / "tool_use.input").refused("Input should be a valid dictionary")


def check_result(block: Block, place: Place) -> None:
    """A result names its call; its own blocks are sound."""
    if not isinstance(block.get("tool_use_id"), str):
        raise (place / "tool_result.tool_use_id").refused("Field required")
    content = block.get("content")
    if content is not None and not isinstance(content, (str, list)):
        raise (place / "tool_result.content").refused("Input should be a valid string or list")
    if isinstance(content, list):
        for number, part in enumerate(content):
            check_block(part, "", place / "tool_result.content" / number)
            if part["type"] == "text" and not part["text"]:
                raise Refused("messages: text content blocks must be non-empty")


def check_texts(where: str, found: Iterable[Block]) -> None:
    """No text is empty or blank."""
    for block in found:
        if block.get("type") == "text" and not block["text"]:
            raise Refused(f"{where.split('.')[0]}: text content blocks must be non-empty")
        if block.get("type") == "text" and not block["text"].strip():
            raise Refused(f"{where.split('.')[0]}: text content blocks must contain non-whitespace text")


def silent(message: Block) -> bool:
    """Whether the message says nothing and is looked past: a system message without content."""
    return message["role"] == "system" and not message["content"]


def check_roles(spoken: Sequence[tuple[int, Block]], merge_roles: bool) -> None:
    """User first, then in turn; system messages directly behind a user message, before an assistant's or the end."""
    if not spoken:
        raise Refused("messages: at least one message is required")
    if spoken[0][1]["role"] != "user":
        raise Refused('messages: first message must use the "user" role')
    before = ""
    for position, (number, message) in enumerate(spoken):
        role, place = message["role"], Place("messages") / number
        after = spoken[position + 1][1]["role"] if position + 1 < len(spoken) else "assistant"
        if role == "system" and (before != "user" or after != "assistant"):
            raise place.refused(
                "a `system` message must directly follow a `user` message and directly precede an `assistant` message "
                "or the end"
            )
        if role != "system" and role == before and not merge_roles:
            raise place.refused(
                f'roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a row'
            )
        before = role


def joined(spoken: Sequence[tuple[int, Block]]) -> list[tuple[int, str, list[Block]]]:
    """(number, role, blocks) of the messages, system ones left out, neighbours of one role joined."""
    found: list[tuple[int, str, list[Block]]] = []
    for number, message in spoken:
        if message["role"] == "system":
            continue
        if found and found[-1][1] == message["role"]:
            found[-1][2].extend(blocks(message["content"]))
        else:
            found.append((number, message["role"], list(blocks(message["content"]))))
    return found


def check_end(last: Block) -> None:
    """An answer that has been begun does not end in blanks."""
    final = blocks(last["content"])[-1:]
    if last["role"] == "assistant" and final and final[0]["type"] == "text":
        text = final[0]["text"]
        if text != text.rstrip():
            raise Refused("messages: final assistant content cannot end with trailing whitespace")


def blocks(content: object) -> list[Block]:
    """The blocks of a content; a string is one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content if isinstance(content, list) else []
