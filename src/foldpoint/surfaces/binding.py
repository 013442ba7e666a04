"""What a Messages request asks for where thinking in it may have been made under another prefix: leave that out.

Source: platform.claude.com/docs, "Preserved thinking"; the same setting on Amazon Bedrock and Vertex.
"""

from typing import Any

import msgspec

from ..core.errors import Unreadable
from .spans import offset, past_blanks, sourced

BETA = "thinking-binding-controls-2026-08-01"
"""Without it the setting is refused as an extra input."""
DROP = b'"drop_block"'
ASKED = b'"prefix_mismatch_behavior":' + DROP
BINDING = b'"block_binding":{' + ASKED + b"}"
THINKING = b'"thinking":{"type":"adaptive",' + BINDING + b"}"
"""Models that bind thinking think adaptively unless told otherwise, so this asks for nothing new."""
TYPES = ("adaptive", "enabled")
"""The kinds of thinking that have the setting."""
FORCED = ("any", "tool")
"""Choices of a tool that do not go with thinking which is asked for; unasked, a model may do without it."""
_NONE = msgspec.Raw()


class _Body(msgspec.Struct, gc=False):
    thinking: msgspec.Raw = _NONE
    tool_choice: Any = None
    anthropic_beta: msgspec.Raw = _NONE


class _Thinking(msgspec.Struct, gc=False):
    type: str = ""
    block_binding: msgspec.Raw = _NONE


class _Binding(msgspec.Struct, gc=False):
    prefix_mismatch_behavior: msgspec.Raw = _NONE


_BODY = msgspec.json.Decoder(_Body)
_THINKING = msgspec.json.Decoder(_Thinking)
_BINDING = msgspec.json.Decoder(_Binding)
_BETAS = msgspec.json.Decoder(list[str])


def bound(body: bytes, surface: str, path: str) -> tuple[bytes, str]:
    """The body that asks for mismatching thinking to be dropped, and the beta to be named in a header for it.

    The caller's own setting stands, and thinking that is turned off has none: the body is as it is then. On InvokeModel
    the beta is named in the body, and none in a header.
    """
    if surface != "anthropic":
        return body, ""
    try:
        asking = _asking(body)
        if asking is body:
            return body, ""
        return (_with_beta(asking), "") if "/model/" in path else (asking, BETA)
    except Unreadable:
        return body, ""


def _asking(body: bytes) -> bytes:
    """The body with the setting; the body itself where it has one or can't have one. Raises Unreadable."""
    found, source = sourced(_BODY, body)
    if _unset(found.thinking):
        if isinstance(found.tool_choice, dict) and found.tool_choice.get("type") in FORCED:
            return body
        return _put(body, 0, THINKING, found.thinking, source)
    start = offset(found.thinking, source)
    thinking, source = sourced(_THINKING, bytes(found.thinking))
    if thinking.type not in TYPES:
        return body
    if _unset(thinking.block_binding):
        return _put(body, start, BINDING, thinking.block_binding, source)
    start += offset(thinking.block_binding, source)
    binding, source = sourced(_BINDING, bytes(thinking.block_binding))
    if _unset(binding.prefix_mismatch_behavior):
        return _put(body, start, ASKED, binding.prefix_mismatch_behavior, source)
    return body


def _with_beta(body: bytes) -> bytes:
    """The body that names the beta. Raises Unreadable."""
    found, source = sourced(_BODY, body)
    named = b'"' + BETA.encode() + b'"'
    if _unset(found.anthropic_beta):
        return _put(body, 0, b'"anthropic_beta":[' + named + b"]", found.anthropic_beta, source)
    if BETA in sourced(_BETAS, bytes(found.anthropic_beta))[0]:
        return body
    return _put(body, offset(found.anthropic_beta, source), named, _NONE, source)


def _unset(given: msgspec.Raw) -> bool:
    return bytes(given) in (b"", b"null")


def _put(body: bytes, start: int, member: bytes, given: msgspec.Raw, source: bytes) -> bytes:
    """The body with the member in the object (or list) that begins at `start`: in the place of a null, else as first.

    given: the null, if there is one, in `source`, which the object was decoded from.
    """
    if given:
        null = start + offset(given, source)
        return body[:null] + member.partition(b":")[2] + body[null + len(b"null") :]
    inside = past_blanks(body, start) + 1
    end = past_blanks(body, inside)
    return body[:inside] + member + (b"" if body[end : end + 1] in (b"}", b"]") else b",") + body[inside:]
