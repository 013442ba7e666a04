"""What Bedrock refuses with a 400. Sources: its service model, in botocore, and the texts of its errors as reported."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from foldpoint.lab.cache.converse import as_messages

from . import validate_anthropic
from .refusal import Place, Refused

VERSION = "bedrock-2023-05-31"
OF_BEDROCK = frozenset(("anthropic_version", "anthropic_beta"))
RESULTS_ALONE = ("meta.llama",)
"""Models that refuse a text beside results (strands-agents/harness-sdk#1223)."""
RETURNED = "The model returned the following errors: "

Block = Mapping[str, Any]


def check(body: Mapping[str, Any]) -> None:
    """Raise Refused where Converse would: for the form, for rules of its own, for what the model behind it wants."""
    model = str(body.get("model", ""))
    check_form({key: value for key, value in body.items() if key != "model"}, model)
    check_messages(body["messages"], model)
    if "toolConfig" not in body and any(uses_tools(message) for message in body["messages"]):
        raise Refused("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    limit = (body.get("inferenceConfig") or {}).get("maxTokens", 4096)
    try:
        validate_anthropic.check({**as_messages(body), "max_tokens": limit})
    except Refused as refused:
        raise Refused(RETURNED + refused.message, refused.status) from None


def check_invoked(body: Mapping[str, Any]) -> None:
    """What InvokeModel wants of Anthropic's bodies, and does not want."""
    if body.get("anthropic_version") != VERSION:
        raise Refused(f'Malformed input request: anthropic_version: must be "{VERSION}", please reformat your input.')
    if "stream" in body:
        raise Refused("Malformed input request: #: extraneous key [stream] is not permitted.")


def check_form(body: Mapping[str, Any], model: str) -> None:
    """The form, by Bedrock's own service model."""
    from botocore.validate import ParamValidator

    report = ParamValidator().validate({**body, "modelId": model or "a.model"}, form_of("Converse"))
    if report.has_errors():
        raise Refused(f"Malformed input request: {report.generate_report()}")


@cache
def form_of(operation: str) -> Any:
    """The input shape of an operation."""
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    return (
        ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2")).operation_model(operation).input_shape
    )


def check_messages(messages: Sequence[Block], model: str) -> None:
    """Each message by itself, and that they begin with a user's and take turns."""
    roles = [message["role"] for message in messages if message["role"] != "system"]
    if not roles or roles[0] != "user":
        raise Refused(
            "A conversation must start with a user message. Try again with a conversation that starts with a user "
            "message."
        )
    if any(one == two for one, two in pairwise(roles)):
        raise Refused(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        )
    asked = 0
    for number, message in enumerate(messages):
        place = Place("messages") / number / "content"
        check_content(message["content"], place)
        check_results(message["content"], place, asked, model)
        if message["role"] != "system":
            asked = sum("toolUse" in block for block in message["content"])


def check_content(content: Sequence[Block], place: Place) -> None:
    """The blocks of a message: one member each, no blank text, cache points where they may stand."""
    if not content:
        raise Refused(f"The content field in the Message object at {str(place).removesuffix('.content')} is empty.")
    for number, block in enumerate(content):
        if len(block) != 1:
            raise Refused(f"ContentBlock object at {place / number} must set one of the following keys.")
        if "text" in block and not block["text"].strip():
            raise blank("ContentBlock", place / number)
        before = content[number - 1] if number else {}
        if "cachePoint" in block and "reasoningContent" in before:
            raise Refused("Cache point cannot be inserted after reasoning block. Please remove the invalid cache point")
        if "cachePoint" in block and (not before or "cachePoint" in before):
            raise Refused(f"The cachePoint at {place / number} has no content in front of it.")
    if any("document" in block for block in content) and not any("text" in block for block in content):
        raise Refused("A text block must be included when using documents.")


def check_results(content: Sequence[Block], place: Place, asked: int, model: str) -> None:
    """The results of a message: no more than calls, none of them blank, alone where the model wants it."""
    found = list(results(content))
    if len(found) > asked:
        raise Refused(
            f"The number of toolResult blocks at {place} exceeds the number of toolUse blocks of previous turn."
        )
    if found and any(name in model for name in RESULTS_ALONE) and any("text" in block for block in content):
        raise Refused(f"{place}: Conversation blocks and tool result blocks cannot be provided in the same turn.")
    for number, result in found:
        inside = place / number / "toolResult"
        if result.get("status") == "error" and not result["content"]:
            raise Refused(f"The content field at {inside} cannot be empty when status value is error.")
        for at, inner in enumerate(result["content"]):
            if "text" in inner and not inner["text"].strip():
                raise blank("ToolResultContentBlock", inside / "content" / at)


def results(content: Sequence[Block]) -> Iterator[tuple[int, Block]]:
    """(place, result) of the results in a content."""
    return ((place, block["toolResult"]) for place, block in enumerate(content) if "toolResult" in block)


def uses_tools(message: Block) -> bool:
    """Is there a call or a result in the message?"""
    return any("toolUse" in block or "toolResult" in block for block in message["content"])


def blank(kind: str, place: Place) -> Refused:
    """The refusal of a text without anything in it."""
    return Refused(
        f"The text field in the {kind} object at {place} is blank. Add text to the text field, and try again."
    )
