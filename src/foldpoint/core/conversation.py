"""A conversation of an agent: its messages, as they are kept."""

from typing import Literal

import msgspec

Speaker = Literal["user", "assistant", "tool"]


class ToolCall(msgspec.Struct, frozen=True):
    """A call that the model asks for; `arguments` is its JSON text, as the model wrote it."""

    id: str
    name: str
    arguments: str


class Row(msgspec.Struct, frozen=True):
    """A message of a conversation, `seq` counted from 1.

    calls: what an assistant's message asks for; tool_call_id, name: the call that a tool's message answers;
    failed: the tool failed. surface, native: an assistant's message as its provider spelled it (the JSON of the
    message, or of the list of items), to be sent back as it is on that surface.
    created_at: seconds since the epoch. trigger: of a user's message, the trigger that it came by.
    """

    seq: int
    role: Speaker
    content: str
    calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    failed: bool = False
    surface: str = ""
    native: bytes = b""
    created_at: float = 0.0
    trigger: str = ""
