"""Errors of our own, as answers in the caller's shape."""

from collections.abc import Mapping

from aiohttp import web

from foldpoint.core.errors import FoldpointError
from foldpoint.surfaces.errors import error_body, error_headers


class Failure(FoldpointError):
    """A request that we cannot serve: the status for the client and what is wrong, with the mend.

    `seconds` says when it is worth to ask again, `headers` what else the answer says of it.
    """

    def __init__(
        self, status: int, message: str, *, seconds: float | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.message = message
        self.seconds = seconds
        self.headers = headers or {}
        super().__init__(message)


def failure_response(failure: Failure, surface: str, request_id: str, headers: dict[str, str]) -> web.Response:
    """The answer that says it. `headers` are ours of this request."""
    return web.Response(
        status=failure.status,
        body=error_body(surface, failure.status, f"foldpoint: {failure.message}", request_id, failure.seconds),
        headers={
            **headers,
            **retry_headers(failure.seconds),
            **failure.headers,
            **error_headers(surface, failure.status),
        },
        content_type="application/json",
    )


def retry_headers(seconds: float | None) -> dict[str, str]:
    """When to ask again, in whole seconds rounded up and in milliseconds (OpenAI's SDKs read these first)."""
    if seconds is None:
        return {}
    return {"Retry-After": str(max(1, -int(-seconds // 1))), "retry-after-ms": str(max(1, round(seconds * 1000)))}
