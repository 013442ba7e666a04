"""The text of what an MCP tool gave: texts as they are, structured values as JSON, all else described."""

from base64 import b64decode

import msgspec
from mcp import types

from foldpoint.agent.ports import Outcome

from .output import storable


def text_of(result: types.CallToolResult) -> Outcome:
    """The outcome; structured content is told where no text tells it."""
    parts = [_part(block) for block in result.content]
    if result.structured_content is not None and not any(isinstance(b, types.TextContent) for b in result.content):
        parts.insert(0, msgspec.json.encode(result.structured_content).decode())
    return Outcome(storable("\n".join(parts)), failed=bool(result.is_error))


def _part(block: types.ContentBlock) -> str:
    if isinstance(block, types.TextContent):
        return block.text
    if isinstance(block, types.ImageContent | types.AudioContent):
        return f"[{block.type} {block.mime_type}, {_size(block.data)} bytes]"
    if isinstance(block, types.ResourceLink):
        return f"[resource {block.uri}: {block.title or block.name}]"
    resource = block.resource
    if isinstance(resource, types.TextResourceContents):
        return f"[resource {resource.uri}]\n{resource.text}"
    return f"[resource {resource.uri}, {resource.mime_type or 'binary'}, {_size(resource.blob)} bytes]"


def _size(data: str) -> int:
    """Bytes that the base64 stands for; 0 where it is none."""
    try:
        return len(b64decode(data))
    except ValueError:
        return 0
