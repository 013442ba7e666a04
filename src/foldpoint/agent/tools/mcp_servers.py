"""Tools of MCP servers: a server is started or reached once, and again after it was lost."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from foldpoint.agent.ports import Outcome, ToolSpec

from .mcp_content import text_of
from .names import ToolError, given_name
from .settings import McpSettings, pointed

CLOSING = 5.0
"""Seconds that a server has to end by itself."""
PAGES = 100
"""Pages of a listing that are read."""
_LOST = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT)


class Server:
    """A server by its settings, with at most one connection to it."""

    def __init__(self, name: str, settings: McpSettings, environ: Mapping[str, str]) -> None:
        self.name = name
        self._settings = settings
        self._environ = environ
        self._connecting = asyncio.Lock()
        self._client: Client | None = None
        self._holding: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()

    async def tools(self) -> list["McpTool"]:
        """What it has, as it says at the start. Raises ToolError."""
        wanted = set(self._settings.tools)
        listed = await self._listed()
        if missing := sorted(wanted - {tool.name for tool in listed}):
            raise ToolError(f"tools.mcp.{self.name}.tools: the server has no tool {missing[0]!r}")
        return [McpTool(self, tool) for tool in listed if not wanted or tool.name in wanted]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call one of its tools. A server that is lost meanwhile is started or reached anew at the next call."""
        try:
            client = await self._connected()
        except ToolError as error:
            return Outcome(f"[{error}]", failed=True)
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                return text_of(await client.call_tool(tool, dict(arguments)))
        except TimeoutError:
            failed = f"did not answer within {self._settings.timeout_seconds:g} seconds"
        except MCPError as error:
            if error.error.code not in _LOST:
                return self._failed(f"refused the call: {error}")
            failed = f"broke off the call: {error}"
        except Exception as error:  # noqa: BLE001 (a server may say anything, and its client raise of every kind)
            failed = f"broke off the call: {_leaf(error)}"
        if client is self._client:
            await self.close()
        return self._failed(failed)

    async def close(self) -> None:
        """Leave it; one that was started is stopped."""
        holding, self._holding, self._client = self._holding, None, None
        self._leave.set()
        if holding:
            await asyncio.wait([holding], timeout=CLOSING)
            holding.cancel()
            await asyncio.wait([holding], timeout=CLOSING)

    async def _listed(self) -> list[types.Tool]:
        found: list[types.Tool] = []
        client = await self._connected()
        try:
            async with asyncio.timeout(self._settings.start_timeout_seconds):
                page = await client.list_tools()
                found += page.tools
                for _ in range(PAGES):
                    if not page.next_cursor:
                        break
                    page = await client.list_tools(cursor=page.next_cursor)
                    found += page.tools
        except Exception as error:
            await self.close()
            raise ToolError(f"tools.mcp.{self.name}: its tools could not be listed: {_leaf(error)}") from error
        return found

    async def _connected(self) -> Client:
        """The connection, made where there is none. Raises ToolError."""
        async with self._connecting:
            if self._client and self._holding and not self._holding.done():
                return self._client
            await self.close()
            self._leave = asyncio.Event()
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._holding = asyncio.create_task(self._hold(ready, self._leave))
            try:
                async with asyncio.timeout(self._settings.start_timeout_seconds):
                    self._client = await ready
            except BaseException as error:
                self._holding.cancel()
                await self.close()
                if not isinstance(error, Exception):
                    raise
                raise ToolError(f"tools.mcp.{self.name}: the server could not be {self._reached(error)}") from error
            return self._client

    async def _hold(self, ready: asyncio.Future[Client], leave: asyncio.Event) -> None:
        """Enter the connection and leave it, in one task as its scopes demand."""
        try:
            async with _transport(self._settings, self._environ) as transport, Client(transport, cache=None) as client:
                with suppress(asyncio.InvalidStateError):
                    ready.set_result(client)
                await leave.wait()
        except Exception as error:  # noqa: BLE001 (whoever waits for the connection raises it)
            with suppress(asyncio.InvalidStateError):
                ready.set_exception(error)

    def _reached(self, error: Exception) -> str:
        how = "reached" if self._settings.url else "started"
        if isinstance(error, TimeoutError):
            return f"{how} within {self._settings.start_timeout_seconds:g} seconds"
        return f"{how}: {_leaf(error)}"

    def _failed(self, what: str) -> Outcome:
        return Outcome(f"[the MCP server {self.name} {what}]", failed=True)


class McpTool:
    """A tool of a server, named `server__tool`; repeatable where the server says that it is."""

    def __init__(self, server: Server, tool: types.Tool) -> None:
        self._server = server
        self._tool = tool
        hints = tool.annotations
        self.repeatable = bool(hints and (hints.read_only_hint or hints.idempotent_hint))

    @property
    def spec(self) -> ToolSpec:
        """What the server says of it."""
        name = given_name(f"{self._server.name}__{self._tool.name}")
        return ToolSpec(name, self._tool.description or "", self._tool.input_schema)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Call it; cancelled, the server is told."""
        return await self._server.call(self._tool.name, arguments)


@asynccontextmanager
async def _transport(
    settings: McpSettings, environ: Mapping[str, str]
) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
    """The way to the server."""
    if not settings.url:
        own = pointed(settings.environment, environ)
        start = StdioServerParameters(
            command=settings.command, args=list(settings.args), env=own, cwd=settings.directory
        )
        yield stdio_client(start, errlog=sys.__stderr__ or sys.stderr)
        return
    async with httpx2.AsyncClient(headers=pointed(settings.headers, environ), timeout=None) as http:
        yield streamable_http_client(settings.url, http_client=http)


def _leaf(error: BaseException) -> str:
    """What went wrong in the first of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
