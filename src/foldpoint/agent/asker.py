"""Asks a provider over HTTP, and reads its answer as it comes."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from typing import Self

import httpx2

from .dialects import reading_of
from .dialects.reading import DONE, Members, Reading, failure, members
from .dialects.texts import decoded, mended
from .endpoint import endpoint_of, headers_of, session_of
from .errors import AskError
from .ports import Answer
from .refusals import broken, refusal

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 300.0
DRAIN_SECONDS = 0.5
"""How long the end of a stream is waited for once the answer is whole: a stream that ended leaves its connection."""
LEAST_SECRET = 6
"""Characters of a key or a header that is kept out of messages; a shorter one stands in too many other words."""
LONGEST_ANSWER = 64 << 20


class HttpAsker:
    """An Asker; close it, or use it in `async with`.

    Args:
        base_url: see `endpoint_of`.
        key: sent as `x-api-key` (anthropic) or as a bearer; none where it is empty.
        conversation: sent as `x-ace-session`.
        headers: further ones; they win over ours.
        idle_seconds: the longest silence of the provider.
    """

    def __init__(
        self,
        surface: str,
        base_url: str,
        key: str = "",
        *,
        conversation: str = "",
        headers: Mapping[str, str] | None = None,
        idle_seconds: float = IDLE_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        self._endpoint = endpoint_of(surface, base_url)
        self._headers = headers_of(surface, key, conversation, headers or {})
        self._secrets = [value for value in (key, *(headers or {}).values()) if len(value) >= LEAST_SECRET]
        self._client = httpx2.AsyncClient(timeout=httpx2.Timeout(idle_seconds, connect=connect_seconds))

    def within(self, conversation: str) -> Self:
        """The same asker in another conversation; they share their connections, and close together."""
        other = copy(self)
        other._headers = self._headers | session_of(conversation)
        return other

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave the provider."""
        await self._client.aclose()

    async def ask(self, body: bytes, say: Callable[[str], None]) -> Answer:
        """Send it; each piece of the answer's text is said as it comes. Raises AskError."""
        try:
            async with self._client.stream(
                "POST", self._endpoint.url, content=body, headers=self._headers, follow_redirects=False
            ) as response:
                if response.status_code != 200:
                    raise refusal(response, await _whole(response))
                return await read(response, reading_of(self._endpoint.surface), say)
        except AskError as error:
            raise self._told(error) from None
        except (httpx2.RequestError, httpx2.StreamError, httpx2.InvalidURL) as error:
            raise self._told(broken(error)) from None

    def _told(self, error: AskError) -> AskError:
        """The error with the address, and without what is secret."""
        text = f"{self._endpoint.shown}: {error}"
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return AskError(
            text, retryable=error.retryable, retry_after=error.retry_after, status=error.status, kind=error.kind
        )


async def read(response: httpx2.Response, reading: Reading, say: Callable[[str], None]) -> Answer:
    """The answer in a response, of events or one document. Raises AskError and what httpx2 raises."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        await _streamed(response, reading, say)
    else:
        _document(await _whole(response), kind, reading, say)
    if not reading.complete:
        raise AskError("the answer ends before it is whole", retryable=True)
    return reading.answer()


async def _streamed(response: httpx2.Response, reading: Reading, say: Callable[[str], None]) -> None:
    events = aiter(httpx2.EventSource(response, max_event_size=LONGEST_ANSWER))
    async for event in events:
        text = reading.take(_event(event.data))
        if text:
            say(mended(text))
        if reading.ended:
            break
    with suppress(TimeoutError, httpx2.RequestError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in events:
                pass


def _event(data: str) -> Members:
    """The object of an event; an empty one for an event without data, and for chat completions' last word."""
    if not data.strip() or data.strip() == DONE:
        return {DONE: True} if data.strip() else {}
    try:
        return members(decoded(data))
    except ValueError:
        raise AskError("an event of the answer is no JSON", retryable=True) from None


def _document(body: bytes, kind: str, reading: Reading, say: Callable[[str], None]) -> None:
    try:
        document = members(decoded(body))
    except ValueError:
        if kind.endswith("json"):
            raise AskError("the answer is no whole JSON", retryable=True) from None
        raise AskError(f"what answers is no such API: it sent {kind or 'nothing'}", retryable=False) from None
    if document.get("error"):
        raise failure(document["error"])
    text = reading.whole(document)
    if text:
        say(mended(text))


async def _whole(response: httpx2.Response) -> bytes:
    """The body, up to LONGEST_ANSWER."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LONGEST_ANSWER:
            raise AskError(f"the answer is longer than {LONGEST_ANSWER} bytes", retryable=False)
    return bytes(body)
