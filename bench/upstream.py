"""What stands behind the gateway in its benchmark: a provider that costs next to nothing, and a bare pass-through.

`python -m bench.upstream PORT` answers; `python -m bench.upstream PORT TARGET` passes on to another port.
"""

import asyncio
import sys

import aiohttp
from aiohttp import web

EVENTS = 50
HOLD = "x-bench-hold"
USAGE = b'{"input_tokens":9,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":1}'
FIRST = b'event: message_start\ndata: {"type":"message_start","message":{"usage":' + USAGE + b"}}\n\n"
TEXT = b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}'
DELTA = b"event: content_block_delta\ndata: " + TEXT + b"\n\n"
WHOLE = b'{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"usage":' + USAGE + b"}"


async def answer(request: web.Request) -> web.StreamResponse:
    """A stream of 50 events for a body that asks for one, else an object; `x-bench-hold` keeps a stream open."""
    body = await request.read()
    if b'"stream":true' not in body[:4096]:
        return web.Response(body=WHOLE, content_type="application/json")
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    await response.write(FIRST)
    await asyncio.sleep(float(request.headers.get(HOLD, 0)))
    for _ in range(EVENTS - 1):
        await response.write(DELTA)
    await response.write_eof()
    return response


def passing(target: int) -> web.Application:
    """An application that passes every request on as it is."""

    async def sessions(app: web.Application):  # type: ignore[no-untyped-def]
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
            app["session"] = session
            yield

    async def passed(request: web.Request) -> web.StreamResponse:
        body, url = await request.read(), f"http://127.0.0.1:{target}{request.path_qs}"
        kept = {
            name: value for name, value in request.headers.items() if name.lower() not in ("host", "content-length")
        }
        async with request.app["session"].request(request.method, url, data=body, headers=kept) as found:
            response = web.StreamResponse(status=found.status, headers={"content-type": found.content_type})
            await response.prepare(request)
            async for chunk in found.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    app = web.Application(client_max_size=0)
    app.cleanup_ctx.append(sessions)
    app.router.add_route("*", "/{path:.*}", passed)
    return app


def answering() -> web.Application:
    app = web.Application(client_max_size=0)
    app.router.add_get("/", alive)
    app.router.add_post("/{path:.*}", answer)
    return app


async def alive(request: web.Request) -> web.Response:
    return web.Response()


def main() -> None:
    port, *target = map(int, sys.argv[1:])
    app = passing(target[0]) if target else answering()
    try:
        import uvloop
    except ImportError:
        web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None)
    else:
        web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None, loop=uvloop.new_event_loop())


if __name__ == "__main__":
    main()
