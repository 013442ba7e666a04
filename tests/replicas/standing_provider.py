"""A provider that remembers a digest of each body by the step that it is told: `python standing_provider.py`.

Says its address on stdout. It answers a body and says a usage at once, or with `x-stream: MILLISECONDS` piece by piece.
"""

import asyncio
import hashlib
import json
from collections import defaultdict

from aiohttp import web

PIECES = 4
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "input_tokens": 100, "output_tokens": 7}
ANSWER = json.dumps({"answer": "whole", "usage": USAGE}).encode()
EVENT = b"data: %s\n\n"
FIRST, NEXT, LAST = EVENT % ANSWER, EVENT % b'{"piece":"of it"}', EVENT % b"[DONE]"
"""What an answer's stream begins with, has in between, and ends with."""


class Provider:
    """Answers, and knows what it was asked."""

    def __init__(self) -> None:
        self.seen: defaultdict[str, list[str]] = defaultdict(list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The answer to a step."""
        body = await request.read()
        self.seen[request.headers.get("x-step", "")].append(hashlib.sha256(body).hexdigest())
        milliseconds = request.headers.get("x-stream")
        if milliseconds is None:
            return web.Response(body=ANSWER, content_type="application/json")
        stream = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await stream.prepare(request)
        await stream.write(FIRST)
        for _ in range(PIECES):
            await asyncio.sleep(int(milliseconds) / 1000 / PIECES)
            await stream.write(NEXT)
        await stream.write(LAST)
        return stream

    async def told(self, request: web.Request) -> web.Response:
        """The digests by step."""
        return web.json_response(self.seen)


async def main() -> None:
    """Serve until killed."""
    provider = Provider()
    app = web.Application(client_max_size=1 << 30)
    app.router.add_get("/seen", provider.told)
    app.router.add_post("/{path:.*}", provider.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
