"""The sockets of an address."""

import asyncio
import os
import socket

BACKLOG = 1024


async def listening_at(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at every address of the host (port 0: a free one). Raises OSError."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(asyncio.Protocol, host, port, start_serving=False)
    sockets = [socket.socket(fileno=os.dup(each.fileno())) for each in server.sockets]
    server.close()
    for each in sockets:
        each.listen(BACKLOG)
    return sockets
