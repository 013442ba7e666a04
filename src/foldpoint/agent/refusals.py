"""Errors of HTTP and of the connection, as AskErrors."""

import math
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime

import httpx2

from .dialects.reading import PERMANENT, members, text_in, told
from .dialects.texts import decoded
from .errors import AskError

LATER = (408, 409, 425, 429)
"""Statuses under 500 with which the same request may be answered later."""
NEVER = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL)


def refusal(response: httpx2.Response, body: bytes) -> AskError:
    """The error of a response that is no 200."""
    status, headers = response.status_code, response.headers
    message, kind = _said(body)
    said = headers.get("x-should-retry", "").lower()
    retryable = said == "true" or (said != "false" and (status >= 500 or (status in LATER and kind not in PERMANENT)))
    text = f"status {status}: {message or response.reason_phrase or 'no reason given'}"
    return AskError(text, retryable=retryable, retry_after=seconds(headers), status=status, kind=kind)


def broken(error: Exception) -> AskError:
    """The error of a connection that failed, or of a request that can't be sent."""
    why = told(str(error)) or type(error).__name__
    if isinstance(error, httpx2.ConnectTimeout):
        why = "no connection in time"
    elif isinstance(error, httpx2.TimeoutException):
        why = "the provider is silent"
    return AskError(why, retryable=not isinstance(error, NEVER))


def seconds(headers: httpx2.Headers) -> float | None:
    """How long the provider asks to wait: `retry-after-ms`, or `retry-after` as seconds or a date."""
    with suppress(ValueError):
        return _wait(float(headers.get("retry-after-ms", "")) / 1000)
    given = headers.get("retry-after", "")
    with suppress(ValueError):
        return _wait(float(given))
    with suppress(ValueError):
        return _wait(parsedate_to_datetime(given).timestamp() - time.time())
    return None


def _wait(given: float) -> float:
    """The wait. Raises ValueError for one that has no end, or is no number."""
    if not math.isfinite(given):
        raise ValueError(given)
    return max(0.0, given)


def _said(body: bytes) -> tuple[str, str]:
    """(message, kind) of the body of an error, whichever of the usual shapes it has."""
    try:
        document = members(decoded(body))
    except ValueError:
        return told(body.decode("utf-8", "replace")), ""
    error = document.get("error")
    given = members(error) or document
    message = text_in(given.get("message")) or text_in(error) or text_in(given.get("detail"))
    return told(message), text_in(given.get("code")) or text_in(given.get("type"))
