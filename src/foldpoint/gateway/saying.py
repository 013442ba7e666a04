"""Answers of our own paths."""

from http import HTTPStatus

import msgspec
from aiohttp import web


def said(value: object, status: int = HTTPStatus.OK) -> web.Response:
    """A JSON answer that nobody keeps."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", headers=headers
    )
