"""Gemini contents as parts that a person or a program can read."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..core.errors import Unreadable
from .content import parts_span, word
from .gemini import Gemini, elements_of
from .gemini_content import CODE, Code, Function, Part, read_content
from .gemini_views import whole
from .spans import decoded

_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_ROLES = {"model": "assistant", "": "user"}


def messages(body: bytes) -> list[dict[str, Any]]:
    """The contents of a body, `model` as `assistant`; empty where it cannot be read. The parts are those of `parts`."""
    try:
        return [_message(item) for item in Gemini().read(body).items]
    except Unreadable:
        return []


def _message(item: bytes) -> dict[str, Any]:
    role, read = read_content(item)
    written = elements_of(parts_span(item)[1])
    found = [said for part, raw in zip(read, written, strict=True) for said in _said(part, raw)]
    return {"role": _ROLES.get(role, role), "parts": found}


def _said(part: Part, raw: bytes) -> Iterator[dict[str, Any]]:
    call, response = part.call or part.toolCall or part.tool_call, part.response or part.toolResponse
    response = response or part.tool_response
    code, came = part.executableCode or part.executable_code, part.codeExecutionResult or part.code_execution_result
    if call is not None:
        yield _call(word(call.id), call.named, bytes(call.args).decode("utf-8", "replace"))
    elif response is not None:
        yield from _result(response)
    elif code is not None:
        yield _call(word(code.id), CODE, word(code.code))
    elif came is not None:
        yield _ran(came)
    elif part.blob is not None:
        yield _file(part)
    elif part.text is None:
        kind = next((key for key, value in decoded(_ANY, raw).items() if isinstance(value, dict)), "")
        yield from [{"type": "other", "kind": kind}] if kind else []
    elif part.thought is True:
        yield {"type": "thinking", "text": word(part.text), "redacted": False}
    elif part.text:
        yield {"type": "text", "text": word(part.text)}


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}


def _result(response: Function) -> Iterator[dict[str, Any]]:
    text, failed = whole(response)
    call = word(response.id)
    yield {"type": "tool_result", "id": call, "name": response.named, "text": text, "error": failed}
    yield from ({**_file(part), "result": call} for part in response.parts or () if part.is_image)


def _ran(came: Code) -> dict[str, Any]:
    failed = came.outcome not in (None, "OUTCOME_OK")
    return {"type": "tool_result", "id": word(came.id), "name": CODE, "text": word(came.output), "error": failed}


def _file(part: Part) -> dict[str, Any]:
    blob = part.blob
    if blob is None or not part.is_image:
        return {"type": "other", "kind": "fileData" if part.fileData or part.file_data else "inlineData"}
    return {"type": "image", "media_type": blob.media_type, "url": word(blob.fileUri or blob.file_uri)}
