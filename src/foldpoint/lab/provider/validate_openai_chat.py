"""What chat completions refuses with a 400. Sources: its API description, and the texts of its errors as reported."""

from collections.abc import Mapping, Sequence
from typing import Any

from .refusal import Refused

NAMES = """
model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature
top_p n stop seed presence_penalty frequency_penalty logit_bias logprobs top_logprobs response_format reasoning_effort
verbosity user metadata store service_tier modalities audio prediction web_search_options prompt_cache_key
prompt_cache_options prompt_cache_retention safety_identifier moderation functions function_call
"""
FIELDS = frozenset(NAMES.split())
ROLES = ("system", "assistant", "user", "function", "tool", "developer")

Message = Mapping[str, Any]


def check(body: Mapping[str, Any]) -> None:
    """Raise Refused where the API would."""
    check_fields(body)
    messages = body["messages"]
    for number, message in enumerate(messages):
        check_message(message, number)
    check_calls(messages)


def check_fields(body: Mapping[str, Any]) -> None:
    """The members of the body: which must be there, which may."""
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Refused("you must provide a model parameter")
    for field in body:
        if field not in FIELDS:
            raise Refused(f"Unknown parameter: '{field}'.", param=field, code="unknown_parameter")
    if "messages" not in body:
        raise Refused("Missing required parameter: 'messages'.", param="messages", code="missing_required_parameter")
    messages = body["messages"]
    if not isinstance(messages, list):
        raise wrong("messages", "expected an array of objects", "invalid_type", "Invalid type for")
    if not messages:
        raise wrong("messages", "empty array. Expected an array with minimum length 1", "empty_array")


def check_message(message: object, number: int) -> None:
    """One message by itself: its role, its content, its calls."""
    place = f"messages[{number}]"
    if not isinstance(message, Mapping):
        raise wrong(place, "expected an object", "invalid_type", "Invalid type for")
    role = message.get("role")
    if role not in ROLES:
        known = ", ".join(f"'{name}'" for name in ROLES)
        why = f"Invalid value: '{role}'. Supported values are: {known}."
        raise Refused(why, param=place + ".role", code="invalid_value")
    check_content(message, place)
    if role == "assistant" and "tool_calls" in message and message["tool_calls"] is not None:
        check_asked(message["tool_calls"], place + ".tool_calls")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise required(place + ".tool_call_id")


def check_content(message: Message, place: str) -> None:
    """A content is a string or a list of parts; null only where an assistant message says something else."""
    role, content = message["role"], message.get("content")
    if content is None:
        if role == "assistant" and any(message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio")):
            return
        raise Refused("Invalid value for 'content': expected a string, got null.", param=place + ".content")
    if not isinstance(content, (str, list)):
        raise wrong(place + ".content", "expected a string or an array", "invalid_type", "Invalid type for")
    if not content and (role == "user" or isinstance(content, list)):
        raise wrong(place + ".content", "empty content", "empty_content")
    for position, part in enumerate(content) if isinstance(content, list) else ():
        check_part(part, f"{place}.content[{position}]")


def check_part(part: object, place: str) -> None:
    """One part of a content."""
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise required(place + ".type")
    if part["type"] == "text" and not isinstance(part.get("text"), str):
        raise required(place + ".text")


def check_asked(asked: object, place: str) -> None:
    """The calls of an assistant message: at least one, each with an id, a name and arguments as text."""
    if not isinstance(asked, list):
        raise wrong(place, "expected an array of objects", "invalid_type", "Invalid type for")
    if not asked:
        raise wrong(place, "empty array. Expected an array with minimum length 1", "empty_array")
    for position, call in enumerate(asked):
        here = f"{place}[{position}]"
        if not isinstance(call, Mapping) or not isinstance(call.get("id"), str):
            raise required(here + ".id")
        if call.get("type", "function") not in ("function", "custom"):
            raise wrong(here + ".type", "expected 'function' or 'custom'", "invalid_value", "Invalid value for")
        said = call.get("function" if call.get("type", "function") == "function" else "custom")
        if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
            raise required(here + ".function.name")
        if not isinstance(said.get("arguments", said.get("input")), str):
            raise required(here + ".function.arguments")


def check_calls(messages: Sequence[Message]) -> None:
    """The tool messages follow their assistant message directly and answer all its calls."""
    waiting: set[str] = set()
    known: set[str] = set()
    asking = 0
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in known:
                raise Refused(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'.",
                    param=f"messages.[{number}].role",
                )
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            raise unanswered(waiting, asking)
        known = {call["id"] for call in message.get("tool_calls") or ()} if message["role"] == "assistant" else set()
        waiting, asking = set(known), number
    if waiting:
        raise unanswered(waiting, asking)


def unanswered(waiting: set[str], asking: int) -> Refused:
    """The refusal of calls that no tool message answers."""
    return Refused(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(sorted(waiting))}",
        param=f"messages.[{asking}].role",
    )


def required(place: str) -> Refused:
    """The refusal of a member that is not there."""
    return Refused(f"Missing required parameter: '{place}'.", param=place, code="missing_required_parameter")


def wrong(place: str, what: str, code: str, opening: str = "Invalid") -> Refused:
    """The refusal of a value that is not usable."""
    return Refused(f"{opening} '{place}': {what}.", param=place, code=code)
