"""Tools of the agent: a shell, Python functions, MCP servers."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from foldpoint.agent.ports import Tool

from .names import ToolError, check_names
from .python import python_tool, repeatable
from .settings import McpSettings, PythonSettings, ShellSettings, ToolSettings
from .shell import Shell

__all__ = [
    "McpSettings",
    "PythonSettings",
    "ShellSettings",
    "ToolError",
    "ToolSettings",
    "open_tools",
    "repeatable",
]


@asynccontextmanager
async def open_tools(settings: ToolSettings, environ: Mapping[str, str] = os.environ) -> AsyncIterator[Sequence[Tool]]:
    """The tools that the settings name, in their order; servers that were started are stopped at the end.

    A tool whose attribute `repeatable` is true may be called again where it is not known whether it was finished.
    Raises ToolError, naming what can't be had.
    """
    tools: list[Tool] = [Shell(settings.shell, environ)] if settings.shell else []
    tools += [python_tool(name, one) for name, one in settings.python.items()]
    async with AsyncExitStack() as stack:
        for name, one in settings.mcp.items():
            tools += await _served(name, one, environ, stack)
        check_names(tools)
        yield tools


async def _served(
    name: str, settings: McpSettings, environ: Mapping[str, str], stack: AsyncExitStack
) -> Sequence[Tool]:
    try:
        from .mcp_servers import Server
    except ImportError as error:
        raise ToolError(f"tools.mcp.{name} needs the package mcp: pip install 'foldpoint[agent]'") from error
    server = Server(name, settings, environ)
    stack.push_async_callback(server.close)
    return await server.tools()
