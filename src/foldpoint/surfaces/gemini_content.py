"""Gemini contents as they are decoded: roles and parts, members in camelCase and in snake_case."""

from typing import Any

import msgspec

from ..core.text import bare, weight
from .content import word
from .spans import decoded

_NONE = msgspec.Raw()
CODE = "code_execution"
"""The name that a call of the server's own code execution gets."""


class Blob(msgspec.Struct, gc=False):
    """Data in the body, or a file that the provider fetches."""

    mimeType: Any = None
    mime_type: Any = None
    data: Any = None
    fileUri: Any = None
    file_uri: Any = None

    @property
    def media_type(self) -> str:
        return word(self.mimeType or self.mime_type)


class Function(msgspec.Struct, gc=False):
    """A call, or the response to one; of the client's tools or of the server's (`toolCall`)."""

    id: Any = None
    name: Any = None
    toolType: Any = None
    tool_type: Any = None
    args: msgspec.Raw = _NONE
    response: msgspec.Raw = _NONE
    parts: "list[Part] | None" = None

    @property
    def named(self) -> str:
        """The tool's name as a line says it."""
        return bare(word(self.name or self.toolType or self.tool_type))

    @property
    def key(self) -> str:
        """Its id; `name#` where it has none."""
        return word(self.id) or f"{self.named}#"


class Code(msgspec.Struct, gc=False):
    """Code that the server runs, or what came of it."""

    id: Any = None
    code: Any = None
    outcome: Any = None
    output: Any = None

    @property
    def key(self) -> str:
        """Its id; `code_execution#` where it has none."""
        return word(self.id) or f"{CODE}#"


class Part(msgspec.Struct, gc=False):
    """A part of a content: one kind of data, and what stands beside it."""

    text: Any = None
    thought: Any = None
    thoughtSignature: Any = None
    thought_signature: Any = None
    functionCall: Function | None = None
    function_call: Function | None = None
    functionResponse: Function | None = None
    function_response: Function | None = None
    inlineData: Blob | None = None
    inline_data: Blob | None = None
    fileData: Blob | None = None
    file_data: Blob | None = None
    executableCode: Code | None = None
    executable_code: Code | None = None
    codeExecutionResult: Code | None = None
    code_execution_result: Code | None = None
    toolCall: Function | None = None
    tool_call: Function | None = None
    toolResponse: Function | None = None
    tool_response: Function | None = None

    @property
    def signed(self) -> int:
        """Bytes of its signature: the provider counts what was thought behind it as input."""
        return weight(word(self.thoughtSignature or self.thought_signature))

    @property
    def call(self) -> Function | None:
        return self.functionCall or self.function_call

    @property
    def response(self) -> Function | None:
        return self.functionResponse or self.function_response

    @property
    def blob(self) -> Blob | None:
        return self.inlineData or self.inline_data or self.fileData or self.file_data

    @property
    def is_image(self) -> bool:
        return self.blob is not None and self.blob.media_type.startswith("image/")


class _Content(msgspec.Struct, gc=False):
    role: str | None = None
    parts: list[Part] | Part | None = None


_CONTENT = msgspec.json.Decoder(_Content)


def read_content(item: bytes) -> tuple[str, list[Part]]:
    """Role and parts; one part may stand without its list. Raises Unreadable."""
    content = decoded(_CONTENT, item)
    parts = content.parts
    return content.role or "", [parts] if isinstance(parts, Part) else parts or []
