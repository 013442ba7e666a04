"""Our own credential for a provider, put in where the client sent none.

Without a key of ours never for a page in a browser: any page may send requests to a loopback port.
"""

import re
from collections.abc import Mapping

from .failures import Failure
from .headers import Field, raw_of
from .sigv4 import ANY, OF_A_SIGNATURE

CREDENTIALS = frozenset((b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key"))
IN_QUERY = re.compile(r"[?&](?:key|access_token)=[^&]")
FROM_BROWSERS = frozenset((b"origin", b"sec-fetch-site"))
HEADER: Mapping[str, tuple[bytes, str]] = {
    "openai": (b"Authorization", "Bearer "),
    "anthropic": (b"x-api-key", ""),
    "gemini": (b"x-goog-api-key", ""),
    "bedrock": (b"Authorization", "Bearer "),
}


def with_credential(fields: list[Field], upstream: str, key: str | None, known: bool, target: str = "") -> list[Field]:
    """The headers with our key, where there is one and the client is a program that brought none of its own.

    `known`: the client brought a key of ours, so it may be a page in a browser as well. A signature counts for none: it
    is over the address of the gateway, and AWS would refuse it. Gemini takes a key in the query of `target`, too.

    Raises:
        Failure: 502 for a key of several lines.
    """
    if key is None:
        return fields
    if any(name.lower() == b"authorization" and value.startswith(ANY) for name, value in fields):
        fields = [(name, value) for name, value in fields if name.lower() not in OF_A_SIGNATURE]
    barred = CREDENTIALS if known else CREDENTIALS | FROM_BROWSERS
    if any(name.lower() in barred for name, _ in fields) or (upstream == "gemini" and IN_QUERY.search(target)):
        return fields
    if not key.isprintable():
        raise Failure(502, f"our key for {upstream} is not one line of text: give the key alone")
    name, prefix = HEADER[upstream]
    return [*fields, (name, raw_of(prefix + key))]
