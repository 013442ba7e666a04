"""CountTokens wraps a body for InvokeModel in base64: what is counted is what would be sent."""

from base64 import b64decode, b64encode
from typing import Any

import msgspec

from foldpoint.core.errors import Unreadable
from foldpoint.core.policy import Mode
from foldpoint.surfaces import spans

from .modes import Consulted, Folder, consult

PATH = "/count-tokens"


class _Wrapped(msgspec.Struct, gc=False):
    body: msgspec.Raw


class _Input(msgspec.Struct, gc=False, rename="camel"):
    invoke_model: _Wrapped


class _Count(msgspec.Struct, gc=False):
    input: _Input


_COUNT = msgspec.json.Decoder(_Count)
_TEXT = msgspec.json.Decoder(str)


def consult_inside(engine: Folder, mode: Mode, content: bytes, path: str, tenant: str) -> Consulted | None:
    """Ask the engine about the body inside; None where the request wraps none. The answer's body is wrapped again."""
    try:
        found, source = spans.sourced(_COUNT, content)
        raw: Any = found.input.invoke_model.body
        inner = b64decode(spans.decoded(_TEXT, bytes(raw)), validate=True)
    except (Unreadable, ValueError):
        return None
    done = consult(engine, mode, inner, "anthropic", path, tenant)
    if done.body is inner:
        return msgspec.structs.replace(done, body=content)
    start = spans.offset(raw, source)
    wrapped = content[:start] + b'"' + b64encode(done.body) + b'"' + content[start + len(bytes(raw)) :]
    return msgspec.structs.replace(done, body=wrapped)
