"""Where a surface is asked, from the base URL that its provider or a gateway gives."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from foldpoint.core.errors import FoldpointError, UnknownSurface

PATHS: Mapping[str, str] = {
    "anthropic": "messages",
    "openai-chat": "chat/completions",
    "openai-responses": "responses",
}
ANTHROPIC_VERSION = "2023-06-01"
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_VERSION = re.compile(r"v\d+[a-z0-9]*")


class Endpoint(NamedTuple):
    """A surface at an address; `shown`: the address without what may be secret, for messages."""

    surface: str
    url: str
    shown: str


def endpoint_of(surface: str, base_url: str) -> Endpoint:
    """The endpoint: the path of the surface behind the base, `/v1` between them where no part of the base is a version.

    A base that ends with the path of the surface is the endpoint itself. Raises FoldpointError.
    """
    if surface not in PATHS:
        raise UnknownSurface(surface, PATHS)
    try:
        parts = urlsplit(base_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FoldpointError("base_url is no address; it begins with http:// or https://, as https://api.anthropic.com")
    base, path = parts.path.rstrip("/"), "/" + PATHS[surface]
    if not base.endswith(path):
        versioned = any(_VERSION.fullmatch(part) for part in base.split("/"))
        base += path if versioned else "/v1" + path
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = urlunsplit((parts.scheme, parts.netloc, base, parts.query, ""))
    return Endpoint(surface, url, f"{parts.scheme}://{host}{port}{base}")


def headers_of(surface: str, key: str, conversation: str, further: Mapping[str, str]) -> dict[str, str]:
    """What a request to a surface bears besides its body; further headers win. Raises FoldpointError."""
    headers = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
    if surface == "anthropic":
        headers["anthropic-version"] = ANTHROPIC_VERSION
    if key:
        headers |= {"x-api-key": key} if surface == "anthropic" else {"authorization": f"Bearer {key}"}
    headers |= session_of(conversation) | {name.lower(): value for name, value in further.items()}
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable()):
            raise FoldpointError(f"the header {name!r} can't hold what it was given; printable ASCII can be sent")
    return headers


def session_of(conversation: str) -> dict[str, str]:
    """The header that names the conversation to a gateway; what is no printable ASCII is percent-encoded."""
    return {"x-ace-session": quote(conversation, safe=_PRINTABLE)} if conversation else {}
