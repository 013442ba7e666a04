"""What tests of the agent's dialects share: tools, a loop over a provider, and a server that sends what it is told."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

from foldpoint.agent.dialects import dialect_of
from foldpoint.agent.ports import Answer, Asker, Row, ToolSpec

SURFACES = ("anthropic", "openai-chat", "openai-responses")
MODELS = {"anthropic": "claude-opus-5-5", "openai-chat": "gpt-6-sol", "openai-responses": "gpt-6-sol"}
SYSTEM = "You read reports."
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (ToolSpec("read_file", "Reads a file.", SCHEMA), ToolSpec("poll", "Polls.", {"type": "object"}))
TEXT = "the quick brown fox jumps over the lazy dog; " * 80

Wire = asyncio.StreamWriter


class Talk:
    """A conversation that grows: asks for the next answer, and answers its calls."""

    def __init__(self, task: str = "Read all parts of the report.") -> None:
        self.rows = [Row(1, "user", task)]
        self.said: list[str] = []

    async def turn(self, asker: Asker, surface: str) -> Answer:
        """Ask once."""
        body = dialect_of(surface, MODELS[surface]).body(self.rows, SYSTEM, TOOLS, 1000)
        answer = await asker.ask(body, self.said.append)
        self.add(Row(0, "assistant", answer.text, answer.calls, surface=surface, native=answer.native))
        for call in answer.calls:
            self.add(Row(0, "tool", f"{call.arguments}: {TEXT}", tool_call_id=call.id, name=call.name))
        return answer

    def add(self, row: Row) -> None:
        """Append a row, its number the next."""
        fields = {name: getattr(row, name) for name in Row.__struct_fields__}
        self.rows.append(Row(**{**fields, "seq": len(self.rows) + 1}))


class Server:
    """Answers with what `send` writes; `requests`: the heads and bodies it got."""

    def __init__(self, send: Callable[[Wire], object]) -> None:
        self.url = ""
        self.requests: list[bytes] = []
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        self._send = send

    async def _serve(self, reader: asyncio.StreamReader, writer: Wire) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                self.asked.set()
                self._send(writer)
                await writer.drain()
        self.left.set()
        writer.close()


@contextlib.asynccontextmanager
async def serving(send: Callable[[Wire], object]) -> AsyncIterator[Server]:
    """The server, listening on loopback."""
    made = Server(send)
    server = await asyncio.start_server(made._serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made


def response(body: bytes, kind: str = "application/json", status: int = 200, further: Sequence[str] = ()) -> bytes:
    """A response as it goes over the wire."""
    lines = [f"HTTP/1.1 {status} Said", f"content-type: {kind}", f"content-length: {len(body)}", *further]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
