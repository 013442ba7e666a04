"""A client that sends one request after the other down one way: to the provider, or through the gateway."""

import http.client
import time
from collections.abc import Mapping

import msgspec

from foldpoint.core.errors import FoldpointError
from foldpoint.core.usage import Usage
from foldpoint.gateway.usage_copy import UsageCopy

PATHS = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": "/v1beta/models/{model}:generateContent",
    "bedrock": "/model/{model}/converse",
}
TIMEOUT_SECONDS = 60.0


class Answer(msgspec.Struct, frozen=True):
    """What came back: status, headers by small name, the bill, and the milliseconds until all of it was there."""

    status: int
    headers: Mapping[str, str]
    usage: Usage
    ms: float
    message: str = ""


class Route:
    """Requests to one port, on one connection. `key` is the customer whose cache the provider keeps."""

    def __init__(self, port: int, key: str) -> None:
        self.key = key
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)

    def ask(self, body: bytes, surface: str, model: str) -> Answer:
        """Send one request and read the whole answer. Raises FoldpointError where there is none."""
        headers = {"content-type": "application/json", "x-api-key": self.key, "anthropic-version": "2023-06-01"}
        if surface != "anthropic":
            headers = {"content-type": "application/json", "authorization": f"Bearer {self.key}"}
        began = time.perf_counter()
        try:
            self.connection.request("POST", PATHS[surface].format(model=model), body, headers)
            answer = self.connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise FoldpointError(f"no answer from 127.0.0.1:{self.connection.port}: {error!r}") from None
        ms = 1e3 * (time.perf_counter() - began)
        if answer.status != 200:
            return Answer(answer.status, named(answer), Usage(), ms, said(data))
        return Answer(answer.status, named(answer), billed(answer, data, surface), ms)

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


def named(answer: http.client.HTTPResponse) -> dict[str, str]:
    """Read the headers by small name."""
    return {name.lower(): value for name, value in answer.getheaders()}


def billed(answer: http.client.HTTPResponse, data: bytes, surface: str) -> Usage:
    """The bill that the answer states. Raises FoldpointError where it states none."""
    copy = UsageCopy(surface, named(answer))
    copy.feed(data)
    usage = copy.usage()
    if usage is None:
        raise FoldpointError("the answer does not say what was billed: the request asks for a stream without usage")
    return usage


def said(data: bytes) -> str:
    """The message of an error, or the beginning of what came."""
    try:
        found = msgspec.json.decode(data)
        return str(found.get("error", found)["message"])
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError):
        return data[:200].decode("utf-8", "replace")
