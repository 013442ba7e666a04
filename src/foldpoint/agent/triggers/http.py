"""Triggers over HTTP: what is posted is put into the file queue before it is acknowledged, so that none is lost."""

import hmac
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from secrets import token_hex
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta

from foldpoint.core.errors import FoldpointError

from .files import MOST_BYTES, FileQueue

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class DoorError(FoldpointError):
    """The door can't be opened as it is wanted."""


class DoorSettings(msgspec.Struct, frozen=True):
    """Where it listens (port 0: any free one), the key that a request must show, and how many triggers may wait."""

    host: str = "127.0.0.1"
    port: int = 4700
    key: str = ""
    most_waiting: int = 100


class Posted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of `POST /trigger`; the same id is taken once."""

    text: Annotated[str, Meta(min_length=1)]
    id: str = ""


@asynccontextmanager
async def open_door(queue: FileQueue, settings: DoorSettings, conversation: str) -> AsyncIterator[str]:
    """Listen while it is open; its URL. Raises DoorError."""
    if not settings.key and not _is_loopback(settings.host):
        raise DoorError(f"triggers on {settings.host} can be reached by other machines: set a key, or use 127.0.0.1")
    runner = web.AppRunner(_app(queue, settings, conversation), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port)
        try:
            await site.start()
        except OSError as error:
            raise DoorError(f"triggers can't listen on {settings.host}:{settings.port}: {error.strerror}") from error
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def _app(queue: FileQueue, settings: DoorSettings, conversation: str) -> web.Application:
    app = web.Application(client_max_size=2 * MOST_BYTES)

    async def trigger(request: web.Request) -> web.Response:
        if refused := _refused(request, settings):
            return refused
        try:
            posted = msgspec.json.decode(await request.read(), type=Posted)
        except msgspec.DecodeError as error:
            return _said(400, f'the body must be {{"text": …}}: {error}')
        return _taken(queue, settings, conversation, posted)

    async def health(request: web.Request) -> web.Response:
        return _json(200, {"status": "ok", "waiting": len(queue.waiting())})

    app.router.add_post("/trigger", trigger)
    app.router.add_get("/healthz", health)
    return app


def _taken(queue: FileQueue, settings: DoorSettings, conversation: str, posted: Posted) -> web.Response:
    """Put it into the queue, or say why not. It blocks the loop for a write, so that two of one id can't race."""
    text = posted.text.encode("utf-8", "replace")
    if posted.id and not _ID.fullmatch(posted.id):
        return _said(400, "id must be 1 to 64 letters, digits, _ and -")
    if not posted.text.strip() or len(text) > MOST_BYTES:
        return _said(400 if len(text) <= MOST_BYTES else 413, f"text must be 1 to {MOST_BYTES} bytes")
    name = posted.id or token_hex(16)
    about = {"conversation": conversation, "id": name}
    try:
        if posted.id and queue.known(f"@{posted.id}.txt"):
            return _json(202, {**about, "new": False})
        waiting = len(queue.waiting())
        if waiting >= settings.most_waiting:
            return _said(429, f"{waiting} triggers wait already", {"retry-after": "10"})
        _put(queue, f"{time.time_ns():020d}@{name}.txt", text)
    except OSError as error:
        return _said(503, f"the trigger could not be kept: {error.strerror}", {"retry-after": "10"})
    queue.wake()
    return _json(202, {**about, "new": True, "waiting": waiting + 1})


def _put(queue: FileQueue, name: str, data: bytes) -> None:
    """Write it beside, and rename it when it is on the disk."""
    partial = queue.directory / f".{name}.tmp"
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(partial, queue.directory / name)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    folder = os.open(queue.directory, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _refused(request: web.Request, settings: DoorSettings) -> web.Response | None:
    """The answer for who may not: shows no key; or, where there is none, comes from a page in a browser."""
    if settings.key:
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        right = hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), settings.key.encode())
        return None if right else _said(401, "show the key: Authorization: Bearer …")
    if not _is_loopback(request.url.host or ""):
        return _said(403, f"this door is called {settings.host}, not {request.url.host}")
    if request.content_type != "application/json":
        return _said(415, "the body must be application/json")
    return None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _said(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return _json(status, {"error": message}, headers)


def _json(status: int, value: dict[str, object], headers: dict[str, str] | None = None) -> web.Response:
    data = msgspec.json.encode(value)
    return web.Response(status=status, body=data, content_type="application/json", headers=headers)
