"""generateContent's answers: one object, or a stream of such objects, as server-sent events or as one JSON array."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from foldpoint.lab.cache.gemini import either
from foldpoint.surfaces.errors import GEMINI_STATUSES

from . import validate_gemini
from .dialect import Answered, pieces
from .refusal import Refused
from .reply import Called, Finish, Reply
from .signing import KEY
from .validate_gemini import SIGNS, checked_contents, parts_of

FINISHES: Mapping[Finish, str] = {"end": "STOP", "calls": "STOP", "length": "MAX_TOKENS"}
OURS = b"sim1."


class Gemini:
    """`…/models/M:generateContent` and `:streamGenerateContent`; `sse`: streamed as events, not as one array."""

    surface = "gemini"
    errors_of = "gemini"
    request_id_header = "x-request-id"

    def __init__(self, *, sse: bool = True) -> None:
        self.sse = sse

    @property
    def stream_type(self) -> str:
        return "text/event-stream" if self.sse else "application/json; charset=UTF-8"

    def check(self, body: Mapping[str, Any]) -> None:
        validate_gemini.check(body, body["model"])
        check_signatures(checked_contents(body["contents"]))

    def check_counting(self, body: Mapping[str, Any]) -> None:
        """What countTokens refuses: it does not look at turns."""
        checked_contents((either(body, "generateContentRequest") or body).get("contents"))

    def limit(self, body: Mapping[str, Any]) -> int | None:
        given = either(either(body, "generationConfig") or {}, "maxOutputTokens")
        return given if isinstance(given, int) else None

    def messages(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return messages(body.get("contents"))

    def whole(self, answered: Answered) -> dict[str, Any]:
        return self.event(answered, [*parts(answered.reply, answered.model)], FINISHES[answered.reply.finish])

    def events(self, answered: Answered) -> Iterator[bytes]:
        said = [part for whole in parts(answered.reply, answered.model) for part in cut(whole)] or [{"text": ""}]
        for number, part in enumerate(said):
            finish = FINISHES[answered.reply.finish] if number + 1 == len(said) else None
            data = msgspec.json.encode(self.event(answered, [part], finish))
            if self.sse:
                yield b"data: " + data + b"\r\n\r\n"
            else:
                yield (b",\r\n" if number else b"[") + data + (b"]" if finish else b"")

    def event(self, answered: Answered, said: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
        """One response object; the counts of the answer come with its end."""
        candidate: dict[str, Any] = {"content": {"parts": said, "role": "model"}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = usage_metadata(answered, finish is not None)
        return {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": answered.model,
            "responseId": answered.id,
        }

    def error(self, refused: Refused, request_id: str) -> dict[str, Any]:
        usual = "INTERNAL" if refused.status >= 500 else "INVALID_ARGUMENT"
        kind = refused.kind or GEMINI_STATUSES.get(refused.status, usual)
        return {"error": {"code": refused.status, "message": refused.message, "status": kind}}


def parts(reply: Reply, model: str) -> Iterator[dict[str, Any]]:
    """The parts of an answer: thought, text, calls, the first of them signed where the model signs."""
    if reply.thinking:
        yield {"text": reply.thinking, "thought": True}
    if reply.text:
        yield {"text": reply.text}
    signs = SIGNS.match(model) is not None
    for place, call in enumerate(reply.calls):
        said: dict[str, Any] = {"functionCall": function_call(call, signs)}
        if place == 0 and (signs or reply.thinking):
            said["thoughtSignature"] = signature(said["functionCall"])
        yield said


def function_call(call: Called, named: bool) -> dict[str, Any]:
    """A call; newer models give it an id."""
    said: dict[str, Any] = {"name": call.name, "args": msgspec.json.decode(call.arguments)}
    return {"id": f"call_{call.id}", **said} if named else said


def cut(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part as the events of a stream bring it: a text in pieces, all else whole."""
    if "text" not in part:
        yield part
        return
    for piece in pieces(part["text"]):
        yield {**part, "text": piece}


def usage_metadata(answered: Answered, ended: bool) -> dict[str, Any]:
    """The counts."""
    billed, output = answered.charge.usage, answered.reply.output_tokens
    counts = {"promptTokenCount": billed.prompt, "totalTokenCount": billed.prompt + (output if ended else 0)}
    if billed.cache_read:
        counts["cachedContentTokenCount"] = billed.cache_read
    return counts | ({"candidatesTokenCount": output} if ended else {})


def signature(call: Mapping[str, Any]) -> str:
    """The signature of a call: of its name and arguments, base64 as the API gives it."""
    said = msgspec.json.encode([call.get("name"), call.get("args") or {}], order="sorted")
    return b64encode(OURS + hmac.digest(KEY, said, "sha256")).decode()


def check_signatures(contents: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a signature of ours on another part than the one it was made for; those of others are accepted."""
    for content in contents:
        for part in parts_of(content):
            given = str(either(part, "thoughtSignature") or "")
            raw = decoded(given)
            if raw.startswith(OURS) and raw != decoded(signature(either(part, "functionCall") or {})):
                raise Refused("Thought signature is not valid.")


def decoded(signed: str) -> bytes:
    """The bytes of a signature, in either alphabet of base64; none where it is no base64."""
    try:
        return b64decode(signed.replace("-", "+").replace("_", "/") + "=" * (-len(signed) % 4))
    except ValueError:
        return b""


def messages(contents: Any) -> list[dict[str, Any]]:
    """The contents as messages of blocks, for whoever finds the answer."""
    found = [content for content in contents if isinstance(content, Mapping)] if isinstance(contents, list) else []
    roles = {"model": "assistant"}
    return [
        {
            "role": roles.get(str(content.get("role")), "user"),
            "content": [block(part) for part in parts_of(content) if isinstance(part, Mapping)],
        }
        for content in found
    ]


def block(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part as a block."""
    if call := either(part, "functionCall"):
        return {"type": "tool_use", "id": call.get("id") or "", "name": call.get("name")}
    if response := either(part, "functionResponse"):
        return {"type": "tool_result", "content": str((response.get("response") or {}).get("output", ""))}
    if isinstance(part.get("text"), str) and part.get("thought") is not True:
        return {"type": "text", "text": part["text"]}
    return {"type": "other"}
