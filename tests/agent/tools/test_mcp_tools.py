"""Tools of real MCP servers, started and reached, that answer, hang and die."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from foldpoint.agent.ports import Outcome, Tool
from foldpoint.agent.tools import McpSettings, ToolError, ToolSettings, open_tools

EXAMPLE = str(Path(__file__).with_name("mcp_example.py"))
STDIO = McpSettings(command=sys.executable, args=(EXAMPLE, "stdio"), environment={"WHO": "env:ME"})
Tools = Mapping[str, Tool]


def with_tools(settings: McpSettings, then: Callable[[Tools], Awaitable[Any]]) -> Any:
    """What `then` gives, with the tools of one server by their names."""

    async def opened() -> Any:
        environ = {"ME": "me", "KEY": "k"}
        async with open_tools(ToolSettings(mcp={"example": settings}), environ) as tools:
            return await then({tool.spec.name: tool for tool in tools})

    return asyncio.run(opened())


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The example, reached over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, EXAMPLE, "http", str(port)], stderr=subprocess.DEVNULL)
    for _ in range(500):
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/mcp"
    server.kill()
    server.wait()


async def all_outcomes(tools: Tools) -> dict[str, Outcome]:
    """What the tools of the example give."""
    calls: dict[str, dict[str, Any]] = {
        "greet": {"name": "you"},
        "point": {},
        "files_read": {},
        "fail": {},
    }
    return {name: await tools[f"example__{name}"].run(given) for name, given in calls.items()}


def test_started_server_answers() -> None:
    """It sees the variables that the settings give it alone; texts, structures and pictures are told."""
    assert with_tools(STDIO, all_outcomes) == {
        "greet": Outcome("hello you from me, key None"),
        "point": Outcome('{\n  "x": 1,\n  "y": 2\n}'),
        "files_read": Outcome("see\n[image image/png, 8 bytes]"),
        "fail": Outcome("Error executing tool fail", failed=True),
    }


def test_reached_server_answers(url: str) -> None:
    """The same over HTTP."""
    outcomes = with_tools(McpSettings(url=url, headers={"x-key": "env:KEY"}), all_outcomes)
    assert outcomes["files_read"] == Outcome("see\n[image image/png, 8 bytes]")


def test_specs_are_what_the_server_says() -> None:
    """Under the server's name; repeatable where it says so; those that the settings name, where they do."""

    async def told(tools: Tools) -> Any:
        greet = tools["example__greet"]
        return greet.spec.description, greet.spec.parameters["required"], [(n, t.repeatable) for n, t in tools.items()]

    settings = McpSettings(command=STDIO.command, args=STDIO.args, tools=("greet", "point"))
    assert with_tools(settings, told) == (
        "Greet somebody.",
        ["name"],
        [("example__greet", True), ("example__point", False)],
    )


def test_wrong_arguments_are_a_failed_outcome() -> None:
    """As the server tells it, which is asked further."""

    async def wrong(tools: Tools) -> tuple[bool, Outcome]:
        return (await tools["example__greet"].run({"nam": 1})).failed, await tools["example__greet"].run({"name": "b"})

    assert with_tools(STDIO, wrong) == (True, Outcome("hello b from me, key None"))


def test_server_that_dies_is_started_again() -> None:
    """The call fails, the next one finds a new server."""

    async def died(tools: Tools) -> tuple[Outcome, Outcome, bool]:
        before = await tools["example__pid"].run({})
        end = await tools["example__die"].run({})
        after = await tools["example__pid"].run({})
        return end, Outcome("", after.failed), before.text != after.text

    end, after, anew = with_tools(STDIO, died)
    assert (end.failed, end.text.startswith("[the MCP server example ")) == (True, True)
    assert (after, anew) == (Outcome(""), True)


def test_call_that_hangs_is_a_failed_outcome() -> None:
    """After the settings' time; the next call is served."""

    async def hung(tools: Tools) -> tuple[Outcome, Outcome]:
        return await tools["example__sleep"].run({"seconds": 60}), await tools["example__sleep"].run({"seconds": 0})

    settings = McpSettings(command=STDIO.command, args=STDIO.args, timeout_seconds=1)
    assert with_tools(settings, hung) == (
        Outcome("[the MCP server example did not answer within 1 seconds]", failed=True),
        Outcome("slept"),
    )


def test_cancelled_call_leaves_the_server_usable() -> None:
    """The same process answers the next call, and is gone when the tools are."""

    async def cancelled(tools: Tools) -> tuple[int, int]:
        before = await tools["example__pid"].run({})
        call = asyncio.create_task(tools["example__sleep"].run({"seconds": 60}))
        await asyncio.sleep(0.1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return int(before.text), int((await tools["example__pid"].run({})).text)

    before, after = with_tools(STDIO, cancelled)
    assert (before == after, psutil.pid_exists(before)) == (True, False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (McpSettings(command="/nowhere/server"), "tools.mcp.example: the server could not be started: "),
        (McpSettings(command=sys.executable, args=("-c", "")), "tools.mcp.example: the server could not be started: "),
        (
            McpSettings(command="sleep", args=("300",), start_timeout_seconds=0.3),
            "tools.mcp.example: the server could not be started within 0.3 seconds",
        ),
        (McpSettings(url="http://127.0.0.1:1/mcp"), "tools.mcp.example: the server could not be reached: "),
        (
            McpSettings(command=STDIO.command, args=STDIO.args, tools=("nope",)),
            "tools.mcp.example.tools: the server has no tool 'nope'",
        ),
    ],
)
def test_server_that_cant_be_had_is_an_error_at_the_start(settings: McpSettings, message: str) -> None:
    """With the settings' key, and no process left behind."""

    async def nothing(_: Tools) -> None:
        return None

    with pytest.raises(ToolError) as caught:
        with_tools(settings, nothing)
    assert str(caught.value).startswith(message)
    assert [child for child in psutil.Process(os.getpid()).children() if child.name() == "sleep"] == []


PAGED = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, at = asked["method"], int(asked.get("params", {}).get("cursor") or 0)
    tools = [{"name": f"t{at}", "inputSchema": {"type": "object"}}]
    known = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "p", "version": "1"},
        },
        "tools/list": {"tools": tools, **({"nextCursor": str(at + 1)} if at < 2 else {})},
        "tools/call": {
            "content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}],
            "structuredContent": {"n": 1},
        },
    }
    if "id" not in asked:
        continue
    answer = {"result": known[method]} if method in known else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


def test_listing_is_read_to_its_last_page() -> None:
    """Of a server of an earlier protocol too; structured content is told where no text tells it."""

    async def listed(tools: Tools) -> tuple[list[str], Outcome]:
        return list(tools), await tools["example__t1"].run({})

    assert with_tools(McpSettings(command=sys.executable, args=("-c", PAGED)), listed) == (
        ["example__t0", "example__t1", "example__t2"],
        Outcome('{"n":1}\n[resource file:///a: a]'),
    )
