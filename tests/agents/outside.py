"""What a client finds in place of the internet: a proxy that lets nothing out and writes down who was asked for."""

import asyncio
from typing import Self

REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Outside:
    """The proxy, listening on loopback while its `async with` block runs; `asked` are the targets, in order."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self.refuse, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *raised: object) -> None:
        self.server.close()
        await self.server.wait_closed()

    async def refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        words = (await reader.readline()).decode(errors="replace").split()
        self.asked.append(words[1] if len(words) > 1 else "")
        writer.write(REFUSAL)
        await writer.drain()
        writer.close()

    @property
    def environment(self) -> dict[str, str]:
        """The variables that send a client here for all but loopback."""
        url = f"http://127.0.0.1:{self.port}"
        names = {"HTTP_PROXY": url, "HTTPS_PROXY": url, "ALL_PROXY": url, "NO_PROXY": "127.0.0.1,localhost"}
        return names | {name.lower(): value for name, value in names.items()}
