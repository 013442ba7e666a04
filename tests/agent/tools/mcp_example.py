"""An MCP server for the tests: `stdio`, or `http PORT`."""

import asyncio
import base64
import os
import sys

from mcp.server.mcpserver import Image, MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("example")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name} from {os.environ.get('WHO', 'nobody')}, key {os.environ.get('ANTHROPIC_API_KEY')}"


@server.tool()
def point() -> dict[str, int]:
    """Give a structure."""
    return {"x": 1, "y": 2}


@server.tool(name="files.read")
def picture() -> list[Image | str]:
    """Give a picture and a text."""
    return ["see", Image(data=base64.b64decode("iVBORw0KGgo="), format="png")]


@server.tool()
async def sleep(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "slept"


@server.tool()
def fail() -> str:
    """Raise."""
    raise ValueError("no good")


@server.tool()
def die() -> str:
    """End the server."""
    os._exit(3)


@server.tool()
def pid() -> str:
    """Tell the process."""
    return str(os.getpid())


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
