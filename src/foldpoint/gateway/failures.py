"""Errors of our own, as answers in the caller's shape."""

from aiohttp import web

from foldpoint.core.errors import FoldpointError
from foldpoint.surfaces.errors import error_body, error_headers

CLIENT_LEFT = 499


class Failure(FoldpointError):
    """A request that we cannot serve: the status for the client and what is wrong, with the mend."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


def failure_response(failure: Failure, surface: str, request_id: str, headers: dict[str, str]) -> web.Response:
    """The answer that says it. `headers` are ours of this request."""
    return web.Response(
        status=failure.status,
        body=error_body(surface, failure.status, f"foldpoint: {failure.message}", request_id),
        headers={**headers, **error_headers(surface, failure.status)},
        content_type="application/json",
    )
