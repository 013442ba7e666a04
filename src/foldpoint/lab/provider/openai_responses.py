"""The Responses API's answers: one object, or its sequence of stream events."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import validate_openai_responses
from .dialect import EVENTS, Answered, event, pieces
from .held import listed
from .openai_chat import CREATED, error
from .refusal import Refused
from .reply import Called
from .responses_reading import custom_tools, position, spoken
from .signing import signature

ECHOED = ("instructions", "metadata", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p")
"""Members of the request that the answer repeats."""
USUAL: Mapping[str, Any] = {
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
}

Item = dict[str, Any]


class OpenAIResponses:
    """`/v1/responses`."""

    surface = "openai-responses"
    errors_of = "openai-responses"
    request_id_header = "x-request-id"
    stream_type = EVENTS

    def check(self, body: Mapping[str, Any]) -> None:
        validate_openai_responses.check(body)

    def limit(self, body: Mapping[str, Any]) -> int | None:
        given = body.get("max_output_tokens")
        return given if isinstance(given, int) else None

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return spoken(body["input"])

    def whole(self, answered: Answered) -> dict[str, Any]:
        cut = answered.reply.finish == "length"
        reason = {"reason": "max_output_tokens"} if cut else None
        status = "incomplete" if cut else "completed"
        return {**response(answered, status, items(answered)), "incomplete_details": reason, "usage": usage(answered)}

    def events(self, answered: Answered) -> Iterator[bytes]:
        for number, (kind, members) in enumerate(self.said(answered)):
            yield event({"type": kind, "sequence_number": number, **members}, kind)

    def said(self, answered: Answered) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events in order: type, and members."""
        begun = {"response": {**response(answered, "in_progress", []), "usage": None}}
        yield "response.created", begun
        yield "response.in_progress", begun
        for index, item in enumerate(items(answered)):
            yield "response.output_item.added", {"output_index": index, "item": opened(item)}
            for kind, members in steps(item):
                yield kind, {"item_id": item["id"], "output_index": index, **members}
            yield "response.output_item.done", {"output_index": index, "item": item}
        whole = self.whole(answered)
        yield f"response.{whole['status']}", {"response": whole}

    def compact(self, answered: Answered) -> dict[str, Any]:
        """A conversation compacted: its messages of the user, then the compaction."""
        given = listed(answered.body["input"])
        users = [spelled_out(item) for item in given if item.get("role") == "user"]
        output = [*users, compaction(given, answered.id)]
        kind = {"object": "response.compaction", "created_at": CREATED}
        return {"id": f"resp_{answered.id}", **kind, "output": output, "usage": usage(answered)}

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        return error(refused)


def response(answered: Answered, status: str, output: list[Item]) -> dict[str, Any]:
    """A response object without its usage."""
    body = answered.body
    return {
        "id": f"resp_{answered.id}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": answered.model,
        "output": output,
        "previous_response_id": body.get("previous_response_id"),
        "store": body.get("store") is not False,
        **{key: USUAL[key] if body.get(key) is None else body[key] for key in ECHOED},
    }


def items(answered: Answered) -> list[Item]:
    """The output items: reasoning, message, calls; where the client asks for a compaction, that alone."""
    given, reply = answered.body["input"], answered.reply
    if given and not isinstance(given, str) and given[-1].get("type") == "compaction_trigger":
        return [compaction(given, answered.id)]
    mark = "r" if reply.thinking else ""
    found: list[Item] = [reasoning(reply.thinking, answered.id)] if reply.thinking else []
    custom = custom_tools(answered.body)
    if reply.text or not reply.calls:
        text = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        message = {"id": f"msg_{mark}{answered.id}0", "type": "message", "role": "assistant", "content": [text]}
        found.append({**message, "status": "completed"})
    for number, call in enumerate(reply.calls, 1):
        found.append(called(call, f"{mark}{answered.id}{number}", call.name in custom))
    return found


def reasoning(thinking: str, name: str) -> Item:
    """A reasoning item; what is encrypted is bound to its summary."""
    summary = [{"type": "summary_text", "text": thinking}]
    return {"id": f"rs_{name}", "type": "reasoning", "summary": summary, "encrypted_content": signature(thinking)}


def called(call: Called, name: str, custom: bool) -> Item:
    """A call of a function, or of a custom tool, whose input is a text: the argument `input`, or all of them."""
    call_id = f"call_{call.id}"
    if not custom:
        item = {"id": f"fc_{name}", "type": "function_call", "call_id": call_id, "name": call.name}
        return {**item, "arguments": call.arguments, "status": "completed"}
    item = {"id": f"ctc_{name}", "type": "custom_tool_call", "call_id": call_id, "name": call.name}
    return {**item, "input": call.input, "status": "completed"}


def compaction(given: Sequence[Mapping[str, Any]], name: str) -> Item:
    """The compaction of an input; it says how far a script had come."""
    content = f"s{position(given):04d} {name}"
    return {"id": f"cmp_{name}", "type": "compaction", "encrypted_content": b64encode(content.encode()).decode()}


def spelled_out(message: Mapping[str, Any]) -> Item:
    """A message of the user as the API gives it back: with its type, and a content of parts."""
    content = message["content"]
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    return {**message, "type": "message", "content": parts}


def opened(item: Item) -> Item:
    """The item as its first event shows it: without what the deltas bring."""
    empty: dict[str, Any] = {"content": [], "summary": [], "arguments": "", "input": ""}
    status = {"status": "in_progress"} if "status" in item else {}
    return {**{key: empty.get(key, value) for key, value in item.items()}, **status}


def steps(item: Item) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the events of an item add to it."""
    match item["type"]:
        case "message":
            yield from parted("response.content_part", "response.output_text", "content_index", item["content"][0])
        case "reasoning":
            kind = "response.reasoning_summary"
            yield from parted(f"{kind}_part", f"{kind}_text", "summary_index", item["summary"][0])
        case "function_call":
            yield from grown("response.function_call_arguments", "arguments", item["arguments"])
        case "custom_tool_call":
            yield from grown("response.custom_tool_call_input", "input", item["input"])


def parted(part: str, text: str, index: str, given: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a part: it begins, grows, and ends."""
    at = {index: 0}
    logged: dict[str, Any] = {"logprobs": []} if text == "response.output_text" else {}
    yield f"{part}.added", {**at, "part": {**given, "text": ""}}
    for piece in pieces(given["text"]):
        yield f"{text}.delta", {**at, "delta": piece, **logged}
    yield f"{text}.done", {**at, "text": given["text"], **logged}
    yield f"{part}.done", {**at, "part": given}


def grown(kind: str, member: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a text that grows."""
    for piece in pieces(text):
        yield f"{kind}.delta", {"delta": piece}
    yield f"{kind}.done", {member: text}


def usage(answered: Answered) -> dict[str, Any]:
    """The usage object."""
    billed, output = answered.charge.usage, answered.reply.output_tokens
    return {
        "input_tokens": billed.prompt,
        "input_tokens_details": {"cached_tokens": billed.cache_read, "cache_write_tokens": billed.cache_write},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": billed.prompt + output,
    }
