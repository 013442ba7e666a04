"""What Responses refuses with a 400. Sources: its API description, and the texts of its errors as reported."""

from collections.abc import Mapping, Sequence
from typing import Any

from .refusal import Refused
from .responses_pairing import check_pairs
from .validate_openai_chat import required, wrong

NAMES = """
model input instructions previous_response_id conversation prompt stream stream_options store background
background_options include tools tool_choice parallel_tool_calls max_tool_calls max_output_tokens temperature top_p
top_logprobs reasoning text truncation metadata user safety_identifier service_tier prompt_cache_key
prompt_cache_options prompt_cache_retention context_management client_metadata moderation image access_programs
personality
"""
FIELDS = frozenset(NAMES.split())
ROLES = ("assistant", "system", "developer", "user")
INPUT, OUTPUT = ("input_text", "input_image", "input_file"), ("output_text", "refusal")
CALLED = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call")
ANSWERED = tuple(f"{kind}_output" for kind in CALLED)
OTHER = """
reasoning web_search_call file_search_call code_interpreter_call image_generation_call mcp_call mcp_list_tools
mcp_approval_request mcp_approval_response tool_search_call tool_search_output additional_tools configuration_update
compaction compaction_trigger item_reference program program_output
"""
TYPES = ("message", *CALLED, *ANSWERED, *OTHER.split())
NEEDED: Mapping[str, tuple[str, ...]] = {
    "function_call": ("call_id", "name", "arguments"),
    "custom_tool_call": ("call_id", "name", "input"),
    "shell_call": ("call_id", "action"),
    "local_shell_call": ("id", "call_id", "action"),
    "apply_patch_call": ("call_id", "operation"),
    "computer_call": ("call_id",),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call_output": ("call_id", "output"),
    "shell_call_output": ("call_id", "output"),
    "local_shell_call_output": ("output",),
    "apply_patch_call_output": ("call_id", "status"),
    "computer_call_output": ("call_id", "output"),
    "mcp_approval_response": ("approval_request_id", "approve"),
    "compaction": ("encrypted_content",),
    "item_reference": ("id",),
}
BEGINS: Mapping[str, str] = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
LEAST_OUTPUT = 16

Item = Mapping[str, Any]


def check(body: Mapping[str, Any]) -> None:
    """Raise Refused where the API would. What a response before holds is in `input` already."""
    check_fields(body)
    given = body["input"]
    if isinstance(given, str):
        return
    for number, item in enumerate(given):
        check_item(item, f"input[{number}]")
        if item.get("type") == "compaction_trigger" and number < len(given) - 1:
            raise Refused("Compaction trigger must be the final input item.", param=f"input[{number}]")
    check_pairs(given)


def check_fields(body: Mapping[str, Any]) -> None:
    """The members of the body: which must be there, which may."""
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise required("model")
    for field in body:
        if field not in FIELDS:
            raise Refused(f"Unknown parameter: '{field}'.", param=field, code="unknown_parameter")
    if body.get("previous_response_id") and body.get("conversation"):
        raise Refused("Only one of 'previous_response_id' and 'conversation' may be given.", param="conversation")
    if not body.get("input"):
        raise Refused(
            'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
            param="input",
            code="missing_required_parameter",
        )
    if not isinstance(body["input"], (str, list)):
        raise wrong("input", "expected a string or an array", "invalid_type", "Invalid type for")
    limit = body.get("max_output_tokens")
    if isinstance(limit, int) and limit < LEAST_OUTPUT:
        why = f"integer below minimum value. Expected a value >= {LEAST_OUTPUT}, but got {limit} instead"
        raise wrong("max_output_tokens", why, "integer_below_min_value")


def check_item(item: object, place: str) -> None:
    """One item by itself."""
    if not isinstance(item, Mapping):
        raise wrong(place, "expected an object", "invalid_type", "Invalid type for")
    kind = item.get("type", "message" if "role" in item else "item_reference")
    if kind not in TYPES:
        raise unsupported(kind, TYPES, place + ".type")
    for key in NEEDED.get(kind, ()):
        if item.get(key) is None:
            raise required(f"{place}.{key}")
    begins, name = BEGINS.get(kind), item.get("id")
    if begins and isinstance(name, str) and not name.startswith(begins):
        why = f"Invalid '{place}.id': '{name}'. Expected an ID that begins with '{begins}'."
        raise Refused(why, param=place + ".id", code="invalid_value")
    if kind == "message":
        check_message(item, place)
    elif isinstance(item.get("output"), list) and kind in ("function_call_output", "custom_tool_call_output"):
        check_parts(item["output"], INPUT, place + ".output")


def check_message(item: Item, place: str) -> None:
    """A role, and a content of the parts that the role may say."""
    role, content = item.get("role"), item.get("content")
    if role not in ROLES:
        raise unsupported(role, ROLES, place + ".role")
    if content is None:
        raise required(place + ".content")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise wrong(place + ".content", "expected a string or an array", "invalid_type", "Invalid type for")
    if not content and role != "assistant":
        raise wrong(place + ".content", "empty array. Expected an array with minimum length 1", "empty_array")
    check_parts(content, OUTPUT if role == "assistant" else INPUT, place + ".content")


def check_parts(parts: Sequence[object], kinds: Sequence[str], place: str) -> None:
    """Parts of the kinds that may stand there."""
    for position, part in enumerate(parts):
        here = f"{place}[{position}]"
        if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
            raise required(here + ".type")
        if part["type"] not in kinds:
            raise unsupported(part["type"], kinds, here + ".type")
        if part["type"].endswith("_text") and not isinstance(part.get("text"), str):
            raise required(here + ".text")
        if part["type"] == "input_image" and not (part.get("image_url") or part.get("file_id")):
            raise required(here + ".image_url")


def unsupported(value: object, known: Sequence[str], place: str) -> Refused:
    """The refusal of a value that is none of the known ones."""
    names = ", ".join(f"'{name}'" for name in known)
    why = f"Invalid value: '{value}'. Supported values are: {names}."
    return Refused(why, param=place, code="invalid_value")
